import pytest

from sorb.losses import Logistic
from sorb.measures.comparison import Compared, Comparison
from sorb.measures.estimate import Estimate
from sorb.measures.gain import Gain
from sorb.measures.measures import Measures
from sorb.render.plots.comparison import plot_comparison


def compared(risk, area, against):
    measures = Measures(risk, auc=Estimate(area, area - 0.1, area + 0.1))
    return Compared(measures, against, "small", 0.1)


def test_intervals_stand_side_by_side():
    methods = {"sorb": compared(0.4, 0.8, None), "tree": compared(0.5, 0.7, Gain(-0.1, 0.02))}
    first, second = plot_comparison(Comparison(methods, Logistic(), 100))
    assert [label.get_text() for label in first.get_yticklabels()] == ["sorb", "tree"]
    spans = [list(line.get_xdata()) for line in first.lines if len(line.get_xdata()) == 2]
    assert spans == [pytest.approx([0.7, 0.9]), pytest.approx([0.6, 0.8])]
    worse = [list(line.get_xdata()) for line in second.lines if len(line.get_xdata()) == 2]
    half = 1.959964 * 0.02
    assert worse[1] == pytest.approx([0.1 - half, 0.1 + half])
    assert second.get_xlabel().startswith("log loss")
