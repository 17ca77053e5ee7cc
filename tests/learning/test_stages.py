import numpy as np
import pytest

from sorb.learning.stages import staged_scores
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.rules.columns import column_source

X = np.array([[0.0, 1.0], [2.0, -1.0], [3.0, 0.5]])
TALL = Condition((Proposition(("a",), (1.0,), 1.0),))
WIDE = Condition((Proposition(("b",), (1.0,), 0.0),))


def source():
    return column_source(X, ("a", "b"), ("a", "b"))


@pytest.mark.parametrize("offset", [0.25, (0.5, -1.0, 2.0)])
def test_scores_are_those_of_each_ensemble(offset):
    loss = "softmax" if isinstance(offset, tuple) else "squared"
    classes = ("x", "y", "z") if loss == "softmax" else None
    rules = (Rule(TALL, 2.0, 0), Rule(WIDE, -1.5, 2 if classes else 0))
    ensembles = [RuleEnsemble(offset, rules[:k], ("a", "b"), loss, classes) for k in range(3)]
    found = list(staged_scores(ensembles, source()))
    for scores, ensemble in zip(found, ensembles, strict=True):
        np.testing.assert_array_equal(scores, ensemble(X))


def test_a_condition_of_several_ensembles_is_evaluated_once(monkeypatch):
    asked = []
    covers = Condition.covers
    monkeypatch.setattr(Condition, "covers", lambda *args: asked.append(args[0]) or covers(*args))
    ensembles = [RuleEnsemble(0.0, (Rule(TALL, vote),), ("a", "b"), "squared") for vote in (1, 2)]
    list(staged_scores(ensembles, source()))
    assert asked == [TALL]
