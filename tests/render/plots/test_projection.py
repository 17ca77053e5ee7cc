import numpy as np
import pandas as pd
import pytest
from render.models import HEAVY, MEMBER, OLD, people

from sorb import Membership, Product, Proposition
from sorb.render import plot_projection

TABLE = people()
OUTCOMES = np.where(np.arange(len(TABLE)) % 3 == 0, "ill", "well")
UNITS = {"age": "years", "weight": "kg", "height": "cm"}


def strips(axes):
    """The bars of each strip as (left, right, height), from top to bottom."""
    found = {}
    for bar in axes.patches:
        if bar.get_y() == round(bar.get_y()) and bar.get_height() <= 0:
            left, right = bar.get_x(), bar.get_x() + bar.get_width()
            found.setdefault(round(bar.get_y()), []).append((left, right, -bar.get_height()))
    return [np.array(found[place]) for place in sorted(found)]


def cut(axes):
    (line,) = (line for line in axes.lines if line.get_linestyle() == "--")
    return float(line.get_xdata()[0])


def labels(axes):
    return [label.get_text().split("\n") for label in axes.get_yticklabels()]


def share_below(bars, place):
    return bars[bars[:, 1] <= place + 1e-12, 2].sum() / bars[:, 2].sum()


@pytest.mark.parametrize("proposition", [OLD, HEAVY, Proposition(("age",), (-1.0,), -40.0)])
def test_bars_hold_the_rows_of_each_outcome(proposition):
    axes = plot_projection(proposition, TABLE, OUTCOMES, units=UNITS)
    known = TABLE[list(proposition.columns)].notna().all(axis=1)
    for bars, kind, label in zip(strips(axes), ["ill", "well"], labels(axes), strict=True):
        chosen = kind == OUTCOMES
        covered = proposition(TABLE[chosen])
        assert label[:3] == [
            kind,
            f"{chosen.sum()} rows",
            f"{100 * covered.mean():.0f} % covered",
        ]
        why = "not positive or missing" if proposition is HEAVY else "missing"
        said = "covered" if proposition is HEAVY else "not covered"
        assert " ".join(label[3:]) == f"{(chosen & ~known).sum()} {why}: {said}"
        held = proposition(TABLE[chosen & known]).mean()
        above = axes.get_title(loc="right") == "covered"
        below = share_below(bars, cut(axes))
        assert below == pytest.approx(1 - held if above else held)


def test_no_bar_is_on_both_sides():
    axes = plot_projection(OLD, TABLE, OUTCOMES)
    for bars in strips(axes):
        assert not ((bars[:, 0] < cut(axes) - 1e-9) & (bars[:, 1] > cut(axes) + 1e-9)).any()


@pytest.mark.parametrize(
    ("proposition", "label", "place", "side"),
    [
        (OLD, "age − 0.05 height", 30.0, "right"),
        (Proposition(("age",), (-3.0,), -120.0), "age (years)", 40.0, "left"),
        (Proposition(("age", "weight"), (2.0, -3.0), 5.0), "2 age − 3 weight", 5.0, "right"),
        (Proposition(("age", "weight"), (-2.0, 3.0), 5.0), "2 age − 3 weight", -5.0, "left"),
        (HEAVY, "weight / height² (kg/cm²)", 0.0025, "right"),
        (Product(("weight",), (2.0,), 4900.0, at_most=True), "weight² (kg²)", 4900.0, "left"),
    ],
)
def test_the_axis_reads_like_the_printed_proposition(proposition, label, place, side):
    axes = plot_projection(proposition, TABLE, OUTCOMES, units=UNITS)
    assert axes.get_xlabel() == label
    assert cut(axes) == pytest.approx(place)
    assert axes.get_title(loc=side) == "covered"
    assert isinstance(proposition, Product) == (axes.get_xscale() == "log")
    printed = proposition.format(3, UNITS)
    (said,) = (text.get_text() for text in axes.texts)
    assert said.removeprefix("cut at ") in printed


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_rows_on_the_cut_are_on_their_side(sign):
    at_forty = Proposition(("age",), (sign,), sign * 40.0)
    table = pd.DataFrame({"age": [30.0, 40.0, 40.0, 40.0, 50.0, 60.0]})
    axes = plot_projection(at_forty, table, ["a"] * 6)
    (bars,) = strips(axes)
    below = share_below(bars, 40.0)
    assert below == pytest.approx(1 / 6 if sign > 0 else 4 / 6)


@pytest.mark.parametrize("negated", [False, True])
def test_categories_of_the_set_come_first(negated):
    axes = plot_projection(Membership("group", ("A", "AB"), negated), TABLE, OUTCOMES)
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert set(ticks[:2]) == {"A", "AB"}
    assert cut(axes) == 1.5
    assert axes.get_title(loc="right" if negated else "left") == "covered"
    counts = TABLE["group"][OUTCOMES == "ill"].value_counts()
    heights = strips(axes)[0][:, 2]
    assert heights / heights.sum() == pytest.approx([counts[t] / counts.sum() for t in ticks])


@pytest.mark.parametrize(
    ("named", "ticks", "places"),
    [(10, 30, [29]), (58, 30, [27]), (30, 30, [14, 29]), (29, 30, [14, 29])],
)
def test_categories_without_room_have_their_share_written(named, ticks, places):
    kinds = [f"k{k:02}" for k in range(60)]
    kind = np.repeat(kinds, np.arange(60, 0, -1))
    y = np.where(np.arange(len(kind)) % 3 == 0, "ill", "well")
    axes = plot_projection(
        Membership("kind", tuple(kinds[:named])), pd.DataFrame({"kind": kind}), y
    )
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert len(shown) == ticks
    assert [k for k, text in enumerate(shown) if text.endswith(" more")] == places
    hidden = sum(int(shown[place].split()[0]) for place in places)
    assert hidden + ticks - len(places) == len(kinds)
    listed = pd.Series(kind).isin(shown).to_numpy()
    inside = pd.Series(kind).isin(kinds[:named]).to_numpy()
    said = [float(text.get_text().split()[0]) for text in axes.texts]
    # From top to bottom, and in each strip from left to right.
    expected = [
        100 * np.mean((~listed & (inside == (place < cut(axes))))[y == outcome])
        for outcome in ("ill", "well")
        for place in places
    ]
    assert said == pytest.approx(expected, abs=0.51)
    for bars in strips(axes):
        assert len(bars) == ticks
        assert (bars[places, 2] == 0).all()


