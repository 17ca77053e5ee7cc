"""Models that are copied or stored, and come back the same."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
)
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble


def own_types(data):
    """The types that a file of skops asks to be trusted, as far as they are sorb's."""
    return [name for name in skops.io.get_untrusted_types(data=data) if name.startswith("sorb.")]


def by_skops(value):
    data = skops.io.dumps(value)
    return skops.io.loads(data, trusted=own_types(data))


def by_joblib(value):
    file = io.BytesIO()
    joblib.dump(value, file, compress=3)
    file.seek(0)
    return joblib.load(file)


def by_pickle(protocol):
    return lambda value: pickle.loads(pickle.dumps(value, protocol))


WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "joblib": by_joblib,
    "skops": by_skops,
    **{f"pickle {p}": by_pickle(p) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.fixture(scope="module")
def models(iris, diabetes, patients):
    """A model of each kind, with its table."""
    X, y = iris
    few = {"max_rules": 2, "cv": 2}
    return [
        (LLTBoostClassifier(max_rules=3).fit(X, y), X),
        (LLTBoostClassifier(max_rules=3).fit(*patients), patients[0]),
        (LLTBoostClassifierCV(**few).fit(X, y == "setosa"), X),
        (LLTBoostRegressor(max_rules=3, loss="poisson").fit(*diabetes), diabetes[0]),
        (LLTBoostRegressorCV(**few).fit(*diabetes), diabetes[0]),
        (make_pipeline(StandardScaler(), LLTBoostClassifier(max_rules=2)).fit(X, y), X),
    ]


@pytest.mark.parametrize("way", WAYS)
def test_models_answer_as_before(models, way):
    for model, X in models:
        restored = WAYS[way](model)
        assert type(restored) is type(model)
        assert np.array_equal(restored.predict(X), model.predict(X))
        if hasattr(model, "predict_proba"):
            assert np.array_equal(restored.predict_proba(X), model.predict_proba(X))
        if hasattr(model, "ensemble_"):
            assert restored.ensemble_ == model.ensemble_
            stages = zip(restored.stages_, model.stages_, strict=True)
            assert all(found.ensemble == stage.ensemble for found, stage in stages)


@pytest.mark.parametrize("way", WAYS)
def test_restored_models_learn_on(iris, way):
    X, y = iris
    half = WAYS[way](LLTBoostClassifier(max_rules=2, warm_start=True).fit(X, y))
    whole = LLTBoostClassifier(max_rules=4).fit(X, y)
    assert half.set_params(max_rules=4).fit(X, y).ensemble_ == whole.ensemble_


@pytest.mark.parametrize("way", WAYS)
def test_ensembles_of_all_kinds_are_equal_and_hash_alike(way):
    conditions = (
        Condition((Proposition(("a", "b"), (1.0, -0.5), 2.0, missing=True),)),
        Condition((Product(("a", "b"), (1.0, -2.0), 25.0),)),
        Condition((Membership("group", ("A", "AB")),)),
    )
    rules = tuple(Rule(condition, 1.5, k) for k, condition in enumerate(conditions))
    columns = ("a", "b", "group")
    ensemble = RuleEnsemble((0.0, 1.0, 2.0), rules, columns, "softmax", ("x", "y", "z"))
    restored = WAYS[way](ensemble)
    assert restored == ensemble
    assert hash(restored) == hash(ensemble)


def test_skops_asks_for_nothing_but_the_own_types(models):
    for model, _ in models:
        data = skops.io.dumps(model)
        assert skops.io.get_untrusted_types(data=data) == own_types(data)


def test_skops_refuses_what_is_not_trusted(models):
    data = skops.io.dumps(models[0][0])
    with pytest.raises(TypeError, match=r"sorb\.rules"):
        skops.io.loads(data, trusted=[])
