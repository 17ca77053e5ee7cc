"""What estimators note down."""

import sys

import numpy as np
import pytest

import sorb
from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, RuleEnsemble

X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] > 0


def record(estimator, weight=None):
    return estimator.fit(X, Y, weight).ensemble_.record


def test_the_seed_and_settings_that_are_not_defaults_are_noted():
    found = record(LLTBoostClassifier(max_rules=1, n_jobs=2, verbose=0, near_duplicates="apart"))
    settings = {"max_rules": "1", "near_duplicates": "'apart'", "random_state": "0"}
    assert dict(found.settings) == settings
    assert found.estimator == "LLTBoostClassifier"
    versions = dict(found.versions)
    assert versions["sorb"] == sorb.__version__
    assert versions["python"] == "{}.{}.{}".format(*sys.version_info)


def test_rows_with_any_weight_are_counted():
    assert record(LLTBoostClassifier(max_rules=1)).n_rows == 60
    assert record(LLTBoostClassifier(max_rules=1), np.arange(60) % 3).n_rows == 40


def test_all_sizes_have_the_record():
    model = LLTBoostClassifierCV(max_rules=2, n_repeats=1, cv=2).fit(X, Y)
    assert all(s.ensemble.record.reg_lambda == s.reg_lambda for s in model.stages_)
    settings = {stage.ensemble.record.settings for stage in model.stages_}
    assert settings == {model.ensemble_.record.settings}
    assert model.ensemble_.record.estimator == "LLTBoostClassifierCV"


def test_long_settings_are_told_briefly():
    given = RuleEnsemble(0.0, (), ("x0", "x1"), "squared")
    settings = {
        "init": given,
        "random_state": np.random.RandomState(0),
        "monotonic_cst": np.array([1, 0]),
        "max_rules": 1,
    }
    found = dict(LLTBoostRegressor(**settings).fit(X, X[:, 1]).ensemble_.record.settings)
    assert found == {
        "init": "a model with 0 rules",
        "random_state": "a RandomState",
        "monotonic_cst": "[1, 0]",
        "max_rules": "1",
    }


def test_lazy_frames_have_a_record():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": Y.astype(int)}).lazy()
    assert LLTBoostClassifier(max_rules=1).fit(frame, y="y").ensemble_.record.n_rows == 60


def test_class_weights_by_labels_of_numpy_can_be_read_back():
    weights = dict(zip(np.unique(Y), np.array([0.5, 3.0]), strict=True))
    found = record(LLTBoostClassifier(max_rules=1, class_weight=weights))
    assert found.readable_settings["class_weight"] == {False: 0.5, True: 3.0}
