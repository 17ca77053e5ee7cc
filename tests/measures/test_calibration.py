import numpy as np
import pytest

from sorb.measures.calibration import calibration_error


def bin_by_bin(p, y, weight):
    """The sum over bins of |Σ weight·(p − y)|, one bin after the other."""
    total = 0.0
    for k in range(10):
        inside = [i for i in range(len(p)) if min(int(10 * p[i]), 9) == k]
        total += abs(sum(weight[i] * (p[i] - y[i]) for i in inside))
    return total / sum(weight)


def test_it_is_the_mean_distance_over_bins():
    rng = np.random.default_rng(5)
    p, y, weight = rng.random(80), rng.random(80) < 0.5, rng.uniform(0, 2, 80)
    found = calibration_error(p[:, None], y[:, None], weight)
    assert found == pytest.approx(bin_by_bin(p, y, weight))


def test_an_infinite_expectation_is_infinitely_wrong():
    rows = np.zeros((2, 1))
    assert calibration_error(rows, rows, np.ones(2), (0.0, np.inf)) == np.inf
