"""What a page tells of where a model comes from."""

import datetime

import numpy as np

from sorb import LLTBoostClassifier, RuleEnsemble
from sorb.report import report

X = np.random.default_rng(0).normal(size=(60, 2))
Y = X[:, 0] > 0


def training_of(model):
    groups = report(model, X, Y, compare=False, date=datetime.date(2026, 1, 2)).data["record"]
    assert groups[-1] == {"title": "Made", "lines": [("date", "2026-01-02")]}
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
