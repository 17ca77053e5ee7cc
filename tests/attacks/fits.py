"""Random fits: each gives a model that predicts and can be saved, or a message of the library."""

import numpy as np
import pandas as pd
from attacks.random_tables import MAX_FLOAT, n_rows, random_table
from attacks.refusals import REFUSED, attempt, only_own_warnings
from joblib import parallel_config

from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
    RuleEnsemble,
)
from sorb.estimators.regressor import REGRESSION_LOSSES
from sorb.learning.objectives import OBJECTIVES
from sorb.learning.risk_curve import SELECTIONS
from sorb.losses import LOSSES

KINDS = [LLTBoostClassifier, LLTBoostRegressor, LLTBoostClassifierCV, LLTBoostRegressorCV]
PENALTIES = [0.0, 1e-300, 1e-10, 1e-3, 1.0, 10.0, 1e10, 1e300]
LABELS = {
    "texts": ["no", "yes", "it's", "", "größe", "1"],
    "numbers": [0, 1, 2, -3, 10**15, 7],
    "floats": [0.0, -1.0, 2.0, 10.0**15, 7.0, 0.5],
    "flags": [False, True],
}


def attack(seed):
    """Fit a random estimator to a random table; say whether it was fitted or refused."""
    random = np.random.default_rng(seed)
    plain = seed % 20 == 0
    estimator, X, given = (plain_problem if plain else random_problem)(random)
    # Processes would take longer to start than to fit.
    with only_own_warnings(), parallel_config("threading"):
        if attempt(estimator.fit, X, **given) is REFUSED:
            assert not plain, "a plain problem is refused"
            return "refused"
        check(estimator, X)
    return "plain and fitted" if plain else "fitted"


def plain_problem(random):
    """An estimator, a table and outcomes that nobody may refuse."""
    kind, n = _one_of(random, KINDS), 60
    groups = random.choice(["A", "B", "AB"], n)
    X = pd.DataFrame({"age": random.normal(size=n), "group": groups, "ill": random.random(n) < 0.3})
    if "Regressor" in kind.__name__:
        loss = _one_of(random, sorted(REGRESSION_LOSSES))
        return kind(max_rules=2, loss=loss), X, {"y": random.lognormal(size=n)}
    return kind(max_rules=2), X, {"y": random.choice(["no", "yes", "unknown"], n)}


def random_problem(random):
    """Any estimator, table, outcomes and weights."""
    X = random_table(random)
    estimator = random_estimator(random, isinstance(X, np.ndarray))
    return estimator, X, random_outcomes(random, estimator, n_rows(X))


def check(estimator, X):
    """Require finite predictions, and the same ones from the model in its file."""
    ensemble = estimator.ensemble_
    read = RuleEnsemble.from_json(ensemble.to_json())
    assert read == ensemble
    source = estimator._open(X).read()
    scores = ensemble(source)
    assert np.isfinite(scores).all(), "scores that are not finite"
    np.testing.assert_array_equal(read(source), scores)
    check_stages(estimator.stages_)
    predicted = estimator.predict(X)
    assert len(predicted) == len(scores)
    if ensemble.loss.has_classes:
        chances = estimator.predict_proba(X)
        assert ((chances >= 0) & (chances <= 1)).all()
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    else:
        assert np.isfinite(predicted).all(), "predictions that are not finite"
    assert str(ensemble)


def check_stages(stages):
    """Require finite risks, and larger models that are better, with the same penalty."""
    assert np.isfinite([stage.train_risk for stage in stages]).all()
    assert (np.diff([stage.complexity for stage in stages]) > 0).all()
    for reg_lambda in {stage.reg_lambda for stage in stages}:
        alike = [stage.objective for stage in stages if stage.reg_lambda == reg_lambda]
        assert (np.diff(alike) < 0).all()


def random_estimator(random, nameless):
    """An estimator with a few parameters that are not the defaults."""
    kind = KINDS[random.choice(4, p=[0.35, 0.45, 0.1, 0.1])]
    choices = {**COMMON, **(POSITIONS if nameless else NAMES)}
    choices |= CROSS_VALIDATED if "CV" in kind.__name__ else SINGLE
    choices |= REGRESSION if "Regressor" in kind.__name__ else CLASSIFICATION
    changed = [name for name in choices if random.random() < 0.3]
    parameters = {name: _one_of(random, choices[name]) for name in changed}
    start = kind.paper if random.random() < 0.1 else kind
    return start(**{"max_rules": int(random.integers(0, 5)), **parameters})


