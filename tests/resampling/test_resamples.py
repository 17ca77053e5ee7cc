"""Bootstrap samples by what the rows hold."""

import numpy as np
import pytest

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.resampling.resamples import draw_resamples

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = RNG.normal(size=200)


def draw(X, y, weight=None, groups=None, count=5, kind=LLTBoostRegressor):
    data = kind()._table(X, y, weight, groups).data
    return draw_resamples(data, count, 0, near_duplicates=False)


def held(X, resamples):
    """What each sample holds: rows with their weights, in some order of the rows."""
    found = []
    for sample in resamples:
        rows = np.c_[X[sample.row], sample.weight]
        found.append(rows[np.lexsort(rows.T)])
    return found


def test_each_row_is_drawn_as_often_as_in_a_bootstrap():
    samples = draw(X, Y, count=200)
    counts = np.zeros((200, 200))
    for k, sample in enumerate(samples):
        counts[k, sample.row] = sample.weight
    # The mean and the variance of a Poisson distribution of mean 1: four standard errors.
    assert counts.mean() == pytest.approx(1, abs=4 / 200)
    assert counts.var() == pytest.approx(1, abs=4 * np.sqrt(3) / 200)
    assert (counts == counts.round()).all()


def test_the_order_of_the_rows_does_not_matter():
    order = RNG.permutation(200)
    for ours, theirs in zip(
        held(X, draw(X, Y)), held(X[order], draw(X[order], Y[order])), strict=True
    ):
        assert np.array_equal(ours, theirs)


def test_a_weight_is_as_many_copies():
    weight = 1.0 + np.arange(200) % 3
    copies = np.repeat(np.arange(200), weight.astype(int))
    weighted, copied = draw(X, Y, weight), draw(X[copies], Y[copies])
    for ours, theirs in zip(held(X, weighted), held(X[copies], copied), strict=True):
        assert np.array_equal(ours, theirs)


def test_rows_of_a_group_are_drawn_together():
    groups = np.arange(200) // 4
    for sample in draw(X, Y, groups=groups):
        count = np.zeros(200)
        count[sample.row] = sample.weight
        assert (np.ptp(count.reshape(50, 4), axis=1) == 0).all()


def test_each_sample_has_all_classes():
    y = np.array(["a"] * 198 + ["b"] * 2)
    for sample in draw(X, y, count=20, kind=LLTBoostClassifier):
        assert set(y[sample.row]) == {"a", "b"}
