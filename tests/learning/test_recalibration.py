"""Offsets that fit the shares of the classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.learning.recalibration import offset_shift
from sorb.losses import Logistic, Softmax

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=50)
@given(seed=SEEDS, spread=st.sampled_from([0.0, 1.0, 10.0]))
def test_two_classes_are_expected_as_often_as_they_occur(seed, spread):
    rng = np.random.default_rng(seed)
    scores, weight = rng.normal(2, spread, 30), rng.uniform(0.1, 3, 30)
    y = rng.permutation(np.arange(30) < rng.integers(1, 30)).astype(float)
    moved = scores + offset_shift(Logistic(), scores, y, weight)
    assert weight @ Logistic().mean(moved) == pytest.approx(weight @ y, rel=1e-8)


@settings(max_examples=50)
@given(seed=SEEDS, spread=st.sampled_from([0.0, 1.0, 5.0]))
def test_each_of_several_classes_is_expected_as_often_as_it_occurs(seed, spread):
    rng = np.random.default_rng(seed)
    scores, weight = rng.normal(0, spread, (40, 4)), rng.uniform(0.1, 3, 40)
    y = rng.permutation(np.r_[np.arange(4), rng.integers(0, 4, 36)]).astype(float)
    moved = scores + offset_shift(Softmax(), scores, y, weight)
    occurs = [weight[y == k].sum() for k in range(4)]
    assert weight @ Softmax().mean(moved) == pytest.approx(np.array(occurs), rel=1e-7)


def test_offsets_that_fit_already_stay():
    scores = np.array([-1.0, 0.5, 2.0])
    y = Logistic().mean(scores)  # mean outcomes of three groups
    assert offset_shift(Logistic(), scores, y, np.ones(3)) == pytest.approx(0, abs=1e-9)
