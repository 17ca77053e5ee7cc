"""What is computed for each loss, whatever the target, and that nothing is guessed."""

import math

import numpy as np
import pytest
from oracles.losses import UnknownReadout

from sorb.export import to_c, to_excel, to_javascript, to_onnx, to_python, to_r, to_sql
from sorb.export.program import compile_ensemble
from sorb.losses import LOSSES, Readout
from sorb.rules import RuleEnsemble

TARGETS = {
    "c": to_c,
    "excel": lambda ensemble: to_excel(ensemble, {}),
    "javascript": to_javascript,
    "onnx": to_onnx,
    "python": to_python,
    "r": to_r,
    "sql": to_sql,
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_loss_that_an_export_does_not_know_is_an_error_and_never_guessed(target):
    ensemble = RuleEnsemble(1.79, (), ("a",), UnknownReadout())
    with pytest.raises(ValueError, match='with the loss "squared" cannot be exported'):
        TARGETS[target](ensemble)


def model(name):
    offset = (0.0, 1.79) if name == "softmax" else 1.79
    classes = ("no", "yes") if LOSSES[name]().has_classes else None
    return RuleEnsemble(offset, (), ("a",), name, classes)


@pytest.mark.parametrize("name", LOSSES)
def test_a_prediction_is_what_the_model_predicts(name):
    space = {}
    exec(to_python(model(name)), space)
    (expected,) = model(name).predict(np.ones((1, 1))).tolist()
    answer = space["predict"]({"a": 1.0})
    assert answer == (expected if isinstance(expected, str) else pytest.approx(expected))


@pytest.mark.parametrize("name", LOSSES)
def test_numbers_are_never_taken_for_classes(name):
    answers = {
        Readout.IDENTITY: "scores",
        Readout.EXPONENTIAL: "exponential",
        Readout.SIGMOID: "label",
        Readout.SOFTMAX: "label",
    }
    program = compile_ensemble(model(name), "prediction")
    assert program.answer == answers[LOSSES[name].readout]
    assert bool(program.labels) == (program.answer == "label")
    assert math.isclose(program.offsets[-1], 1.79)
