import numpy as np
import pandas as pd
import polars
import pytest
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from oracles.losses import TWINS
from render.models import COLUMNS, KINDS, model, outcomes, people
from scipy.special import expit, softmax

from sorb import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.losses import LOSSES
from sorb.render import plot_regions
from sorb.render.plots.grid import N_PLACES

every_loss = pytest.mark.parametrize("loss", LOSSES)
TABLE = people()
MEANS = {name: twin.mean for name, twin in TWINS.items() if name != "softmax"}


def middle(name):
    """The value of a row in the middle, found by counting."""
    known = sorted(TABLE[name].dropna())
    return known[(len(known) - 1) // 2]


def frame(**columns):
    """A table of these columns; the others are as in the middle of the people."""
    size = max(len(values) for values in columns.values())
    usual = {name: [middle(name)] * size for name in ("age", "weight", "height")}
    usual["group"] = [TABLE["group"].mode()[0]] * size
    return pd.DataFrame({**usual, **columns})


def drawn_people(ensemble, columns, **requested):
    """The rows that are drawn, found with plain pandas.

    They have a value in the drawn columns and the requested categories, and get the same score if
    the other columns are as they are or as they are held.
    """
    fixed = {name: middle(name) for name in ("age", "weight", "height")}
    fixed |= {"group": TABLE["group"].mode()[0], **requested}
    held = TABLE.assign(**{name: fixed[name] for name in fixed if name not in columns})
    same = ensemble(TABLE) == ensemble(held)
    same = same if same.ndim == 1 else same.all(axis=1)
    for name in (name for name in requested if isinstance(requested[name], str)):
        same &= TABLE[name] == requested[name]
    return same & TABLE[list(columns)].notna().all(axis=1).to_numpy()


@pytest.mark.parametrize("loss", MEANS)
def test_a_line_is_what_is_expected(loss):
    ensemble = model(loss)
    (line,) = plot_regions(ensemble, "age", TABLE).lines
    ages, found = line.get_xdata(), line.get_ydata()
    assert ages.min() < TABLE["age"].min()
    assert ages.max() > TABLE["age"].max()
    np.testing.assert_allclose(found, MEANS[loss](ensemble(frame(age=ages))))
    assert len(set(found)) == 2


def test_each_class_has_a_line():
    axes = plot_regions(model("softmax"), "age", TABLE, outcomes("softmax"))
    lines = axes.lines[:3]
    expected = softmax(model("softmax")(frame(age=lines[0].get_xdata())), axis=1)
    np.testing.assert_allclose([line.get_ydata() for line in lines], expected.T)
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == 3
    assert len({line.get_marker() for line in lines}) == 3
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == [f"class {kind}" for kind in KINDS]


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_rows_of_each_class_lie_on_a_line_with_its_name(loss):
    ensemble, y = model(loss), outcomes(loss)
    axes = plot_regions(ensemble, "age", TABLE, y)
    (beside,) = axes.child_axes
    names = {
        round(float(place), 9): label.get_text()
        for place, label in zip(beside.get_yticks(), beside.get_yticklabels(), strict=True)
    }
    strokes = [line for line in axes.lines if line.get_marker() == "|"]
    assert len(strokes) == len(ensemble.classes)
    for line in strokes:
        (height,) = set(line.get_ydata())
        chosen = (y == names[round(float(height), 9)]) & drawn_people(ensemble, ["age"])
        np.testing.assert_array_equal(line.get_xdata(), TABLE["age"][chosen])
    assert (axes.get_legend() is None) == (loss == "logistic")


def many_classes(n_classes, n_rules=1):
    columns = tuple(f"column_{k}" for k in range(n_rules))
    rules = tuple(
        Rule(Condition((Proposition((name,), (1.0,), 0.5),)), 1.0, k % n_classes)
        for k, name in enumerate(columns)
    )
    ensemble = RuleEnsemble((0.0,) * n_classes, rules, columns, "softmax", tuple(range(n_classes)))
    table = pd.DataFrame(np.random.default_rng(0).random((60, n_rules)), columns=columns)
    return ensemble, table, np.arange(60) % n_classes


def test_ten_classes_differ_without_colour():
    ensemble, table, y = many_classes(10, 30)
    axes = plot_regions(ensemble, "column_0", table, y)
    assert len({line.get_marker() for line in axes.lines if line.get_marker() != "|"}) == 10
    axes.figure.draw_without_rendering()
    assert axes.get_window_extent().height > 0.5 * axes.figure.bbox.height
    axes = plot_regions(ensemble, ("column_0", "column_1"), table, y)
    shapes = {found.get_paths()[0].vertices.tobytes() for found in points(axes)}
    assert len(shapes) == 10


def test_more_classes_than_can_be_told_apart_are_refused():
    ensemble, table, y = many_classes(13)
    with pytest.raises(ValueError, match="13 classes, but a picture can only tell 12 apart"):
        plot_regions(ensemble, "column_0", table, y)


def test_of_many_fixed_columns_some_are_named():
    ensemble, table, _ = many_classes(3, 30)
    axes = plot_regions(ensemble, "column_0", table, fixed={"column_29": 0.25})
    assert axes.get_title().count("\n") <= 2
    title = axes.get_title().replace("\n", " ")
    assert title.startswith("with column_1 = ")
    assert title.endswith("column_29 = 0.25 and 23 more")


def test_categories_are_steps():
    axes = plot_regions(model("logistic"), "group", TABLE)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["A", "AB", "B", "O"]
    (line,) = axes.lines
    for place, group in enumerate(["A", "AB", "B", "O"]):
        inside = np.abs(line.get_xdata() - place) < 0.45
        expected = expit(model("logistic")(frame(group=[group])))
        np.testing.assert_allclose(line.get_ydata()[inside], expected[0])


@pytest.mark.parametrize("loss", MEANS)
def test_areas_are_what_is_expected(loss):
    ensemble = model(loss)
    axes = plot_regions(ensemble, ("weight", "height"), TABLE)
    (mesh,) = (found for found in axes.collections if isinstance(found, QuadMesh))
    values = mesh.get_array().reshape(N_PLACES, N_PLACES)
    weights = np.linspace(*np.array(axes.get_xlim()), N_PLACES)
    heights = np.linspace(*np.array(axes.get_ylim()), N_PLACES)
    for row in (0, 100, N_PLACES - 1):
        table = frame(weight=weights, height=np.full(N_PLACES, heights[row]))
        np.testing.assert_allclose(values[row], MEANS[loss](ensemble(table)))
    assert axes.get_xlabel() == "weight (kg)"
    assert axes.get_ylabel() == "height (cm)"


def test_each_region_says_what_the_model_says():
    axes = plot_regions(model("logistic"), ("age", "group"), TABLE)
    for text in axes.texts:
        age, place = text.get_position()
        group = ["A", "AB", "B", "O"][round(place)]
        expected = 100 * expit(model("logistic")(frame(age=[age], group=[group])))[0]
        assert float(text.get_text().removesuffix(" %")) == pytest.approx(expected, abs=0.5)
    assert len(axes.texts) == 4


def test_each_region_names_its_class():
    axes = plot_regions(model("softmax"), ("age", "group"), TABLE)
    said = set()
    for text in axes.texts:
        age, place = text.get_position()
        scores = model("softmax")(frame(age=[age], group=[["A", "AB", "B", "O"][round(place)]]))
        assert text.get_text() == KINDS[scores[0].argmax()]
        said.add(text.get_text())
    assert len(said) > 1


def test_classes_differ_without_colour():
    axes = plot_regions(model("softmax"), ("age", "group"), TABLE)
    hatches = [found.hatches for found in axes.collections if getattr(found, "hatches", None)]
    drawn = [hatch for hatch in hatches if hatch != [None]]
    assert len({tuple(hatch) for hatch in drawn}) == len(drawn) > 1


def points(axes):
    return [found for found in axes.collections if isinstance(found, PathCollection)]


@every_loss
def test_rows_are_drawn_where_they_are(loss):
    axes = plot_regions(model(loss), ("age", "weight"), TABLE, outcomes(loss))
    drawn = np.concatenate([found.get_offsets() for found in points(axes)])
    expected = TABLE[drawn_people(model(loss), ["age", "weight"])]
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, expected[["age", "weight"]].to_numpy()))
    assert 0 < len(drawn) < len(TABLE)
    said = f"{len(drawn)} of {len(TABLE)} rows drawn, with the answer shown"
    assert axes.get_title().split("\n")[-1] == said


