"""The log of changes, written, read and replayed."""

import json

import pytest
from editing.models import at_least, model, rows

from sorb import Rule
from sorb.editing import (
    AddRule,
    ChangeCondition,
    DropRule,
    EditLogError,
    PinVote,
    changes_from_json,
    edit,
)

CHANGES = (
    DropRule(1, reason="the laboratory has closed"),
    ChangeCondition(0, at_least("c", 0.25)),
    PinVote(2, 1.5),
    AddRule(Rule(at_least("b", -0.5), 0.0), reason="“α”"),
)


def test_a_log_is_replayed_to_the_same_model():
    X, y = rows(0, "logistic")
    before = model("logistic")
    done = edit(before, CHANGES, X, y)
    assert changes_from_json(done.to_json(), before) == CHANGES
    again = edit(before, changes_from_json(done.to_json(), before), X, y)
    assert again.ensemble == done.ensemble
    assert json.loads(again.to_json()) == json.loads(done.to_json())


def test_a_log_of_another_model_is_refused():
    log = edit(model("logistic"), CHANGES).to_json()
    with pytest.raises(EditLogError, match="another model"):
        changes_from_json(log, model("logistic", seed=1))


def test_a_log_may_be_written_by_hand():
    text = '{"changes": [{"change": "pin", "rule": 0, "vote": 2}]}'
    assert changes_from_json(text, model("squared")) == (PinVote(0, 2.0),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", 'a list of "changes"'),
        ('{"changes": 3}', 'a list of "changes"'),
        ('{"format": "csv", "changes": []}', "sorb.edit-log"),
        ('{"changes": [3]}', r"changes\[0\]: expected an object whose"),
        ('{"changes": [{"change": "burn"}]}', "drop, condition, pin, add"),
        ('{"changes": [{"change": "drop"}]}', r"changes\[0\]: 'rule' is missing"),
        ('{"changes": [{"change": "drop", "rule": -1}]}', r"changes\[0\]: rule"),
        ('{"changes": [{"change": "pin", "rule": 0, "vote": "x"}]}', r"changes\[0\]: vote"),
        ('{"changes": [{"change": "condition", "rule": 0, "condition": [{}]}]}', r"changes\[0\]"),
        ('{"changes": [{"change": "add", "rule": []}]}', r"changes\[0\]"),
        ('{"changes": [{"change": "drop", "rule": 0, "reason": 1}]}', r"changes\[0\]: reason"),
    ],
)
def test_what_is_no_log_is_refused(text, message):
    with pytest.raises(EditLogError, match=message):
        changes_from_json(text)
