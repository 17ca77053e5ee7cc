import pytest
from matplotlib.figure import Figure
from synthetic_results import repeated, written

from sorb.lab.figures import FIGURES
from sorb.lab.figures.styles import STYLES, name_label


def test_no_two_methods_look_alike_without_colour():
    shapes = [(marker, str(style)) for _, marker, style in STYLES.values()]
    assert len(set(shapes)) == len(shapes)


@pytest.mark.parametrize("name", ["$\\frac{$", "$x$", "_hidden", "a\x07b", "n" * 3000])
@pytest.mark.parametrize("figure", ["risk_cv", "strategies", "iterations"])
def test_datasets_and_methods_may_be_called_anything(name, figure, tmp_path):
    curves = [[(4, 0.8), (10, 0.5)]] * 2
    units = {}
    for method in ("LLTB", "LLTB-append", name):
        units.update(repeated(name, method, curves))
    counts = [{"step": s, "iterations": 10.0, "doublings": 1.0} for s in (1, 2)]
    units.update({(name, "path", r): counts for r in (0, 1)})
    picture = FIGURES[figure](written(tmp_path, units).table())
    assert picture.content("svg")
    legend = {text.get_text().strip() for text in picture.figure.legends[0].get_texts()}
    expected = {"risk_cv": name, "strategies": "LLTB", "iterations": name}[figure]
    assert name_label(expected).strip() in legend


def test_the_name_is_what_is_drawn():
    text = Figure().text(0, 0, name_label("$\\frac{$"))
    assert text._preprocess_math(text.get_text()) == ("$\\frac{$", False)