@pytest.mark.parametrize("columns", ["age", ("age", "weight")])
def test_only_rows_of_a_requested_category_are_drawn(columns):
    ensemble, y, names = model("squared"), outcomes("squared"), np.atleast_1d(columns).tolist()
    seen = []
    for group in ("A", "B"):
        axes = plot_regions(ensemble, columns, TABLE, y, fixed={"group": group})
        expected = drawn_people(ensemble, names, group=group)
        assert set(TABLE["group"][expected]) == {group}
        said = f"{expected.sum()} of 200 rows drawn, with group = {group} and the answer"
        assert said in axes.get_title().replace("\n", " ")
        if columns == "age":
            (rows,) = (line for line in axes.lines if line.get_label() == "row")
            seen.append(set(rows.get_xdata()))
        else:
            seen.append(set(map(tuple, points(axes)[0].get_offsets())))
        assert seen[-1] == set(
            TABLE["age"][expected]
            if columns == "age"
            else map(tuple, TABLE.loc[expected, names].to_numpy())
        )
    assert seen[0] != seen[1]


def test_only_rows_without_a_value_are_drawn_if_it_is_to_be_missing():
    axes = plot_regions(model("squared"), "age", TABLE, outcomes("squared"), fixed={"weight": None})
    (rows,) = (line for line in axes.lines if line.get_label() == "row")
    expected = drawn_people(model("squared"), ["age"], weight=np.nan) & TABLE["weight"].isna()
    np.testing.assert_array_equal(rows.get_xdata(), TABLE["age"][expected])
    assert f"{expected.sum()} of 200 rows drawn, with weight = missing" in axes.get_title()


