"""Changes of a model, their refit, and what is told of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from editing.models import COLUMNS, at_least, model, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb import Condition, LLTBoostClassifier, Membership, Rule
from sorb.editing import (
    AddRule,
    ChangeCondition,
    DropRule,
    EditLog,
    ForbidRule,
    PinVote,
    edit,
)
from sorb.editing.vote_refit import FittingRows
from sorb.rules import ColumnExperience

CHANGES = st.one_of(
    st.builds(DropRule, st.integers(0, 2)),
    st.builds(ForbidRule, st.integers(0, 2)),
    st.builds(PinVote, st.integers(0, 2), st.floats(-3, 3)),
    st.builds(
        lambda rule, column, t: ChangeCondition(rule, at_least(column, t)),
        st.integers(0, 2),
        st.sampled_from(COLUMNS),
        st.floats(-1, 1),
    ),
    st.builds(
        lambda column, t: AddRule(Rule(at_least(column, t), 0.5)),
        st.sampled_from(COLUMNS),
        st.floats(-1, 1),
    ),
)


def votes(ensemble):
    return [rule.vote for rule in ensemble]


@pytest.mark.parametrize("given", [(), rows(0, "squared")])
def test_models_remember_their_training(given):
    seen = {name: ColumnExperience(missing=False, range=(-9, 9)) for name in COLUMNS}
    before = replace(model("squared"), experience=tuple(seen.items()))
    found = edit(before, [DropRule(0), AddRule(Rule(at_least("a", 0.0), 0.5))], *given)
    assert dict(found.ensemble.experience) == seen
    assert dict(edit(before, [DropRule(0)], *given).ensemble.experience).keys() == {"b", "c"}


def test_without_rows_only_what_was_asked_for_changes():
    before = model("squared")
    found = edit(before, [DropRule(0), PinVote(2, 4.0), AddRule(Rule(at_least("a", 0.0), 0.5))])
    assert (found.effects, found.reg_lambda) == ((), None)
    assert votes(found.ensemble) == [before[1].vote, 4.0, 0.5]
    assert found.ensemble.offset == before.offset
    assert found.original == before


def test_rules_keep_their_numbers():
    before = model("logistic")
    added = Rule(at_least("a", 0.7), 0.0)
    found = edit(before, [DropRule(0), AddRule(added), PinVote(3, 1.5), PinVote(1, -1.5)])
    assert votes(found.ensemble) == [-1.5, before[2].vote, 1.5]


def test_a_pinned_vote_stays_through_later_changes():
    X, y = rows(0, "logistic")
    found = edit(model("logistic"), [PinVote(0, 1.25), DropRule(1), PinVote(2, 0.5)], X, y)
    assert votes(found.ensemble) == [1.25, 0.5]


def applicable(changes):
    """Leave out what is about rules that were dropped."""
    dropped, kept = set(), []
    for change in changes:
        if isinstance(change, AddRule) or change.rule not in dropped:
            kept.append(change)
        if isinstance(change, (DropRule, ForbidRule)):
            dropped.add(change.rule)
    return kept


@settings(max_examples=40)
@given(
    changes=st.lists(CHANGES, min_size=1, max_size=4).map(applicable),
    loss=st.sampled_from(["logistic", "squared"]),
)
def test_refitting_after_each_change_ends_where_a_single_refit_does(changes, loss):
    X, y = rows(3, loss)
    found = edit(model(loss), changes, X, y, reg_lambda=0.5)
    last = edit(model(loss), changes).ensemble
    dropped = {c.rule for c in changes if isinstance(c, (DropRule, ForbidRule))}
    present = [k for k in range(len(last) + len(dropped)) if k not in dropped]
    pinned = {c.rule for c in changes if isinstance(c, PinVote)}
    stays = [number in pinned for number in present]
    at_once = FittingRows.of(last, COLUMNS, X, y, None, None).refit(last, stays, 0.5)
    assert [r.condition for r in found.ensemble] == [r.condition for r in last]
    assert found.ensemble(X) == pytest.approx(at_once(X), rel=1e-4, abs=1e-5)


def test_a_forbidden_rule_may_not_come_back():
    before = model("logistic")
    bad = before[1]
    forbidden = ForbidRule(1, reason="nobody may be judged by this")
    assert edit(before, [forbidden]).ensemble == edit(before, [DropRule(1)]).ensemble
    for back in (AddRule(replace(bad, vote=0.5)), ChangeCondition(0, bad.condition)):
        with pytest.raises(ValueError, match="this condition was forbidden"):
            edit(before, [forbidden, back])
        assert bad.condition in [
            rule.condition for rule in edit(before, [DropRule(1), back]).ensemble
        ]


def test_effects_tell_what_changed_for_whom():
    X, y = rows(4, "logistic")
    changes = [DropRule(1), DropRule(0)]
    found = edit(model("logistic"), changes, X, y, reg_lambda=1.0)
    between = edit(model("logistic"), changes[:1], X, y, reg_lambda=1.0).ensemble
    models = [found.original, between, found.ensemble]
    for effect, old, new in zip(found.effects, models[:2], models[1:], strict=True):
        moved = np.flatnonzero(old.predict(X) != new.predict(X))
        change = np.abs(old.predict_proba(X)[:, 1] - new.predict_proba(X)[:, 1])
        assert (effect.reclassified, effect.first_rows) == (len(moved), tuple(moved[:20]))
        assert effect.largest_change == pytest.approx(change.max())
        assert effect.mean_change == pytest.approx(change.mean())
        assert effect.n_rows == len(X)
    assert found.effects[0].risk_after == found.effects[1].risk_before


def test_numbers_are_told_by_the_row_that_changes_most():
    X, y = rows(5, "squared")
    before = model("squared")
    found = edit(before, [DropRule(0)], X, y)
    change = np.abs(before.predict(X) - found.ensemble.predict(X))
    (effect,) = found.effects
    assert (effect.reclassified, effect.first_rows) == (None, (int(change.argmax()),))
    assert "another class" not in str(effect)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([DropRule(3)], r"cannot drop rule 4: there is no such rule, only 1, 2, 3"),
        ([DropRule(0), PinVote(0, 1.0)], r"cannot pin the vote of rule 1 at \+1: .* only 2, 3"),
        ([AddRule(Rule(at_least("d", 0.0), 1.0))], r"'d'"),
        ([ChangeCondition(0, at_least("d", 0.0))], r"'d'"),
        ([AddRule(Rule(at_least("a", 0.0), 1.0, output=1))], r"output"),
    ],
)
def test_what_does_not_apply_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        edit(model("logistic"), changes)


def test_rows_and_outcomes_belong_together():
    X, y = rows(0, "logistic")
    with pytest.raises(ValueError, match="pass both X and y"):
        edit(model("logistic"), [], X)
    with pytest.raises(ValueError, match="need X and y"):
        edit(model("logistic"), [], sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="reg_lambda must not be negative"):
        edit(model("logistic"), [], X, y, reg_lambda=-1)
    with pytest.raises(TypeError, match="expected a RuleEnsemble"):
        edit("model.json", [])


@pytest.mark.parametrize(("threshold", "told"), [(1e6, "covers no row"), (-1e6, "covers all rows")])
def test_rules_that_cover_no_row_or_all_are_warned_of_unless_pinned(threshold, told):
    added = AddRule(Rule(at_least("a", threshold), 0.5))
    with pytest.warns(UserWarning, match=f"rule 4, a ≥ .*{told}.*pin its vote") as caught:
        model("squared").edited([added], *rows(0, "squared"))
    with pytest.warns(UserWarning, match="pin its vote") as directly:
        edit(model("squared"), [added], *rows(0, "squared"))
    assert [caught[0].filename, directly[0].filename] == [__file__] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        edit(model("squared"), [added, PinVote(3, 1.0)], *rows(0, "squared"))
        edit(model("squared"), [added, DropRule(3)], *rows(0, "squared"))


def test_outcomes_of_one_class_are_refused():
    before = model("logistic")
    X, y = rows(0, "logistic")
    for weight in (None, (np.asarray(y) == y[0]).astype(float)):
        outcomes = [y[0]] * len(y) if weight is None else y
        with pytest.raises(ValueError, match=f"y holds only the class {str(y[0])!r}"):
            edit(before, [DropRule(0)], X, outcomes, weight)


def test_columns_that_an_edit_brings_in_have_the_experience_of_its_rows():
    X, y = rows(0, "squared")
    before = model("squared")
    before = replace(before, rules=before.rules[:1])
    (used,) = before.used_columns
    other = next(name for name in COLUMNS if name != used)
    seen = ColumnExperience(missing=False, range=(-9, 9))
    remembering = replace(before, experience=((used, seen),))
    added = AddRule(Rule(at_least(other, 0.0), 0.5))
    weight = np.arange(len(y)) % 2
    found = dict(edit(remembering, [added], X, y, weight).ensemble.experience)
    values = np.asarray(X, dtype=float)[weight > 0, before.columns.index(other)]
    assert found[used] == seen
    assert found[other].range == (np.nanmin(values), np.nanmax(values))
    assert found[other].missing == bool(np.isnan(values).any())
    assert edit(before, [added], X, y).ensemble.experience == ()


def test_numbers_that_are_only_asked_whether_they_are_missing_are_remembered_as_a_range():
    X, y = rows(0, "squared")
    X[::7, 1] = np.nan
    before = replace(model("squared")[:1], experience=(("a", ColumnExperience(False, (0, 1))),))
    added = AddRule(Rule(Condition((Membership("b", (), missing=True),)), 0.5))
    found = dict(edit(before, [added], X, y).ensemble.experience)
    assert found["b"].categories is None
    assert found["b"].range == (np.nanmin(X[:, 1]), np.nanmax(X[:, 1]))


RARE = {"softmax": {"x": 0.3, "y": 4.0}, "logistic": {"yes": 5.0}}


@pytest.mark.parametrize("loss", ["logistic", "softmax"])
@pytest.mark.parametrize("weights", ["balanced", "of classes"])
def test_classes_are_weighed_as_in_the_fit(loss, weights):
    X, y = rows(0, loss, 300)
    y[X[:, 0] < 0.3] = y[0]
    class_weight = weights if weights == "balanced" else RARE[loss]
    settings = {"max_rules": 3, "selection": None, "effort": "low"}
    fit = LLTBoostClassifier(class_weight=class_weight, **settings).fit(X, y)
    learned = fit.ensemble_
    found = edit(learned, [PinVote(0, learned[0].vote)], X, y)
    np.testing.assert_allclose(
        found.ensemble.offsets_and_votes, learned.offsets_and_votes, rtol=1e-4, atol=1e-4
    )
    assert len(found.class_weights) == len(learned.classes)
    again = edit(learned, EditLog.from_json(found.to_json()), X, y)
    assert again.ensemble == found.ensemble


def test_rows_of_recalibrated_models_count_as_they_are():
    X, y = rows(0, "logistic", 300)
    y[X[:, 0] < 0.3] = "no"
    settings = {"max_rules": 2, "selection": None, "effort": "low"}
    weighted = LLTBoostClassifier(class_weight="balanced", **settings).fit(X, y)
    found = edit(weighted.recalibrate(X, y).ensemble_, [DropRule(0)], X, y)
    assert found.class_weights is None
    expected = found.ensemble.loss.mean(found.ensemble(X)).mean()
    assert expected == pytest.approx(np.mean(y == "yes"))
