import numpy as np
import pytest

from sorb.cli.measures import Measures
from sorb.rules import RuleEnsemble


def test_calibration_over_several_classes_is_a_mean():
    shares = (0.5, 0.3, 0.2)
    ensemble = RuleEnsemble(tuple(np.log(shares)), (), ("a",), "softmax", ("a", "b", "c"))
    values = np.tile(np.log(shares), (4, 1))
    found = Measures.of(ensemble, values, ["a", "a", "b", "b"], np.ones(4))
    assert found.calibration_error == pytest.approx((0.0 + 0.2 + 0.2) / 3)
    assert found.error == 0.5


def test_equal_outcomes_leave_no_variance_to_explain():
    ensemble = RuleEnsemble(1.0, (), ("a",), "squared")
    found = Measures.of(ensemble, np.ones(3), [1.5, 1.5, 1.5], np.ones(3))
    assert (found.r2, found.calibration_error) == (None, 0.5)