def test_all_rows_are_drawn_if_nothing_is_held():
    rule = Rule(Condition((Proposition(("age",), (1.0,), 50.0),)), 2.0)
    ensemble = RuleEnsemble(-1.0, (rule,), COLUMNS, "squared")
    table = people(missing=0.0)
    axes = plot_regions(ensemble, ("age", "weight"), table, outcomes("squared"))
    assert len(points(axes)[0].get_offsets()) == len(table)
    assert axes.get_title() == ""
    axes = plot_regions(ensemble, ("age", "weight"), TABLE, outcomes("squared"))
    known = TABLE[["age", "weight"]].notna().all(axis=1).sum()
    assert axes.get_title() == f"{known} of 200 rows drawn"


def test_of_many_categories_the_named_and_the_frequent_ones_are_drawn():
    kinds = [f"kind {k:02}" for k in range(60)]
    counts = np.arange(60) + 1
    table = pd.DataFrame({"kind": np.repeat(kinds, counts), "age": 1.0})
    rule = Rule(Condition((Membership("kind", ("kind 00", "kind 02")),)), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), ("kind", "age"), "squared")
    axes = plot_regions(ensemble, "kind", table, np.zeros(len(table)))
    shown = [label.get_text().strip('"') for label in axes.get_xticklabels()]
    assert shown == ["kind 00", "kind 02", *kinds[-28:]]
    assert axes.get_xlabel() == "kind\n(30 of 60 categories)"
    assert axes.get_title() == f"400 of {counts.sum()} rows drawn"


def test_classes_have_different_marks():
    axes = plot_regions(model("logistic"), ("age", "weight"), TABLE, outcomes("logistic"))
    marks = {found.get_label(): found for found in points(axes)}
    assert set(marks) == {"row of class well", "row of class ill"}
    shapes = {len(found.get_paths()[0].vertices) for found in marks.values()}
    colours = {to_hex(found.get_facecolor()[0]) for found in marks.values()}
    assert len(shapes) == len(colours) == 2


def test_no_more_rows_than_one_can_see():
    table = people(2000, missing=0.0)
    axes = plot_regions(model("squared"), ("age", "weight"), table, outcomes("squared", 2000))
    assert len(points(axes)[0].get_offsets()) == 400
    said = axes.get_title().replace("\n", " ")
    matching = int(said.split(" 400 of 2000 rows drawn, of the ")[1].split()[0])
    assert 400 < matching < 2000


