"""What holds for all pictures."""

import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from render.models import MEMBER, model, outcomes, people

from sorb import Condition, LLTBoostRegressor, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.explanation import Explanation
from sorb.render import (
    plot_calibration,
    plot_contributions,
    plot_curve,
    plot_decision_curve,
    plot_projection,
    plot_regions,
    plot_rules,
    plot_stages,
)
from sorb.render.plots.labels import LONGEST_WORD

X = np.random.default_rng(0).normal(size=(40, 2))
TRAINED = LLTBoostRegressor(max_rules=2, selection=None).fit(X, X[:, 0] > X[:, 1])


LOGISTIC, TABLE, OUTCOMES = model("logistic"), people(), outcomes("logistic")


PLOTS = {
    "calibration": lambda ax: plot_calibration(LOGISTIC, TABLE, OUTCOMES, ax=ax),
    "decision_curve": lambda ax: plot_decision_curve(LOGISTIC, TABLE, OUTCOMES, ax=ax),
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
    with pytest.raises(ImportError, match=r'matplotlib: pip install .*\[plot\]"'):
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


LONG = tuple(f"the_{word}_of_a_column_" + "that_has_a_very_long_name_" * 3 for word in "abc")
CLASSES = ("well " * 16, "ill " * 20)
LONG_RULES = (
    Rule(Condition((Proposition(LONG[:2], (1.0, -0.5), 0.5),)), 1.0),
    Rule(
        Condition((Product(LONG[1:], (1.0, -2.0), 1.0), Proposition(LONG[:1], (1.0,), 1.0))), -1.0
    ),
)


LONG_MODEL = RuleEnsemble(0.0, LONG_RULES, LONG, "logistic", CLASSES)
LONG_TABLE = pd.DataFrame(np.random.default_rng(3).uniform(1, 2, (30, 3)), columns=LONG)
LONG_OUTCOMES = np.array(CLASSES)[np.arange(30) % 2]
EDUCATION = (*(f"{k}th-{k + 1}th-grade" for k in range(1, 16)), "College, " * 8)
SCHOOLED = RuleEnsemble(
    0.0,
    (Rule(Condition((Membership("education", EDUCATION[:4]),)), 1.0),),
    ("education", "age"),
    "squared",
)


SCHOOL = pd.DataFrame({"education": EDUCATION, "age": np.arange(16.0)})
CROWDED = {
    "rules": lambda: plot_rules(LONG_MODEL, LONG_TABLE)[0],
    "contributions": lambda: plot_contributions(Explanation.of(LONG_MODEL, LONG_TABLE)[0]),
    "regions": lambda: plot_regions(LONG_MODEL, LONG[:2], LONG_TABLE, LONG_OUTCOMES),
    "line": lambda: plot_regions(LONG_MODEL, LONG[0], LONG_TABLE, LONG_OUTCOMES),
    "projection": lambda: plot_projection(
        LONG_RULES[0].condition.propositions[0], LONG_TABLE, LONG_OUTCOMES
    ),
    "calibration": lambda: plot_calibration(LONG_MODEL, LONG_TABLE, LONG_OUTCOMES),
    "decision_curve": lambda: plot_decision_curve(LONG_MODEL, LONG_TABLE, LONG_OUTCOMES),
    "categories": lambda: plot_projection(
        SCHOOLED[0].condition.propositions[0], SCHOOL, np.arange(16) % 2
    ),
    "categories across": lambda: plot_regions(SCHOOLED, ("education", "age"), SCHOOL, np.ones(16)),
    "categories upwards": lambda: plot_regions(SCHOOLED, ("age", "education"), SCHOOL),
}


@pytest.mark.parametrize("name", CROWDED)
@pytest.mark.filterwarnings("error")
def test_nothing_is_cut_off(name):
    axes = CROWDED[name]()
    axes.figure.draw_without_rendering()
    sheet = axes.figure.bbox
    for text in axes.figure.findobj(lambda artist: hasattr(artist, "get_parse_math")):
        if text.get_visible() and text.get_text() and text.axes is not None:
            box = text.get_window_extent()
            assert box.x0 >= -1, text
            assert box.y0 >= -1, text
            assert box.x1 <= sheet.x1 + 1, text
            assert box.y1 <= sheet.y1 + 1, text
    assert axes.get_window_extent().width > 0.2 * sheet.width
    assert axes.get_window_extent().height > 0.3 * sheet.height


@pytest.mark.parametrize("name", ["categories", "categories across"])
def test_many_categories_are_written_aslant_and_short(name):
    axes = CROWDED[name]()
    axes.figure.draw_without_rendering()
    labels = axes.get_xticklabels()
    assert {label.get_rotation() for label in labels} == {45.0}
    assert max(len(label.get_text()) for label in labels) == LONGEST_WORD
    apart = np.diff(axes.transData.transform([(0, 0), (1, 0)])[:, 0])[0]
    height = labels[0].get_fontsize() / 72 * axes.figure.dpi
    assert apart > height * np.sqrt(2)


def test_few_categories_stand_upright():
    axes = plot_projection(LOGISTIC[2].condition.propositions[0], TABLE, OUTCOMES)
    assert {label.get_rotation() for label in axes.get_xticklabels()} == {0.0}


@pytest.mark.parametrize(("n", "width"), [(4, 7), (20, 8), (87, 11)])
def test_more_categories_make_a_wider_picture_up_to_the_width_of_a_page(n, width):
    table = pd.DataFrame({"kind": [f"category {k}" for k in range(n)], "age": np.arange(n) * 1.0})
    kind, y = Membership("kind", ("category 3",)), np.arange(n) % 2
    rule = Rule(Condition((kind, Proposition(("age",), (1.0,), 2.0))), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), ("kind", "age"), "squared")
    projection = plot_projection(kind, table, y)
    regions = plot_regions(ensemble, ("kind", "age"), table)
    for axes in (projection, regions):
        assert width - 1.5 < axes.figure.get_size_inches()[0] <= width


