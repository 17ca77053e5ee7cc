"""The table of totals: every sum of points, and groups of lines with enough rows."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.special import expit
from simplify.tables import for_all

from sorb.losses import Logistic
from sorb.simplify.card_totals import ObservedTotal, possible_totals, total_lines
from sorb.simplify.points import LogOddsLine

points = st.lists(st.integers(1, 40), min_size=1, max_size=7)
LINE = LogOddsLine(0.1, -2.0)


def sums(numbers):
    subsets = chain.from_iterable(combinations(numbers, n) for n in range(len(numbers) + 1))
    return sorted({sum(subset) for subset in subsets})


@for_all(points, st.integers(-50, 700))
def test_every_sum_is_possible_and_no_other(numbers, start):
    assert [*possible_totals(numbers, start)] == [start + total for total in sums(numbers)]


@for_all(points)
def test_every_total_is_on_one_of_few_lines_with_its_probability(numbers):
    totals = sums(numbers)
    lines = total_lines(totals, LINE, Logistic())
    assert len(lines) <= 24
    for total in totals:
        (line,) = [line for line in lines if line.lowest <= total <= line.highest]
        low, high = line.probabilities
        assert low - 1e-12 <= expit(LINE(np.array([total]))[0]) <= high + 1e-12
    if len(totals) <= 24:
        assert [line.lowest for line in lines] == totals


@for_all(points, st.data())
def test_rows_are_counted_once_in_groups_of_enough(numbers, data):
    totals = sums(numbers)
    counts = data.draw(st.lists(st.integers(0, 15), min_size=len(totals), max_size=len(totals)))
    observed = [
        ObservedTotal(t, float(n), float(n // 3)) for t, n in zip(totals, counts, strict=True) if n
    ]
    lines = total_lines(totals, LINE, Logistic(), observed)
    heads = [line for line in lines if line.lines]
    assert sum(line.lines for line in heads) == len(lines)
    assert sum(line.rows for line in heads) == sum(counts)
    assert sum(line.share * line.rows for line in heads if line.rows) == pytest.approx(
        sum(n // 3 for n in counts)
    )
    places = np.flatnonzero([line.lines for line in lines])
    on_line = [
        sum(o.rows for o in observed if line.lowest <= o.total <= line.highest) for line in lines
    ]
    for place, head in zip(places, heads, strict=True):
        # Many rows stand alone, and few rows only until there are enough.
        assert head.lines == 1 or max(on_line[place : place + head.lines]) < 10
        assert sum(on_line[place : place + head.lines - 1]) < 10


def test_negative_slopes_print_ranges_in_order():
    (line, *_) = total_lines(range(100), LogOddsLine(-0.1, 0.0), Logistic())
    assert line.total == "0–4"
    assert line.probability == "40.1–50.0 %"


def test_few_rows_are_counted_and_many_are_a_percentage():
    observed = [
        ObservedTotal(0, 40.0, 10.0),
        ObservedTotal(1, 3.0, 2.0),
        ObservedTotal(4, 2.0, 2.0),
    ]
    lines = total_lines([0, 1, 4, 9], LINE, Logistic(), observed)
    assert [line.observed for line in lines] == ["25.0 % of 40", "4 of 5", "", ""]
    alone = total_lines([0, 9], LINE, Logistic(), observed[:1])
    assert alone[1].observed == "no rows"
