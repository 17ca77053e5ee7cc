import math
import statistics
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.lab.curves import TradeOffCurve
from sorb.lab.statistics import (
    area,
    average,
    complexity_at,
    coverage,
    largest_within,
    least_within,
    mean_curve,
    mean_estimate,
    median_complexity_at,
    median_estimate,
    seconds_at,
    seconds_estimate,
)

risks = st.floats(0.0, 1.5)
points = st.lists(st.tuples(st.integers(1, 140), risks), min_size=1, max_size=8)


def made(pairs, steps=None):
    """A curve from pairs of complexity and risk."""
    complexity, risk = np.array(pairs, dtype=float).reshape(-1, 2).T
    steps = np.arange(1, len(complexity) + 1) if steps is None else np.array(steps)
    return TradeOffCurve(steps, complexity, 0.9 * risk, risk, 0.1 * steps)


# --- means over repetitions


def test_risks_may_be_infinite_or_nearly_so():
    curves = [made([(2, 1e308), (4, np.inf)]), made([(2, -1e308), (4, 1.0)])]
    assert mean_curve(curves).value.tolist() == [0.0, np.inf]
    assert average(curves).mean == np.inf
    assert area(made([(2, 1e308)])) == np.inf


def test_average_leaves_out_sizes_beyond_the_budget():
    found = average([made([(10, 0.8), (50, 0.6), (90, 0.4), (130, 0.0)])])
    assert found.mean == pytest.approx(0.6)
    assert found.spread == pytest.approx(math.sqrt((0.04 + 0 + 0.04) / 3))
    assert found.margin == pytest.approx(1.96 * 0.2 / math.sqrt(3))


def test_average_decides_by_the_mean_complexity():
    # The second point costs 100 on average, the third 105.
    both = [made([(10, 0.8), (90, 0.4), (95, 0.1)]), made([(20, 0.6), (110, 0.2), (115, 0.1)])]
    assert average(both).mean == pytest.approx((0.7 + 0.3) / 2)


def test_average_of_the_training_rows():
    assert average([made([(10, 0.5)])], "train").mean == pytest.approx(0.45)


def test_average_keeps_the_last_model_of_a_repetition_that_stopped():
    assert average([made([(10, 0.5)]), made([(10, 0.7), (20, 0.1)])]).mean == pytest.approx(0.45)


def test_average_takes_the_constant_model_before_the_first():
    # The first repetition has no model of the first size: complexity 0, risk 1.
    both = [made([(20, 0.4)], steps=[2]), made([(10, 0.6), (20, 0.2)])]
    found = mean_curve(both)
    assert found.complexity.tolist() == [5, 20]
    assert found.value == pytest.approx([0.8, 0.3])


def test_average_of_one_point_has_no_spread():
    found = average([made([(10, 0.5)])])
    assert (found.mean, found.spread, found.margin) == (0.5, 0, 0)


def test_average_of_no_affordable_point_is_not_a_number():
    assert np.isnan(average([made([(101, 0.5)])]).mean)


def test_average_of_a_method_without_complexity_takes_all_its_models():
    assert average([made([(np.nan, 0.5), (np.nan, 0.3)])]).mean == pytest.approx(0.4)


def slow_average(pairs_of_all):
    length = max(map(len, pairs_of_all))
    padded = [pairs + [pairs[-1]] * (length - len(pairs)) for pairs in pairs_of_all]
    kept = []
    for k in range(length):
        if statistics.fmean(pairs[k][0] for pairs in padded) <= 100:
            kept.append(statistics.fmean(pairs[k][1] for pairs in padded))
    return statistics.fmean(kept) if kept else math.nan


@settings(max_examples=60)
@given(st.lists(points, min_size=1, max_size=5))
def test_average_agrees_with_plain_loops(pairs_of_all):
    found = average([made(pairs) for pairs in pairs_of_all]).mean
    assert found == pytest.approx(slow_average(pairs_of_all), nan_ok=True)


def test_margins_are_those_of_student():
    found = mean_curve([made([(10, 0.2)]), made([(12, 0.4)]), made([(14, 0.6)])])
    # t(0.975, 2) = 4.3027; standard deviations 2 and 0.2
    assert found.complexity_margin == pytest.approx([4.302653 * 2 / math.sqrt(3)])
    assert found.value_margin == pytest.approx([4.302653 * 0.2 / math.sqrt(3)])
    estimate = mean_estimate([0.2, 0.4, 0.6])
    assert (estimate.low + estimate.high) / 2 == pytest.approx(0.4)
    assert estimate.high - estimate.value == pytest.approx(found.value_margin[0])


def test_one_repetition_has_no_margin():
    found = mean_curve([made([(10, 0.2), (20, 0.1)])])
    assert found.value_margin.tolist() == [0, 0]


def test_the_mean_of_one_repetition_has_no_interval():
    estimate = mean_estimate([0.2])
    assert (estimate.value, math.isnan(estimate.low), math.isnan(estimate.high)) == (
        0.2, True, True
    )  # fmt: skip