COMMON = {
    "max_rules": [None, 0, 1, 3, 8],
    "max_complexity": [None, 0, 1, 5, 20],
    "max_rule_complexity": [1, 2, 8],
    "effort": ["low", "normal", "high"],
    "objective": list(OBJECTIVES),
    "search": ["oblique", "oblique_append", "axis"],
    "cut": ["gradient_sum", "separator", "objective"],
    "n_quantiles": [2, 3, 10],
    "validation": ["out_of_bag", None],
    "complexity_price": [0.0, 0.5, 5.0, 1e300],
    "min_difference": [0.0, 1e-300, 0.1, 0.499],
    "near_duplicates": ["apart"],
    "random_state": [0, 1, 2**31 - 1],
    "n_jobs": [None, 1, 2],
    "max_seconds": [1e-9, 10.0],
    "weights": ["real", "integer"],
}
POSITIONS = {"categorical_features": [None, [0]], "log_columns": ["auto", "auto", "auto", [0]]}
NAMES = {
    "categorical_features": ["from_dtype"] * 5 + [None, ["column 0"]],
    "log_columns": ["auto"] * 9 + [["column 0"]],
    "units": [{"column 0": "kg"}],
}
SINGLE = {"reg_lambda": ["auto", *PENALTIES], "selection": [None, *SELECTIONS]}
CROSS_VALIDATED = {
    "reg_lambdas": [(0.1, 1.0), (0.0,), (1e-300, 1e300)],
    "cv": [2, 3, 5],
    "selection": list(SELECTIONS),
}
CLASSIFICATION = {"class_weight": [None, "balanced", {"no": 2.0}, {0: 0.0, 1: 1e300}]}
REGRESSION = {"loss": sorted(REGRESSION_LOSSES) * 3, "power": [1.1, 1.5, 1.9, 1.0, 2.0, 3.0]}


def _one_of(random, values):
    return values[random.integers(len(values))]


def random_outcomes(random, estimator, n):
    """What `fit` is given beside the table."""
    given = {"y": _classes(random, n)}
    if "Regressor" in type(estimator).__name__:
        given = {"y": _numbers(random, estimator.loss, n)}
        if random.random() < (0.01 if estimator.loss == "squared" else 0.3):
            given["exposure"] = _amounts(random, n)
    if random.random() < 0.4:
        given["sample_weight"] = _amounts(random, n)
    return given


def _classes(random, n):
    labels = LABELS[_one_of(random, list(LABELS))]
    known = labels[: random.integers(1, min(len(labels), 5) + 1 + (random.random() < 0.02))]
    if random.random() < 0.05:
        known = list(range(30))
    chances = random.dirichlet(np.full(len(known), random.choice([0.1, 1.0, 10.0])))
    return np.array(known)[random.choice(len(known), n, p=chances)]


def _numbers(random, loss, n):
    values = _one_of(random, [_usual, _usual, _usual, _counts, _equal, _extreme])(random, n)
    if LOSSES[loss].non_negative and random.random() < 0.95:
        values = np.abs(values)
    if loss == "gamma" and random.random() < 0.95:
        values = np.maximum(values, 1e-3)
    return values


def _usual(random, n):
    return random.normal(size=n) * 10.0 ** random.integers(-3, 4)


def _counts(random, n):
    return random.poisson(random.choice([0.05, 1.0, 100.0]), n).astype(np.float64)


def _equal(random, n):
    return np.full(n, random.choice([0.0, 1.0, -2.5, 1e300]))


def _extreme(random, n):
    scale = random.choice([5e-324, 1e-300, 1e-160, 1e100, 1e160, 1e300, MAX_FLOAT])
    return random.uniform(-1, 1, n) * scale


def _amounts(random, n):
    """Weights or exposures."""
    kinds = [np.ones(n), random.integers(0, 3, n), random.exponential(size=n)]
    kinds += [random.exponential(size=n) * scale for scale in (1e-300, 1e300)]
    kinds += [10.0 ** random.uniform(-300, 300, n), np.zeros(n), -np.ones(n)]
    return np.asarray(kinds[random.choice(8, p=[0.2, 0.25, 0.25, 0.08, 0.08, 0.1, 0.02, 0.02])])