def test_the_border_between_two_classes_is_drawn():
    rule = Rule(Condition((Proposition(("age",), (1.0,), 50.0),)), 2.0)
    ensemble = RuleEnsemble(-1.0, (rule,), COLUMNS, "logistic", ("well", "ill"))
    widths = [
        float(found.get_linewidth()[0])
        for found in plot_regions(ensemble, ("age", "weight"), TABLE).collections
        if len(found.get_linewidth())
    ]
    assert max(widths) == 2.0


def test_fixed_values_are_said_and_used():
    ensemble = model("squared")
    axes = plot_regions(ensemble, "age", TABLE, fixed={"group": "O", "weight": 120})
    assert axes.get_title().replace("\n", " ") == (
        f"with weight = 120 kg, height = {middle('height'):g} cm, group = O"
    )
    (line,) = axes.lines
    size = len(line.get_xdata())
    table = frame(age=line.get_xdata(), group=["O"] * size, weight=[120.0] * size)
    np.testing.assert_allclose(line.get_ydata(), ensemble(table))


def test_the_usual_value_is_one_that_a_row_has():
    rule = Rule(Condition((Proposition(("a", "b"), (1.0, 1.0), 5.0),)), 2.0)
    ensemble = RuleEnsemble(0.0, (rule,), ("a", "b"), "squared")
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 4.0, 8.0]})
    assert plot_regions(ensemble, "a", table).get_title() == "with b = 2"


def test_rows_of_numbers_are_drawn_beside_the_line():
    axes = plot_regions(model("squared"), "age", TABLE, outcomes("squared"))
    (rows,) = (line for line in axes.lines if line.get_label() == "row")
    drawn = drawn_people(model("squared"), ["age"])
    np.testing.assert_array_equal(rows.get_xdata(), TABLE["age"][drawn])
    np.testing.assert_array_equal(rows.get_ydata(), outcomes("squared")[drawn])


def test_a_value_may_be_missing():
    ensemble = model("squared")
    axes = plot_regions(ensemble, "group", TABLE, fixed={"weight": float("nan"), "age": 20})
    assert "weight = missing" in axes.get_title()
    (line,) = axes.lines
    table = frame(group=["A"], weight=[np.nan], age=[20.0])
    assert line.get_ydata()[10] == ensemble(table)[0]


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA])
@pytest.mark.parametrize("name", ["weight", "group"])
def test_anything_may_be_missing(name, value):
    ensemble = model("squared")
    axes = plot_regions(ensemble, "age", TABLE, fixed={name: value})
    assert f"{name} = missing" in axes.get_title()
    (line,) = axes.lines
    ages = line.get_xdata()
    np.testing.assert_allclose(
        line.get_ydata(), ensemble(frame(age=ages, **{name: [None] * len(ages)}))
    )


def test_a_category_of_the_table_or_of_a_rule_is_known():
    table = TABLE[TABLE["group"] != "AB"]
    for group in ("O", "AB"):
        axes = plot_regions(model("squared"), "age", table, fixed={"group": group})
        assert f"group = {group}" in axes.get_title()


def test_arrays_and_other_frames():
    rule = Rule(Condition((Proposition(("age", "weight"), (1.0, 1.0), 100.0),)), 2.0)
    ensemble = RuleEnsemble(-1.0, (rule,), ("age", "weight"), "squared")
    table = people(missing=0.0)[["age", "weight"]]
    first = plot_regions(ensemble, "age", table.to_numpy()).lines[0].get_ydata()
    second = plot_regions(ensemble, "age", polars.from_pandas(table)).lines[0].get_ydata()
    np.testing.assert_array_equal(first, second)


def test_categories_that_are_numbers_and_columns_without_rules():
    rules = (
        Rule(Condition((Membership("level", (1, 3)),)), 2.0),
        Rule(Condition((Membership("other", (), missing=True),)), 1.0),
    )
    ensemble = RuleEnsemble(0.0, rules, ("level", "other", "unused"), "squared")
    table = pd.DataFrame({"level": [1, 2, 3, 3], "other": [np.nan] * 4, "unused": list("abca")})
    axes = plot_regions(ensemble, ("level", "unused"), table)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]
    assert {text.get_text() for text in axes.texts} == {"1", "3"}
    assert axes.get_title() == "with other = missing"


