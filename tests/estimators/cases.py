"""What the tests of the estimators share."""

import numpy as np
import pytest

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.learning.boosting import Growth
from sorb.losses import LOSSES

SINGLE = [LLTBoostClassifier, LLTBoostRegressor]
CROSS_VALIDATED = [LLTBoostClassifierCV, LLTBoostRegressorCV]
ESTIMATORS = [*SINGLE, *CROSS_VALIDATED]
PENALTIES = (0.1, 10.0)
SMALL_CV = {"max_rules": 3, "reg_lambdas": PENALTIES, "cv": 3, "n_repeats": 1}

every_loss = pytest.mark.parametrize("loss", LOSSES)


def small_classifier_cv(**parameters):
    return LLTBoostClassifierCV(**{**SMALL_CV, **parameters})


def small_regressor_cv(**parameters):
    return LLTBoostRegressorCV(**{**SMALL_CV, **parameters})


def noisy_table(n, d):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=n)


# A few rules are enough for most tests, which then do not take long.
CLASSIFIERS = {
    "oblique": LLTBoostClassifier(max_rules=3),
    "axis": LLTBoostClassifier(max_rules=5, search="axis"),
    "paper": LLTBoostClassifier.paper(max_rules=3),
    "unpenalised": LLTBoostClassifier(max_rules=3, effort="low", reg_lambda=0.0, selection=None),
    "cross-validated": LLTBoostClassifierCV(max_rules=3, reg_lambdas=(0.1, 1.0), n_repeats=2),
}


REGRESSORS = {
    "oblique": LLTBoostRegressor(max_rules=3),
    "axis": LLTBoostRegressor(max_rules=6, search="axis"),
    "quantiles": LLTBoostRegressor(max_rules=6, search="axis", n_quantiles=3),
    "paper": LLTBoostRegressor.paper(max_rules=3),
    "unpenalised": LLTBoostRegressor(max_rules=3, effort="low", reg_lambda=0.0, selection=None),
    "poisson": LLTBoostRegressor(max_rules=3, loss="poisson"),
    "cross-validated": LLTBoostRegressorCV(max_rules=3, reg_lambdas=(0.1, 1.0), n_repeats=2),
}


EVERYONE = [*CLASSIFIERS.values(), *REGRESSORS.values()]


def named(estimators):
    return [pytest.param(estimator, id=repr(estimator)) for estimator in estimators]


every_estimator = pytest.mark.parametrize("estimator", named(EVERYONE))
every_classifier = pytest.mark.parametrize("estimator", named(CLASSIFIERS.values()))
every_regressor = pytest.mark.parametrize("estimator", named(REGRESSORS.values()))
two_kinds = pytest.mark.parametrize("cls", [LLTBoostClassifier, LLTBoostRegressor])


def table(n=80, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def halves(X):
    """Outcomes that suit classes, numbers and counts alike."""
    return (X.sum(axis=1) > 0).astype(int)


def interrupt_growth(monkeypatch, is_meant=lambda growth: True, after=2):
    """Let Ctrl-C be pressed when the growth that is meant has so many rules."""
    run = Growth.run

    def interrupted(growth, report=lambda growth: None):
        def press(growth):
            if len(growth.model.terms) == after:
                raise KeyboardInterrupt

        run(growth, press if is_meant(growth) else report)

    monkeypatch.setattr(Growth, "run", interrupted)


def finite(model, X):
    assert np.isfinite(model.explain(X).total()).all()


def noise_of_people(n=60, visits=6, jitter=1e-2, seed=0):
    """Nearly equal rows about each person, who is ill or not at random."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), visits)
    X = rng.normal(size=(n, 5))[person] + jitter * rng.normal(size=(n * visits, 5))
    return X, rng.integers(2, size=n)[person], person
