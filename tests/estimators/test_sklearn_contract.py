"""The estimators keep scikit-learn's contract, and work with its tools."""

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV

ESTIMATORS = [
    LLTBoostClassifier(max_rules=3),
    LLTBoostRegressor(max_rules=3),
    LLTBoostClassifierCV(max_rules=3, reg_lambdas=(0.1, 1.0), cv=3, n_repeats=2),
    LLTBoostRegressorCV(max_rules=3, reg_lambdas=(0.1, 1.0), cv=3, n_repeats=2),
]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


# The defaults, and small models of others: the contract is not about how many rules there are.
@parametrize_with_checks(
    [
        LLTBoostClassifier(),
        LLTBoostClassifier(search="axis", max_rules=3),
        LLTBoostClassifier.paper(),
        LLTBoostRegressor(),
        LLTBoostRegressor(loss="poisson", max_rules=3),
        LLTBoostRegressor.paper(),
        LLTBoostClassifierCV(max_rules=3, cv=3, n_repeats=2),
        LLTBoostRegressorCV(max_rules=3, cv=3, n_repeats=2),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)


def test_estimator_checks_of_the_array_api():
    """SciPy must be told of it before it is imported, or these checks are skipped."""
    code = (
        "import sorb\n"
        "from sklearn.utils.estimator_checks import estimator_checks_generator\n"
        "classes = [getattr(sorb, name) for name in sorb.__all__ if name.startswith('LLTBoost')]\n"
        "for estimator, check in [p for c in classes for p in estimator_checks_generator(c())]:\n"
        "    if 'array_api' in str(check):\n"
        "        check(estimator)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "SCIPY_ARRAY_API": "1"}, check=True
    )


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True)


def data_for(estimator):
    load = load_breast_cancer if is_classifier(estimator) else load_diabetes
    return load(return_X_y=True)


@every_estimator
def test_kinds_are_known(estimator):
    assert is_classifier(estimator) != is_regressor(estimator)
    assert is_classifier(estimator) == ("Classifier" in type(estimator).__name__)


@every_estimator
def test_in_a_pipeline(estimator):
    X, y = data_for(estimator)
    pipeline = make_pipeline(StandardScaler(), clone(estimator)).fit(X, y)
    alone = clone(estimator).fit(X, y)
    np.testing.assert_allclose(pipeline.predict(X[:50]), alone.predict(X[:50]))


def test_rules_feed_another_estimator(cancer):
    X, y = cancer
    pipeline = make_pipeline(
        LLTBoostClassifier(max_rules=5, selection=None),
        LogisticRegression(solver="newton-cholesky"),
    ).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    assert len(pipeline[:-1].get_feature_names_out()) == pipeline[-1].n_features_in_ == 5


def test_in_a_grid_search(cancer):
    X, y = cancer
    grid = {"max_rules": [0, 3], "reg_lambda": [0.1, 10.0]}
    search = GridSearchCV(LLTBoostClassifier(selection=None), grid, cv=3).fit(X, y)
    assert search.best_params_["max_rules"] == 3
    assert search.best_score_ > 0.9


@every_estimator
def test_in_cross_val_score(estimator):
    scores = cross_val_score(estimator, *data_for(estimator), cv=3)
    assert scores.mean() > (0.9 if is_classifier(estimator) else 0.25)


def test_calibrated(cancer):
    X, y = cancer
    calibrated = CalibratedClassifierCV(LLTBoostClassifier(max_rules=3), cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.9


@every_estimator
def test_weights_are_routed(estimator):
    X, y = data_for(estimator)
    weight = 1.0 + np.arange(len(y)) % 3
    with config_context(enable_metadata_routing=True):
        asking = clone(estimator).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, asking).fit(X, y, sample_weight=weight)
    direct = clone(estimator).fit(StandardScaler().fit_transform(X), y, sample_weight=weight)
    assert pipeline[-1].ensemble_ == direct.ensemble_


@every_estimator
def test_pickled(estimator):
    X, y = data_for(estimator)
    model = clone(estimator).fit(X, y)
    reloaded = pickle.loads(pickle.dumps(model))
    assert reloaded.ensemble_ == model.ensemble_
    assert reloaded.stages_ == model.stages_
    np.testing.assert_array_equal(reloaded.predict(X), model.predict(X))


@every_estimator
def test_cloned(estimator):
    X, y = data_for(estimator)
    model = clone(estimator).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "ensemble_")
    assert copy.fit(X, y).ensemble_ == model.ensemble_


def fitted_ensemble(estimator, X, y):
    return estimator.fit(X, y).ensemble_


def test_trained_in_other_processes():
    tasks = [(estimator, *data_for(estimator)) for estimator in ESTIMATORS]
    elsewhere = Parallel(n_jobs=2)(delayed(fitted_ensemble)(*task) for task in tasks)
    assert elsewhere == [fitted_ensemble(clone(task[0]), *task[1:]) for task in tasks]


MIXED = pd.DataFrame({"a": np.arange(90.0) % 17, "b": np.arange(90.0) % 7, "g": list("xyz") * 30})
MIXED_Y = (MIXED["a"] > 8) ^ (MIXED["g"] == "x")


@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_a_column_transformer_hands_over_any_output(output):
    if output == "polars":
        pytest.importorskip("polars")
    scaled, coded = (StandardScaler(), ["a", "b"]), (OneHotEncoder(sparse_output=False), ["g"])
    before = make_column_transformer(scaled, coded).set_output(transform=output)
    model = make_pipeline(before, LLTBoostClassifier(max_rules=3, selection=None))
    found = model.fit(MIXED, MIXED_Y).predict(MIXED)
    # The transformer itself finds its columns by name.
    assert model.predict(MIXED[["g", "b", "a"]]).tolist() == found.tolist()
    assert (found == MIXED_Y).mean() > 0.9
    names = [f"x{j}" for j in range(5)] if output == "default" else before.get_feature_names_out()
    assert model[-1].ensemble_.columns == tuple(names)


@pytest.mark.parametrize(
    "change",
    [
        lambda X: X[["b", "a"]],
        lambda X: X.rename(columns={"b": "c"}),
        lambda X: X[["a"]],
        lambda X: X.to_numpy(),
    ],
    ids=["reordered", "renamed", "one missing", "without names"],
)
def test_other_columns_are_met_as_by_scikit_learn(change):
    X = MIXED[["a", "b"]]
    said = []
    for estimator in (LLTBoostClassifier(max_rules=1, selection=None), DecisionTreeClassifier()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                estimator.fit(X, MIXED_Y).predict(change(X))
            except ValueError as error:
                caught.append(error)
        said.append(
            [
                str(getattr(each, "message", each)).replace(type(estimator).__name__, "it")
                for each in caught
            ]
        )
    assert said[0] == said[1] != []
