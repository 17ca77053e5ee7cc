"""What the tests of the estimators share."""

import numpy as np
import pytest

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.losses import LOSSES

SINGLE = [LLTBoostClassifier, LLTBoostRegressor]
CROSS_VALIDATED = [LLTBoostClassifierCV, LLTBoostRegressorCV]
ESTIMATORS = [*SINGLE, *CROSS_VALIDATED]
PENALTIES = (0.1, 10.0)

every_loss = pytest.mark.parametrize("loss", LOSSES)


def small_classifier_cv(**parameters):
    return LLTBoostClassifierCV(**{"max_rules": 3, "reg_lambdas": PENALTIES, "cv": 3, **parameters})


def small_regressor_cv(**parameters):
    return LLTBoostRegressorCV(**{"max_rules": 3, "reg_lambdas": PENALTIES, "cv": 3, **parameters})


def noisy_table(n, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=n)
