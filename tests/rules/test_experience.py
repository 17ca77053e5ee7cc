import pickle
from dataclasses import replace

import pytest
from rules.small_models import ENSEMBLE

from sorb.rules import ColumnExperience, RuleEnsemble

SEEN = {
    "height": ColumnExperience(missing=True, range=(140, 200)),
    "age": ColumnExperience(missing=False, range=(18, 84)),
}
KNOWING = replace(ENSEMBLE, loss="logistic", experience=SEEN)


def test_it_is_kept_in_the_order_of_the_columns():
    assert KNOWING.experience == (("age", SEEN["age"]), ("height", SEEN["height"]))


def test_columns_that_no_rule_uses_are_not_kept():
    assert KNOWING[:1].used_columns == ("age",)
    assert KNOWING[:1].experience == (("age", SEEN["age"]),)
    assert KNOWING[:0].experience == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda e: e.with_votes(1.0, [0.5] * len(e)),
        lambda e: e[:],
        lambda e: pickle.loads(pickle.dumps(e)),
        lambda e: RuleEnsemble.from_json(e.to_json()),
        lambda e: e.scorecard().ensemble,
        lambda e: e.compile().ensemble,
    ],
    ids=["votes", "slice", "pickle", "JSON", "scorecard", "compile"],
)
def test_it_survives(change):
    assert change(KNOWING).experience == KNOWING.experience


def test_models_with_other_experience_are_not_equal():
    assert replace(KNOWING, experience=()) != KNOWING
    assert replace(KNOWING, experience=dict(reversed(SEEN.items()))) == KNOWING
    assert len({KNOWING, replace(KNOWING), replace(KNOWING, experience=())}) == 2


@pytest.mark.parametrize(
    ("experience", "message"),
    [
        ({"income": SEEN["age"]}, "experience names 'income', which is not in columns"),
        ({"age": (18, 84)}, "experience must hold ColumnExperience, found"),
        (7, "experience must be a sequence of pairs"),
    ],
)
def test_other_experience_is_refused(experience, message):
    with pytest.raises((TypeError, ValueError), match=message):
        replace(ENSEMBLE, experience=experience)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"missing": 1}, "missing must be True or False"),
        ({"missing": True, "range": (2, 1)}, "the smaller one first"),
        ({"missing": True, "range": (1, 2, 3)}, "must hold two numbers"),
        ({"missing": True, "range": (0, float("inf"))}, "range must be finite"),
        ({"missing": True, "categories": "AB"}, "found the single string 'AB'"),
        ({"missing": True, "range": (1, 2), "categories": ()}, "a range or categories, not both"),
    ],
)
def test_a_column_that_cannot_be_is_refused(parts, message):
    with pytest.raises((TypeError, ValueError), match=message):
        ColumnExperience(**parts)
