"""What holds for all pictures."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from render.models import model, outcomes, people

from sorb import (
    Condition,
    LLTBoostRegressor,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.explanation import Explanation
from sorb.render import (
    plot_calibration,
    plot_contributions,
    plot_curve,
    plot_projection,
    plot_regions,
    plot_stages,
)
from sorb.render.plots.looks import SERIES, condition_label, literal, wrapped

X = np.random.default_rng(0).normal(size=(40, 2))
TRAINED = LLTBoostRegressor(max_rules=2).fit(X, X[:, 0] > X[:, 1])
LOGISTIC, TABLE, OUTCOMES = model("logistic"), people(), outcomes("logistic")

PLOTS = {
    "calibration": lambda ax: plot_calibration(LOGISTIC, TABLE, OUTCOMES, ax=ax),
    "contributions": lambda ax: plot_contributions(Explanation.of(LOGISTIC, TABLE)[0], ax=ax),
    "curve": lambda ax: plot_curve(TRAINED, X, X[:, 0] > X[:, 1], ax=ax),
    "projection": lambda ax: plot_projection(
        LOGISTIC[0].condition.propositions[0], TABLE, OUTCOMES, ax=ax
    ),
    "line": lambda ax: plot_regions(LOGISTIC, "age", TABLE, OUTCOMES, ax=ax),
    "regions": lambda ax: plot_regions(LOGISTIC, ("age", "weight"), TABLE, OUTCOMES, ax=ax),
    "stages": lambda ax: plot_stages(TRAINED, ax=ax),
}
every_plot = pytest.mark.parametrize("name", PLOTS)


@every_plot
def test_new_axes_are_made_and_given_back(name):
    axes = PLOTS[name](None)
    assert axes.get_xlabel()
    axes.figure.draw_without_rendering()


@every_plot
def test_given_axes_are_drawn_on_and_given_back(name):
    figure = Figure()
    given = figure.subplots()
    assert PLOTS[name](given) is given
    assert given.has_data()


@every_plot
def test_matplotlib_is_asked_for_by_name(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'matplotlib: pip install "sorb\[plot\]"'):
        PLOTS[name](None)


HOSTILE = ["_hidden", "$x^2$ \\frac{ %s {0}", 'a$b$c\\$ <b> "hi"\nthere']


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_drawn_as_they_are(name):
    other = f"{name} too"
    parts = (
        Proposition((name, other), (1.0, -1.0), 0.0),
        Product((name,), (2.0,), 1.0),
        Membership("kind", (name,), missing=True),
    )
    rules = tuple(Rule(Condition((part,)), 1.0) for part in parts)
    ensemble = RuleEnsemble(
        0.0, rules, (name, other, "kind"), "logistic", (other, name), units={name: "$"}
    )
    table = pd.DataFrame({name: [1.0, 2.0, 3.0], other: [2.0, 2.0, 2.0], "kind": [name, "b", None]})
    y = [name, other, name]
    for axes in (
        plot_contributions(Explanation.of(ensemble, table)[2]),
        plot_regions(ensemble, (name, "kind"), table, y),
        plot_regions(ensemble, name, table, y),
        plot_calibration(ensemble, table, y),
        *(plot_projection(part, table, y, units={name: "$"}) for part in parts),
    ):
        axes.figure.set_layout_engine("none")
        axes.figure.draw_without_rendering()
        for text in axes.figure.findobj(lambda artist: hasattr(artist, "get_parse_math")):
            assert "$" not in text.get_text().replace(r"\$", "")
    legend = plot_regions(ensemble, (name, other), table, y).get_legend()
    assert len(legend.get_texts()) == 2


def test_dollars_are_not_mathematics():
    figure = Figure()
    text = figure.text(0, 0, literal("$x^2$ and \\$"))
    assert text._preprocess_math(text.get_text())[0] == "$x^2$ and \\$"


def test_series_differ_without_colour():
    looks = {(look["marker"], str(look["linestyle"])) for look in SERIES}
    assert len(looks) == len(SERIES)


def test_terms_are_not_torn():
    part = Proposition(("mean_concave_points", "worst_perimeter"), (1.0, -0.003), 12.5)
    label = condition_label(Condition((part, Membership("g", ("A", "B")))), {}, width=20)
    assert label.split("\n") == [
        "mean_concave_points",
        "− 0.003 worst_perimeter ≥ 12.5",
        "and g in {A, B}",
    ]


def test_lines_are_no_longer_than_asked():
    assert wrapped("one two three four", 9) == "one two\nthree\nfour"
