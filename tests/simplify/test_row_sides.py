"""Gaps between rows, in which a threshold may move."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from simplify.tables import for_all, source_of

from sorb.rules import Product, Proposition
from sorb.simplify.row_sides import RowSides, _limits, _nearest_rows, _tolerant_limits


@for_all(st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.data())
def test_gaps_with_and_without_tolerance_agree(sums, data):
    column = np.array(sums, dtype=float)
    threshold = data.draw(st.sampled_from(sums)) - 0.3
    p = Proposition(("a",), (1.0,), threshold)
    covered = p(column[:, None], ["a"])
    assert _limits(column, covered, 0) == _tolerant_limits(column, covered, 0)


@for_all(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=1), st.integers(0, 4))
def test_tolerant_limits_are_those_of_a_search_through_all_thresholds(rows, allowed):
    edges = sorted({-np.inf, np.inf, *(float(value) for value, _ in rows)})
    changes = [
        sum((value > lower) != covered for value, covered in rows) for lower in edges[:-1]
    ]  # of a threshold between an edge and the next
    first = last = int(np.argmin(changes))
    while first > 0 and changes[first - 1] <= allowed:
        first -= 1
    while last + 1 < len(changes) and changes[last + 1] <= allowed:
        last += 1
    expected = (edges[first], edges[last + 1]) if min(changes) <= allowed else None
    values, covered = map(np.array, zip(*rows, strict=True))
    assert _tolerant_limits(values.astype(float), covered, allowed) == expected


def test_no_threshold_of_tolerant_limits_lies_between_equal_values():
    values, covered = np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True])
    assert _tolerant_limits(values, covered, 1) == (1.0, 3.0)


def test_only_rows_near_the_boundary_are_sorted():
    values = np.random.default_rng(0).permutation(1000.0 * np.arange(1000))
    near, covered = _nearest_rows(values, values >= 500_000, 3)
    assert sorted(near) == [1000.0 * i for i in range(496, 504)]
    assert (covered == (near >= 500_000)).all()


@for_all(st.lists(st.integers(-6, 6), min_size=1, max_size=9), st.integers(0, 3), st.data())
def test_all_thresholds_of_a_tolerant_gap_change_few_rows(values, allowed, data):
    a = np.array(values, dtype=float)
    b = np.array(data.draw(st.lists(st.integers(-6, 6), min_size=len(a), max_size=len(a))), float)
    rows = RowSides.of(Proposition(("a", "b"), (1.0, 0.5), 0.25), source_of(a=a, b=b), allowed)
    weights = (1.0, 0.4)
    gap = rows.gap(Proposition(("a", "b"), weights, 0.25))
    errors = {
        t: len(rows.changed_rows(Proposition(("a", "b"), weights, t)))
        for t in np.arange(-12, 12, 0.1)
    }
    if gap is None:
        assert min(errors.values()) > allowed
    else:
        inside = [count for t, count in errors.items() if gap.lower < t <= gap.upper]
        assert all(count <= allowed for count in inside)


def test_no_gap_has_a_threshold_that_a_product_cannot_have():
    # To the fifth, the covered value underflows, and only 0 would still cover it.
    root = Product(("a",), (0.5,), 1e-60)
    rows = RowSides.of(root, source_of(a=np.array([1e-100])))
    assert rows.gap(replace(root, powers=(5.0,), threshold=1.0)) is None
    # A product of 0 is covered, the smallest float is not, and nothing lies between.
    least = Product(("a",), (2.0,), 5e-324, at_most=True)
    table = np.array([1e-200, 2.2e-162])
    assert least(table[:, None], ["a"]).all()
    assert RowSides(source_of(a=table), np.array([True, False])).gap(least) is None


def test_there_is_no_gap_if_a_missing_value_would_change_side():
    exact = Proposition(("a",), (1.0,), 2.5, missing=True)
    rows = RowSides.of(exact, source_of(a=np.array([1.0, 3.0, np.nan])))
    assert rows.gap(exact).roundest == 2
    assert rows.gap(replace(exact, missing=False)) is None


# ---- gaps and margins worked out by hand ----


def sides_of(proposition, *values, changes=0):
    return RowSides.of(proposition, source_of(a=np.array(values)), changes)


def at_least(threshold):
    return Proposition(("a",), (1.0,), threshold)


def test_a_gap_lies_between_the_nearest_rows_and_is_a_share_of_their_spread():
    p = at_least(5.5)
    gap = sides_of(p, 0.0, 4.0, 7.0, 12.0).gap(p)
    assert (gap.lower, gap.upper, gap.relative_width) == (4.0, 7.0, 0.25)


def test_the_gap_of_a_product_is_a_share_of_the_spread_of_logarithms():
    p = Product(("a",), (2.0,), 50.0)
    gap = sides_of(p, 0.0, 0.1, 1.0, 10.0, 100.0).gap(p)
    assert (gap.lower, gap.upper) == (1.0, 100.0)
    assert gap.relative_width == pytest.approx(2 / 6)


def test_a_gap_of_at_most_is_negated():
    p = Product(("a",), (1.0,), 50.0, at_most=True)
    gap = sides_of(p, 1.0, 10.0, 100.0, 1000.0).gap(p)
    assert (gap.lower, gap.upper, gap.sign) == (-100.0, -10.0, -1.0)
    assert gap.relative_width == pytest.approx(1 / 3)
    assert gap.roundest == 50.0  # of one digit and near the middle, 55


def test_where_no_row_is_outside_the_threshold_moves_up_to_the_rows():
    p = at_least(3.25)
    gap = sides_of(p, 5.0, 6.0).gap(p)
    assert (gap.lower, gap.upper) == (math.nextafter(3.25, 0.0), 5.0)
    assert gap.relative_width == 1.0
    # Another direction may have its rows below the threshold.
    gap = sides_of(p, 5.0, 6.0).gap(at_least(7.0))
    assert (gap.lower, gap.upper) == (math.nextafter(5.0, 0.0), 5.0)


def test_where_no_row_is_covered_the_threshold_moves_down_to_the_rows():
    p = at_least(8.25)
    gap = sides_of(p, 5.0, 6.0).gap(p)
    assert (gap.lower, gap.upper) == (6.0, 8.25)
    gap = sides_of(p, 5.0, 6.0).gap(at_least(4.0))
    assert (gap.lower, gap.upper) == (6.0, math.nextafter(6.0, 7.0))


def test_products_too_small_for_a_float_leave_the_threshold_positive():
    p = Product(("a",), (2.0,), 3.0)
    gap = sides_of(p, 1e-200, 5.0).gap(p)
    assert (gap.lower, gap.upper) == (0.0, 25.0)
    p = replace(p, at_most=True)
    gap = sides_of(p, 1e-200, 5.0).gap(p)
    assert (gap.lower, gap.upper) == (-25.0, -5e-324)


def test_rows_of_one_value_have_no_spread():
    for p in (at_least(2.0), Product(("a",), (2.0,), 2.0)):
        assert sides_of(p, 3.0, 3.0).gap(p).relative_width == 1.0
        assert sides_of(p, 1e-200).gap(p).relative_width == 1.0


def test_a_gap_may_be_as_wide_as_all_floats():
    p = at_least(0.5)
    assert sides_of(p, -1.7e308, 1.7e308).gap(p).relative_width == 1.0
    assert sides_of(p, -1.7e308, 0.0, 1.7e308).gap(p).relative_width == 0.5


def test_there_is_no_gap_between_infinities_or_unknown_values():
    p = at_least(0.5)
    assert sides_of(p, -np.inf, np.inf).gap(p) is not None
    assert sides_of(p, -np.inf, np.inf).gap(p).relative_width == 1.0
    assert sides_of(p, np.nan).gap(p) is None


def test_a_margin_is_a_share_of_the_farthest_distance():
    p = at_least(4.0)
    assert sides_of(p, 2.0, 5.0, 12.0, np.nan, np.inf).margin(p) == (1.0, 0.125)
    assert sides_of(p, 4.0, 4.0).margin(p) == (0.0, 0.0)
    assert sides_of(p, np.nan).margin(p) == (None, None)


@pytest.mark.parametrize(("changes", "lower", "upper"), [(0, 3.0, 4.0), (1, 2.0, 6.0)])
def test_rows_that_may_change_side_widen_the_gap(changes, lower, upper):
    p = at_least(3.5)
    gap = sides_of(p, 1.0, 2.0, 3.0, 4.0, 6.0, changes=changes).gap(p)
    assert (gap.lower, gap.upper) == (lower, upper)
