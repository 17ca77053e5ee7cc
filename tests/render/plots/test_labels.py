import pytest
from matplotlib.figure import Figure

from sorb import Condition, Membership, Product, Proposition
from sorb.render.plots.labels import condition_label, escape, wrap


def test_dollars_are_not_mathematics():
    figure = Figure()
    text = figure.text(0, 0, escape("$x^2$ and \\$"))
    assert text._preprocess_math(text.get_text())[0] == "$x^2$ and \\$"


def test_terms_are_not_torn():
    part = Proposition(("mean_concave_points", "worst_perimeter"), (1.0, -0.003), 12.5)
    label = condition_label(Condition((part, Membership("g", ("A", "B")))), 3, {}, width=30)
    assert label.split("\n") == [
        "mean_concave_points",
        "− 0.003 worst_perimeter ≥ 12.5",
        "and g in {A, B}",
    ]


def test_ranges_and_single_categories_stay_whole():
    bounds = Proposition(("age",), (1.0,), 1.5), Proposition(("age",), (-1.0,), -20.5)
    label = condition_label(Condition((*bounds, Membership("sex", ("male",)))), 3, {}, width=18)
    assert label.split("\n") == ["1.5 ≤ age ≤ 20.5", "and sex = male"]


def test_lines_are_no_longer_than_asked():
    assert wrap("one two three four", 9) == "one two\nthree\nfour"


@pytest.mark.parametrize(
    "name", ["n" * 100, "a_name_of_many_words_" * 5, "a name of many words " * 5]
)
def test_names_longer_than_a_line_are_broken(name):
    part = Proposition((name, "age"), (1.0, -0.5), 2.0)
    condition = Condition((part, Product((name,), (2.0,), 3.0)))
    label = condition_label(condition, 3, {}, width=30)
    assert max(map(len, label.split("\n"))) <= 30
    assert "".join(label.split()) == "".join(str(condition).split())
