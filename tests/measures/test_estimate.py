import numpy as np
import pytest
from scipy.stats import binomtest, norm, t

from sorb.measures.estimate import Units, estimate_share, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 5), (3, 10), (97, 100), (20, 20)])
def test_wilsons_interval_is_that_of_scipy(k, n):
    found = wilson(k / n, n)
    expected = binomtest(k, n).proportion_ci(0.95, "wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.low <= found.value <= found.high


def test_only_rows_that_count_are_counted():
    hit = np.array([True, True, False, True])
    among = np.array([True, True, True, False])
    found = estimate_share(hit, among, np.array([1.0, 2.0, 3.0, 9.0]))
    assert found == wilson(0.5, 6)
    assert estimate_share(hit, ~among & ~hit, np.ones(4)) is None


def test_groups_of_equal_rows_count_once_each():
    once = np.arange(40) < 28
    group, hit = np.repeat(np.arange(40), 6), np.repeat(once, 6)
    everything = np.ones(240, dtype=bool)
    found = estimate_share(hit, everything, np.ones(240), group)
    # Student's quantile, for a variance that is known from 40 groups.
    expected = wilson(0.7, 39 * (norm.ppf(0.975) / t.ppf(0.975, 39)) ** 2)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert estimate_share(hit, everything, np.ones(240)).low > expected.low + 0.05


def test_groups_of_one_row_change_little():
    hit, everything = np.arange(50) < 30, np.ones(50, dtype=bool)
    alone = estimate_share(hit, everything, np.ones(50), np.arange(50))
    plain = estimate_share(hit, everything, np.ones(50))
    assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_hits_alone_count_as_one_for_each_group():
    everything = np.ones(12, dtype=bool)
    found = estimate_share(everything, everything, np.ones(12), np.repeat([0, 1, 2], 4))
    assert found == wilson(1.0, 3)


def test_the_variance_of_a_sum():
    deviation = np.array([1.0, 2.0, -3.0])
    assert Units.of(np.ones(3)).variance(deviation) == 14
    assert Units.of(np.array([1.0, 2.0, 3.0])).variance(deviation) == 1 + 2 + 3
    assert Units.of(np.ones(3), np.array([0, 0, 1])).variance(deviation) == 9 + 9


def test_weights_that_are_no_copies_say_how_much_rows_count_not_how_many_there_are():
    rng = np.random.default_rng(4)
    hit, everything = rng.random(50) < 0.7, np.ones(50, dtype=bool)
    plain = estimate_share(hit, everything, np.ones(50))
    for unit in (0.013, 37.5):
        found = estimate_share(hit, everything, np.full(50, unit))
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high))
    uneven = estimate_share(everything, everything, np.array([0.5, 99.5] * 25))
    assert uneven.low == pytest.approx(wilson(1.0, 25 * 100**2 / (99.5**2 + 0.5**2)).low)


@pytest.mark.parametrize("unit", [1.0, 0.1, 12.3])
def test_intervals_with_weights_cover_the_truth_as_often_as_they_say(unit):
    rng = np.random.default_rng(3)

    def covers():
        p = rng.random(150)  # rows with a high p have a high weight
        found = estimate_share(rng.random(150) < p, p < 2, unit * (0.5 + p))
        return found.low <= (0.25 + 1 / 3) <= found.high

    assert 0.92 < np.mean([covers() for _ in range(500)]) < 0.98


@pytest.mark.parametrize(("n_groups", "share"), [(6, 0.3), (30, 0.1), (30, 0.5)])
def test_intervals_of_few_groups_cover_the_truth_as_often_as_they_say(n_groups, share):
    rng = np.random.default_rng(5)

    def covers():
        group = np.repeat(np.arange(n_groups), rng.geometric(1 / 5, n_groups))
        hit = (rng.random(n_groups) < share)[group]
        found = estimate_share(hit, group >= 0, np.ones(len(group)), group)
        return found.low <= share <= found.high

    assert np.mean([covers() for _ in range(400)]) > 0.9


def test_a_single_group_tells_nothing_unless_all_its_rows_are_alike():
    hit, group = np.array([True, False, True]), np.zeros(3, dtype=int)
    found = estimate_share(hit, hit | ~hit, np.ones(3), group)
    assert (found.value, found.low, found.high) == (pytest.approx(2 / 3), 0.0, 1.0)
    assert estimate_share(hit, hit, np.ones(3), group) == wilson(1.0, 1)


def test_all_hits_are_all_of_them_whatever_the_weights():
    hit = np.ones(49, dtype=bool)
    found = estimate_share(hit, hit, np.full(49, 0.1), np.arange(49) // 7)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(wilson(1.0, 7).low)
