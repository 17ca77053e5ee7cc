import pytest
from lab.figures.models import CORNER, DIAGONAL, with_model
from synthetic_results import written

from sorb import RuleEnsemble
from sorb.lab.curves import MissingResults
from sorb.lab.figures import FIGURES


def test_regions_are_those_of_the_models(picture):
    drawing = picture("regions")
    titles = [axes.get_title() for axes in drawing.figure.axes]
    assert titles == [
        "LLTB: 1 rule, complexity 4, test risk 0.10",
        "TGB: 1 rule, complexity 4, test risk 0.40",
    ]
    for axes, model in zip(drawing.figure.axes, (DIAGONAL, CORNER), strict=True):
        border = axes.collections[-1].get_paths()[0].vertices
        inside = border[(border > 0.01).all(axis=1) & (border < 0.99).all(axis=1)]
        around = [model(inside + shift) > 0 for shift in (-0.01, 0.01)]
        assert around[0].all()
        assert not around[1].any()


def test_the_true_border_is_drawn(picture):
    for axes in picture("regions").figure.axes:
        (line,) = axes.lines
        assert line.get_xdata() + line.get_ydata() == pytest.approx([1, 1])


def test_a_model_that_says_the_same_everywhere_has_no_border(tmp_path):
    always = RuleEnsemble(-1.0, (), ("x1", "x2"), "logistic")
    units = {("synthetic", "LLTB", 0): with_model("synthetic", [(0, 1.0)], [always])}
    (axes,) = FIGURES["regions"](written(tmp_path, units).table()).figure.axes
    assert len(axes.collections) == 1


def test_models_in_words_cannot_be_drawn(tmp_path):
    units = {("synthetic", "LLTB", 0): with_model("synthetic", [(4, 0.1)], ["words"])}
    with pytest.raises(MissingResults, match="no rules for synthetic"):
        FIGURES["regions"](written(tmp_path, units).table())
