import numpy as np
import pytest
from scipy.stats import binomtest

from sorb.measures.estimate import estimate_share, grouped_variance, wilson


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
    expected = wilson(0.7, 40)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.003)
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


def test_the_variance_of_a_sum_over_groups():
    deviation, group = np.array([1.0, 2.0, -3.0]), np.array([0, 0, 1])
    assert grouped_variance(deviation, group) == (9 + 9) * 2
    assert grouped_variance(deviation, np.zeros(3, dtype=int)) == np.inf
