"""How alike the predictions of two models are."""

import numpy as np
import pytest

from sorb import RuleEnsemble
from sorb.measures.agreement import agreement

NUMBERS = RuleEnsemble(0.0, (), ("a",), "squared")


def test_numbers_are_correlated_by_weight():
    rng = np.random.default_rng(0)
    ours, theirs = rng.normal(size=(2, 50))
    weight = rng.integers(1, 4, 50)
    copies = np.repeat(np.arange(50), weight)
    found = agreement(NUMBERS, ours, theirs, weight / weight.sum())
    assert found == pytest.approx(np.corrcoef(ours[copies], theirs[copies])[0, 1])


def test_constant_numbers_agree_with_constant_ones_only():
    constant, share = np.full(7, 0.1), np.full(7, 1 / 7)
    assert agreement(NUMBERS, constant, 3 * constant, share) == 1.0
    assert agreement(NUMBERS, constant, np.arange(7.0), share) == 0.0
