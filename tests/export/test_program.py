"""What is computed for each loss, whatever the target, and that nothing is guessed."""

import math

import numpy as np
import pytest
from oracles.losses import UnknownReadout

from sorb.export import to_c, to_excel, to_javascript, to_onnx, to_python, to_r, to_sql
from sorb.export.program import Program, compile_ensemble
from sorb.export.python_source import _syntax
from sorb.export.sql_nodes import writer
from sorb.losses import LOSSES, Readout
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

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


class Novel:
    """A kind of proposition that nobody has written down for the exports."""

    columns = ("age",)


def with_novelty():
    """A program, one of whose propositions is of a new kind."""
    old = Condition((Proposition(("age",), (1.0,), 40.0),))
    program = compile_ensemble(RuleEnsemble(0.0, (Rule(old, 1.0),), ("age",), "squared"), "score")
    (rule,) = program.rules
    changed = type(rule)((Novel(),), rule.output, rule.vote)
    return Program(program.columns, program.offsets, (changed,), program.answer, program.names)


def test_a_new_kind_of_proposition_is_refused():
    program = with_novelty()
    with pytest.raises(AssertionError, match="unexpected Novel"):
        _syntax("predict").condition(program.rules[0])
    with pytest.raises(AssertionError, match="unexpected Novel"):
        writer("duckdb", program)
