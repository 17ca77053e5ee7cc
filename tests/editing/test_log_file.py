"""The log of changes, written, read and replayed."""

import json
from dataclasses import replace

import numpy as np
import pytest
from editing.models import at_least, model, rows

from sorb import Rule
from sorb.editing import (
    AddRule,
    ChangeCondition,
    DropRule,
    EditLog,
    EditLogError,
    ForbidRule,
    PinVote,
    edit,
)
from sorb.losses import LOSSES

CHANGES = (
    DropRule(1, reason="the laboratory has closed", author="C. Ode", time="2026-05-04T09:30:00Z"),
    ChangeCondition(0, at_least("c", 0.25)),
    PinVote(2, 1.5),
    AddRule(Rule(at_least("b", -0.5), 0.0), reason="“α”"),
    ForbidRule(3, author="C. Ode"),
)


every_loss = pytest.mark.parametrize("loss", LOSSES)


@every_loss
def test_a_log_is_replayed_to_the_same_model(loss):
    X, y = rows(0, loss)
    before = model(loss)
    done = edit(before, CHANGES, X, y)
    log = EditLog.from_json(done.to_json(), before)
    assert log.changes == CHANGES
    again = edit(before, log, X, y)
    assert again.ensemble == done.ensemble
    assert json.loads(again.to_json()) == json.loads(done.to_json())
    assert edit(before, log).ensemble == done.ensemble


@every_loss
def test_votes_of_a_log_are_taken_to_the_last_digit(loss):
    X, y = rows(0, loss)
    before = model(loss)
    log = EditLog.from_json(edit(before, CHANGES, X, y).to_json())
    last_digits = tuple(
        value if value == 1.5 else value * (1 + 1e-13) for value in log.offsets_and_votes
    )
    again = edit(before, replace(log, offsets_and_votes=last_digits), X, y)
    assert again.ensemble.offsets_and_votes == last_digits


@every_loss
@pytest.mark.parametrize("place", [0, -1])
def test_votes_that_the_rows_do_not_give_are_refused(loss, place):
    X, y = rows(0, loss)
    log = EditLog.from_json(edit(model(loss), CHANGES, X, y).to_json())
    values = list(log.offsets_and_votes)
    values[place] *= 1.0003
    with pytest.raises(EditLogError, match=r"does not agree with these rows: the .* is [+−]"):
        edit(model(loss), replace(log, offsets_and_votes=tuple(values)), X, y)


def test_a_log_of_other_rows_or_another_pinned_vote_is_refused():
    X, y = rows(0, "logistic")
    before = model("logistic")
    log = EditLog.from_json(edit(before, [PinVote(2, 1.5)], X, y).to_json())
    with pytest.raises(EditLogError, match="Are they the rows"):
        edit(before, log, X[1:], y[1:])
    with pytest.raises(EditLogError, match="Are they the rows"):
        edit(before, replace(log, changes=(PinVote(2, 1.5 + 1e-9),)), X, y)
    with pytest.raises(EditLogError, match="3 votes, but its changes leave 2 rules"):
        edit(before, replace(log, changes=(DropRule(2),)), X, y)
    assert len(edit(before, log.changes, X[1:], y[1:]).effects) == 1


def test_without_its_votes_a_log_is_for_any_rows_as_the_error_says():
    X, y = rows(0, "logistic")
    before = model("logistic")
    document = json.loads(edit(before, CHANGES, X, y).to_json())
    with pytest.raises(EditLogError) as caught:
        edit(before, EditLog.from_json(json.dumps(document)), X[1:], y[1:])
    assert 'delete "offset" and "votes" in the file of the log' in str(caught.value)
    del document["offset"], document["votes"]
    found = edit(before, EditLog.from_json(json.dumps(document), before), X[1:], y[1:])
    penalty = document["reg_lambda"]
    assert found.ensemble == edit(before, CHANGES, X[1:], y[1:], reg_lambda=penalty).ensemble


def test_class_weights_of_a_log_multiply_those_of_the_rows():
    X, y = rows(0, "logistic")
    before = model("logistic")
    weight = np.where(np.array(y) == before.classes[1], 3.0, 0.5)
    weighted = edit(before, CHANGES, X, y, weight)
    document = {**json.loads(weighted.to_json()), "class_weights": [0.5, 3.0]}
    again = edit(before, EditLog.from_json(json.dumps(document)), X, y)
    assert again.ensemble == weighted.ensemble
    assert json.loads(again.to_json()) == document
    document["class_weights"] = [0.5]
    with pytest.raises(EditLogError, match="1 class weight, but the model has 2 classes"):
        edit(before, EditLog.from_json(json.dumps(document)), X, y)


def test_a_log_of_another_model_is_refused():
    log = edit(model("logistic"), CHANGES).to_json()
    with pytest.raises(EditLogError, match="another model"):
        EditLog.from_json(log, model("logistic", seed=1))


def test_a_log_may_be_written_by_hand():
    text = '{"changes": [{"change": "pin", "rule": 0, "vote": 2}]}'
    assert EditLog.from_json(text, model("squared")) == EditLog((PinVote(0, 2.0),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", 'a list of "changes"'),
        ('{"changes": 3}', 'a list of "changes"'),
        ('{"format": "csv", "changes": []}', "sorb.edit-log"),
        ('{"changes": [3]}', r"changes\[0\]: expected an object whose"),
        ('{"changes": [{"change": "burn"}]}', "drop, forbid, condition, pin, add"),
        ('{"changes": [{"change": "drop"}]}', r"changes\[0\]: 'rule' is missing"),
        ('{"changes": [{"change": "drop", "rule": -1}]}', r"changes\[0\]: rule"),
        ('{"changes": [{"change": "pin", "rule": 0, "vote": "x"}]}', r"changes\[0\]: vote"),
        ('{"changes": [{"change": "condition", "rule": 0, "condition": [{}]}]}', r"changes\[0\]"),
        ('{"changes": [{"change": "add", "rule": []}]}', r"changes\[0\]"),
        ('{"changes": [{"change": "drop", "rule": 0, "reason": 1}]}', r"changes\[0\]: reason"),
        ('{"changes": [], "votes": []}', '"offset" and "votes" belong together'),
        ('{"changes": [], "offset": 1, "votes": 3}', '"votes" must be a list of numbers, found 3'),
        ('{"changes": [], "offset": 1, "votes": ["x"]}', r"votes\[0\] must be a number"),
        ('{"changes": [], "offset": [true], "votes": []}', "offset must be a number"),
        ('{"changes": [], "reg_lambda": "x"}', "reg_lambda must be a number"),
        ('{"changes": [], "class_weights": 3}', '"class_weights" must be a list of numbers'),
        ('{"changes": [], "class_weights": [1, 0]}', '"class_weights" must be positive'),
    ],
)
def test_what_is_no_log_is_refused(text, message):
    with pytest.raises(EditLogError, match=message):
        EditLog.from_json(text)