@pytest.mark.parametrize(
    ("columns", "fixed", "message"),
    [
        ((), None, "one or two different columns"),
        (("age", "age"), None, "one or two different columns"),
        (("age", "weight", "height"), None, "one or two different columns"),
        ("size", None, "columns of the model, found 'size'"),
        ("age", {"age": 3}, "fixed gives a value for 'age'"),
        ("age", {"nothing": 3}, "not drawn are 'weight', 'height', 'group'"),
        ("age", {"group": "C"}, "the category 'C' for 'group', .* known are 'A', 'AB', 'B', 'O'"),
    ],
)
def test_what_cannot_be_drawn(columns, fixed, message):
    with pytest.raises(ValueError, match=message):
        plot_regions(model("squared"), columns, TABLE, fixed=fixed)


@pytest.mark.parametrize("name", ["age", "group"])
def test_a_column_without_values(name):
    table = TABLE.assign(**{name: pd.Series([None] * len(TABLE), dtype=TABLE[name].dtype)})
    with pytest.raises(ValueError, match=f"column '{name}' has no values to draw"):
        plot_regions(model("squared"), name, table)
    assert f"{name} = missing" in plot_regions(model("squared"), "weight", table).get_title()


def test_rows_over_an_exposure_are_drawn_at_their_rates():
    y, years = outcomes("poisson"), np.arange(1, len(TABLE) + 1) / 50
    axes = plot_regions(model("poisson"), "age", TABLE, y, exposure=years)
    (rows,) = (line for line in axes.lines if line.get_label() == "row")
    drawn = drawn_people(model("poisson"), ["age"])
    np.testing.assert_allclose(rows.get_ydata(), (y / years)[drawn])


def test_an_exposure_needs_outcomes():
    with pytest.raises(ValueError, match="exposure needs y"):
        plot_regions(model("poisson"), "age", TABLE, exposure=np.ones(len(TABLE)))


@pytest.mark.parametrize(
    ("changed", "beyond"),
    [({}, "neither"), ({0: 1e9}, "max"), ({1: -1e9}, "min"), ({0: 1e9, 1: -1e9}, "both")],
)
def test_extreme_outcomes_do_not_fade_the_model(changed, beyond):
    ensemble = model("squared")
    y = np.full(len(TABLE), np.mean([ensemble(TABLE).min(), ensemble(TABLE).max()]))
    drawn = np.flatnonzero(drawn_people(ensemble, ["age", "weight"]))
    y[drawn[list(changed)]] = list(changed.values())
    axes = plot_regions(ensemble, ("age", "weight"), TABLE, y)
    (filled,) = (part for part in axes.collections if isinstance(part, QuadMesh))
    assert filled.get_clim() == (filled.get_array().min(), filled.get_array().max())
    assert filled.colorbar.extend == beyond


@pytest.mark.parametrize("columns", ["weight", ("age", "weight"), ("weight", "age")])
def test_values_too_large_for_an_axis_are_refused(columns):
    table = frame(weight=[1e308, -1e308, 70.0])
    with pytest.raises(ValueError, match=r"'weight' holds 1e\+308: expected at most 1e\+300"):
        plot_regions(model("squared"), columns, table)


def test_large_values_are_drawn():
    axes = plot_regions(model("squared"), ("age", "weight"), frame(weight=[1e300, -1e300, 70.0]))
    axes.figure.draw_without_rendering()
    assert axes.get_ylim()[1] > 1e300


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [(2.0**53,) * 2, (1e17, 1e17 + 16), (1e299,) * 2, (0.0, 5e-324)])
@pytest.mark.parametrize("columns", ["a", ("a", "b")])
def test_equal_values_of_any_size_have_room_beside_them(columns, values):
    rules = tuple(Rule(Condition((Proposition((c,), (1.0,), 1.0),)), 2.0) for c in "ab")
    ensemble = RuleEnsemble(0.0, rules, ("a", "b"), "squared")
    axes = plot_regions(ensemble, columns, np.column_stack([values, values]))
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    assert low < min(values) <= max(values) < high