@pytest.mark.parametrize("values", [[1e308, 1e308, -1e308], [math.inf, 0.5], [math.inf, math.inf]])
def test_the_interval_of_infinite_values_is_unknown_without_a_warning(values):
    estimate = mean_estimate(values)
    assert not math.isfinite(estimate.high - estimate.low)


# --- one repetition


def test_area_is_one_before_the_first_model():
    # 1 on c = 1 … 9, then 0.5 on c = 10 … 59, then 0.2 on c = 60 … 100
    expected = (9 * 1 + 50 * 0.5 + 41 * 0.2) / 100
    assert area(made([(10, 0.5), (60, 0.2)])) == pytest.approx(expected)


def test_area_ignores_models_beyond_the_budget():
    assert area(made([(101, 0.0)])) == 1


@settings(max_examples=60)
@given(points)
def test_area_agrees_with_plain_loops(pairs):
    total = 0.0
    for budget in range(1, 101):
        affordable = [(c, step) for step, (c, _) in enumerate(pairs) if c <= budget]
        total += pairs[max(affordable)[1]][1] if affordable else 1.0
    assert area(made(pairs)) == pytest.approx(total / 100)


@pytest.mark.parametrize(("reduction", "expected"), [(0.25, 7), (0.5, 20), (0.75, np.inf)])
def test_complexity_at_a_reduction(reduction, expected):
    # 0.1 comes too late, at a complexity of more than 100.
    pairs = [(4, 0.9), (7, 0.75), (30, 0.45), (20, 0.5), (101, 0.1)]
    assert complexity_at(made(pairs), reduction) == expected


def test_median_complexity_counts_a_miss_as_infinite():
    hit, miss = made([(5, 0.1)]), made([(5, 0.9)])
    assert median_complexity_at([hit, hit, miss], 0.5) == 5
    assert median_complexity_at([hit, miss, miss], 0.5) == np.inf


def test_within_a_complexity_the_least_and_the_largest_model():
    found = made([(10, 0.4), (50, 0.6), (51, 0.1)])
    assert (least_within(found, "test"), largest_within(found, "test")) == (0.4, 0.6)
    assert least_within(found, "train") == pytest.approx(0.36)


def test_least_risk_may_be_worse_than_none():
    assert least_within(made([(10, 1.2)]), "test") == 1.2


def test_without_a_model_within_the_complexity_the_risk_is_one():
    found = made([(51, 0.1)])
    assert (least_within(found, "test"), largest_within(found, "test")) == (1, 1)
    assert np.isnan(seconds_at(found, 50))


def test_of_models_of_the_same_complexity_the_last_is_the_largest():
    assert largest_within(made([(10, 0.4), (10, 0.3)]), "test") == 0.3


def test_seconds_are_those_of_the_median_complexity():
    # 25 % are gone at complexities 8, 10 and 12, in steps 2, 2 and 1: the median is 10, within
    # which the third repetition has no model.
    repetitions = [
        made([(4, 0.9), (8, 0.7), (10, 0.6)]),
        made([(4, 0.9), (10, 0.7)]),
        made([(12, 0.7)]),
    ]
    found = seconds_estimate(repetitions, 0.25)
    assert (found.value, found.repetitions) == (pytest.approx(0.25), 2)


def test_seconds_are_infinite_if_the_target_is_not_reached():
    assert seconds_estimate([made([(4, 0.9)])], 0.25).value == np.inf


# --- medians


def test_fifteen_repetitions_take_the_fifth_and_the_eleventh():
    found = median_estimate([float(k) for k in range(15, 0, -1)])
    assert (found.low, found.value, found.high) == (5, 8, 11)
    assert coverage(15) == pytest.approx(0.8815, abs=1e-4)


@pytest.mark.parametrize("n", [5, 8, 10, 15, 20, 31])
def test_coverage_is_enough_and_not_by_much(n):
    found = median_estimate([float(k) for k in range(1, n + 1)])
    low, high = int(found.low), int(found.high)
    assert low + high == n + 1
    inner = sum(math.comb(n, j) for j in range(low + 1, high - 1)) / 2**n
    assert coverage(n) >= 0.88 > inner


@pytest.mark.parametrize(("n", "expected"), [(1, 0), (2, 0.5), (3, 0.75), (4, 0.875)])
def test_few_repetitions_cover_what_they_can(n, expected):
    assert coverage(n) == expected


def test_coverage_is_true_for_a_symmetric_law():
    """Count all patterns of six values below and above the median."""
    n = 6
    found = median_estimate([float(k) for k in range(1, n + 1)])
    low, high = int(found.low), int(found.high)
    covered = sum(
        1 for size in range(n + 1) for _ in combinations(range(n), size) if low <= size < high
    )
    assert coverage(n) == covered / 2**n


def test_median_of_an_even_number_with_misses():
    found = median_estimate([3.0, 5.0, np.inf, np.inf])
    assert (found.value, found.low, found.high) == (np.inf, 3, np.inf)


def test_the_median_of_nothing_is_unknown():
    found = median_estimate([])
    assert found.repetitions == 0
    assert np.isnan([found.value, found.low, found.high]).all()
