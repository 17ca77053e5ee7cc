"""What a page tells of where a model comes from."""

import datetime
import platform
from dataclasses import replace

import numpy as np

from sorb import LLTBoostClassifier, RuleEnsemble
from sorb.report import report

X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] > 0


def training_of(model):
    groups = report(model, X, Y, compare=False, date=datetime.date(2026, 1, 2)).data["record"]
    assert groups[-1]["title"] == "This page"
    assert groups[-1]["lines"][0] == ("made on", "2026-01-02")
    found = [dict(group["lines"]) for group in groups if group["title"] == "Training"]
    return found[0] if found else None


def test_a_saved_model_tells_its_training_as_the_estimator_does():
    monotone = {"x0": 1, "x1": 0}
    model = LLTBoostClassifier(max_rules=1, monotonic_cst=monotone).fit(X, Y)
    found = training_of(model)
    assert training_of(RuleEnsemble.from_json(model.ensemble_.to_json())) == found
    assert found["estimator"] == "LLTBoostClassifier"
    assert found["training rows"] == "60"
    assert found["learned with"].startswith("sorb ")
    assert found["random_state"] == "0"
    assert found["monotonic_cst"] == repr(monotone)
    assert float(found["penalty on votes"]) == model.reg_lambda_


def test_a_model_by_hand_tells_no_training():
    assert training_of(RuleEnsemble(0.0, (), ("x0", "x1"), "logistic", (False, True))) is None


def test_texts_among_the_settings_have_no_quotes():
    model = LLTBoostClassifier(max_rules=1, near_duplicates="apart").fit(X, Y)
    found = training_of(model)
    assert (found["near_duplicates"], found["max_rules"]) == ("apart", "1")


def test_versions_are_listed_once_unless_they_differ():
    def made_with(model):
        return dict(report(model, X, Y, compare=False).data["record"][-1]["lines"])["made with"]

    ensemble = LLTBoostClassifier(max_rules=1).fit(X, Y).ensemble_
    assert made_with(ensemble) == "what it was learned with"
    elsewhere = replace(ensemble.record, versions={"sorb": "0.0.1", "python": "3.9.1"})
    found = made_with(replace(ensemble, record=elsewhere))
    assert found == made_with(replace(ensemble, record=None))
    assert training_of(ensemble)["learned with"] == found
    assert f"Python {platform.python_version()}" in found