ROWS = {
    "rules": lambda: plot_rules(model("squared"), people())[0],
    "contributions": lambda: plot_contributions(
        Explanation.of(model("squared"), people(missing=0.0))[0]
    ),
    "projection": lambda: plot_projection(MEMBER, people(), outcomes("logistic")),
}


@pytest.mark.parametrize("name", ROWS)
def test_labels_of_rows_begin_below_each_other(name):
    axes = ROWS[name]()
    axes.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert len(boxes) > 1
    assert len({round(box.width) for box in boxes}) > 1
    assert max(box.x0 for box in boxes) == pytest.approx(min(box.x0 for box in boxes))
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) < axes.bbox.x0


@pytest.mark.parametrize("name", ["regions", "categories across"])
def test_the_legend_is_below_the_label(name):
    axes = CROWDED[name]()
    axes.figure.draw_without_rendering()
    label = axes.xaxis.label.get_window_extent()
    assert axes.get_legend().get_window_extent().y1 <= label.y0 + 1


def bars_and_texts(axes):
    """All that a picture of counts shows."""
    panels = [*axes.figure.axes, *axes.child_axes]
    bars = [bar.get_bbox().bounds for panel in panels for bar in panel.patches]
    lines = [line.get_xydata() for panel in panels for line in panel.lines]
    axes.figure.draw_without_rendering()
    texts = axes.figure.findobj(lambda artist: hasattr(artist, "get_parse_math"))
    return bars, lines, [text.get_text() for text in texts]


COUNTING = {
    "rules": lambda X, y, weight: plot_rules(LOGISTIC, X, weight)[0],
    "calibration": lambda X, y, weight: plot_calibration(LOGISTIC, X, y, weight),
    "decision_curve": lambda X, y, weight: plot_decision_curve(LOGISTIC, X, y, weight),
    "projection": lambda X, y, weight: plot_projection(
        LOGISTIC[0].condition.propositions[0], X, y, weight
    ),
    "projection of numbers": lambda X, y, weight: plot_projection(
        LOGISTIC[2].condition.propositions[0], X, np.asarray(X.index, dtype=float), weight
    ),
}


@pytest.mark.parametrize("name", COUNTING)
def test_a_weight_counts_as_that_many_rows(name):
    weight = np.arange(len(TABLE)) % 3
    rows = np.repeat(np.arange(len(TABLE)), weight)
    weighted = bars_and_texts(COUNTING[name](TABLE, OUTCOMES, weight))
    repeated = bars_and_texts(COUNTING[name](TABLE.iloc[rows], OUTCOMES[rows], None))
    plain = bars_and_texts(COUNTING[name](TABLE, OUTCOMES, None))
    assert repr(weighted[:2]) != repr(plain[:2])
    np.testing.assert_allclose(weighted[0], repeated[0])
    for line, other in zip(weighted[1], repeated[1], strict=True):
        np.testing.assert_allclose(line, other)
    assert weighted[2] == repeated[2]


@pytest.mark.parametrize("name", COUNTING)
def test_weights_are_checked(name):
    with pytest.raises(ValueError, match="sample_weight must hold one number for each of the 200"):
        COUNTING[name](TABLE, OUTCOMES, np.ones(3))