def test_missing_or_known():
    axes = plot_projection(Membership("weight", (), missing=True), TABLE, OUTCOMES)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["measured", "missing"]
    assert axes.get_title(loc="right") == "covered"
    absent = TABLE["weight"].isna()[OUTCOMES == "ill"].mean()
    heights = strips(axes)[0][:, 2]
    assert heights[1] / heights.sum() == pytest.approx(absent)


@pytest.mark.parametrize(("missing", "said"), [(False, "not covered"), (True, "covered")])
def test_what_is_not_positive_is_counted_with_what_is_missing(missing, said):
    table = pd.DataFrame({"weight": [80.0, 90.0, 0.0, -1.0, np.nan]})
    squared = Product(("weight",), (2.0,), 10.0, missing=missing)
    (label,) = labels(plot_projection(squared, table, ["a"] * 5))
    assert " ".join(label[3:]) == f"3 not positive or missing: {said}"


@pytest.mark.parametrize(("missing", "said"), [(False, "not covered"), (True, "covered")])
def test_missing_categories_are_said_where_they_go(missing, said):
    table = pd.DataFrame({"group": ["A", "B", None]})
    (label,) = labels(plot_projection(Membership("group", ("A",), missing=missing), table, [1] * 3))
    assert label[3] == f"1 missing: {said}"


def test_numbers_are_divided_at_their_median():
    y = np.arange(len(TABLE)) * 1.5
    names = [label[:2] for label in labels(plot_projection(MEMBER, TABLE, y))]
    assert names == [["outcome < 149", "100 rows"], ["outcome ≥ 149", "100 rows"]]


@pytest.mark.parametrize("kind", [np.float64, np.uint8])
def test_where_half_of_all_numbers_are_the_lowest_it_is_divided_from_the_others(kind):
    y = np.maximum(np.arange(len(TABLE)) - 119, 0).astype(kind)
    names = [label[:2] for label in labels(plot_projection(MEMBER, TABLE, y))]
    assert names == [["outcome = 0", "120 rows"], ["outcome > 0", "80 rows"]]


def test_the_median_of_small_integers_is_not_beyond_them():
    y = (np.arange(len(TABLE)) + 50).astype(np.uint8)
    names = [label[:2] for label in labels(plot_projection(MEMBER, TABLE, y))]
    assert names == [["outcome < 150", "100 rows"], ["outcome ≥ 150", "100 rows"]]


def test_few_numbers_are_classes():
    y = np.arange(len(TABLE)) % 3
    assert [label[0] for label in labels(plot_projection(MEMBER, TABLE, y))] == ["0", "1", "2"]


def test_arrays_need_names():
    axes = plot_projection(
        Proposition(("b",), (1.0,), 2.0), np.array([[0.0, 1.0], [0.0, 3.0]]), [0, 1], columns="ab"
    )
    assert labels(axes)[1] == ["1", "1 row", "100 % covered"]


def test_all_rows_alike():
    table = pd.DataFrame({"age": [40.0, 40.0]})
    axes = plot_projection(Proposition(("age",), (1.0,), 40.0), table, ["a", "a"])
    assert labels(axes) == [["a", "2 rows", "100 % covered"]]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"], "one outcome for each of the 200 rows"),
        ([f"k{k}" for k in range(200)], "at most 8 classes, found 200"),
    ],
)
def test_outcomes_are_checked(y, message):
    with pytest.raises(ValueError, match=message):
        plot_projection(MEMBER, TABLE, y)


def test_rows_over_an_exposure_are_divided_by_their_rates():
    table = pd.DataFrame({"age": np.arange(20.0)})
    years = np.where(table["age"] < 10, 10.0, 1.0)
    # The counts of both halves are about the same, and their rates are not.
    y = np.where(table["age"] < 10, 21.0, 10.0) + table["age"]
    axes = plot_projection(Proposition(("age",), (1.0,), 10.0), table, y, exposure=years)
    assert [label[0] for label in labels(axes)] == ["rate < 11.5", "rate ≥ 11.5"]
    assert [label[2] for label in labels(axes)] == ["0 % covered", "100 % covered"]


def test_classes_have_no_rates():
    with pytest.raises(ValueError, match="y holds 'ill' in row 0: expected a number"):
        plot_projection(OLD, TABLE, OUTCOMES, exposure=np.ones(len(TABLE)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [Proposition, Product])
@pytest.mark.parametrize(
    ("cut", "values"),
    [
        (1e-323, (5e-324, 1e-323, 2e-323)),
        (1e17, (1e17, 1e17, 1e17 + 16)),
        (1e-300, (5e-324, 1.0, 1e299)),
        (1e299, (5e-324, 1.0, 1e299)),
    ],
)
def test_quantities_of_any_size_are_drawn(kind, cut, values):
    table = np.array(values)[:, None]
    axes = plot_projection(kind(("x",), (1.0,), cut), table, list("aba"), columns=("x",))
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    assert low < cut < high
    assert [bars[:, 2].max() for bars in strips(axes)] == pytest.approx([0.8, 0.8])
