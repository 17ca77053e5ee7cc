import warnings

import pytest
from attacks.refusals import REFUSED, attempt, only_own_warnings

from sorb import LLTBoostRegressor, RuleEnsemble
from sorb.rules.labels import Labels


def test_what_sorb_raises_is_a_refusal():
    assert attempt(RuleEnsemble, "1", (), ("age",), "squared") is REFUSED


def test_what_scikit_learn_checks_for_sorb_is_a_refusal():
    assert attempt(LLTBoostRegressor().fit, [[1.0], [2.0]], [1.0]) is REFUSED


def test_what_sorb_stumbles_over_is_no_refusal():
    with pytest.raises(TypeError, match="not iterable"):
        attempt(Labels.of, 5)


def test_an_error_of_something_else_is_no_refusal():
    with pytest.raises(ValueError, match="invalid literal"):
        attempt(int, "x")


def test_warnings_must_be_those_of_sorb():
    own = "column 'age' is missing in row 3 (1 in all), but never was in training"
    with only_own_warnings():
        warnings.warn(own, stacklevel=1)
    with pytest.raises(AssertionError, match="overflow"), only_own_warnings():
        warnings.warn("overflow", stacklevel=1)
