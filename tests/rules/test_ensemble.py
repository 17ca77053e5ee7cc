import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st
from rule_strategies import (
    ensembles,
    ensembles_with_rows,
    for_all,
    satisfies,
)

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
TALL = Condition((Proposition(("height", "age"), (1.0, -0.5), 150.0),))
ENSEMBLE = RuleEnsemble(
    0.5, (Rule(OLD, 1.0), Rule(TALL, -2.0)), ("age", "weight", "height"), "squared"
)
TABLE = {"age": [40.0, 20.0], "weight": [70.0, 80.0], "height": [170.0, 160.0]}


def as_rows(ensemble, table):
    return [dict(zip(ensemble.columns, row, strict=True)) for row in table]


def decide(ensemble, row):
    scores = list(np.atleast_1d(ensemble.offset).tolist())
    for rule in ensemble:
        if satisfies(rule.condition, row):
            scores[rule.output] = scores[rule.output] + rule.weight
    return scores if ensemble.loss == "softmax" else scores[0]


class TestDecision:
    @for_all(ensembles_with_rows())
    def test_is_what_plain_python_finds(self, drawn):
        ensemble, table = drawn
        expected = [decide(ensemble, row) for row in as_rows(ensemble, table)]
        np.testing.assert_array_equal(ensemble(np.array(table)), expected)

    @for_all(ensembles_with_rows())
    def test_members_are_those_of_the_conditions(self, drawn):
        ensemble, table = drawn
        rows = as_rows(ensemble, table)
        expected = [[satisfies(rule.condition, row) for rule in ensemble] for row in rows]
        assert ensemble.members(np.array(table)).tolist() == expected

    @for_all(ensembles_with_rows())
    def test_contributions_are_those_of_the_rules(self, drawn):
        ensemble, table = drawn
        X = np.array(table)
        expected = [rule(X, ensemble.columns) for rule in ensemble]
        found = ensemble.contributions(X)
        assert found.T.tolist() == [column.tolist() for column in expected]

    def test_softmax_gives_a_column_for_each_class(self):
        rules = (Rule(OLD, 3.0, 1),)
        ensemble = RuleEnsemble((0.0, 1.0), rules, ("age",), "softmax", ("a", "b"))
        assert ensemble(np.array([[40.0], [0.0]])).tolist() == [[0.0, 4.0], [0.0, 1.0]]

    def test_nothing_but_the_offset(self):
        assert ENSEMBLE[:0](np.zeros((2, 3))).tolist() == [0.5, 0.5]

    def test_no_rows(self):
        assert ENSEMBLE(np.zeros((0, 3))).shape == (0,)

    def test_array_of_wrong_width(self):
        with pytest.raises(ValueError, match="expected an array of 3 columns, found 2"):
            ENSEMBLE(np.zeros((2, 2)))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
class TestFrames:
    @pytest.mark.parametrize("method", ["__call__", "members", "contributions"])
    def test_like_an_array(self, frame, method):
        array = np.array([TABLE[name] for name in ENSEMBLE.columns]).T
        found = getattr(ENSEMBLE, method)(frame(TABLE))
        np.testing.assert_array_equal(found, getattr(ENSEMBLE, method)(array))

    @for_all(order=st.permutations(["age", "weight", "height", "extra"]))
    def test_order_and_extra_columns_are_irrelevant(self, frame, order):
        table = {**TABLE, "extra": ["x", "y"]}
        shuffled = frame({name: table[name] for name in order})
        np.testing.assert_array_equal(ENSEMBLE(shuffled), ENSEMBLE(frame(TABLE)))

    def test_unused_columns_may_be_missing(self, frame):
        used = frame({"age": TABLE["age"], "height": TABLE["height"]})
        np.testing.assert_array_equal(ENSEMBLE(used), ENSEMBLE(frame(TABLE)))

    def test_used_columns_may_not(self, frame):
        with pytest.raises(ValueError, match="missing columns: 'age', 'height'"):
            ENSEMBLE(frame({"weight": TABLE["weight"]}))

    def test_nasty_column_names(self, frame):
        name = "\"a\\b\" ≥ 'c'\n"
        condition = Condition((Proposition((name,), (1.0,), 1.0),))
        assert condition(frame({name: [0.0, 1.0]})).tolist() == [False, True]


class TestSequence:
    @for_all(ensembles(), st.slices(4))
    def test_slices_keep_all_but_the_rules(self, ensemble, part):
        rules = ensemble.rules[part]
        expected = RuleEnsemble(
            ensemble.offset, rules, ensemble.columns, ensemble.loss, ensemble.classes
        )
        assert ensemble[part] == expected

    @for_all(ensembles())
    def test_items_are_the_rules(self, ensemble):
        assert [ensemble[i] for i in range(len(ensemble))] == list(ensemble)

    @for_all(ensembles(), st.integers(0, 4))
    def test_complexity_is_additive(self, ensemble, k):
        assert ensemble[:k].complexity + ensemble[k:].complexity == ensemble.complexity

    def test_complexity_counts_rules_propositions_and_weights(self):
        assert ENSEMBLE.complexity == 2 + 2 + 3

    def test_used_columns_are_in_order(self):
        assert ENSEMBLE.used_columns == ("age", "height")


class TestValue:
    @for_all(ensembles())
    def test_pickles(self, ensemble):
        assert pickle.loads(pickle.dumps(ensemble)) == ensemble

    @for_all(ensembles())
    def test_copies_have_the_same_hash(self, ensemble):
        assert hash(copy.deepcopy(ensemble)) == hash(ensemble)

    @for_all(ensembles())
    def test_repr_is_python(self, ensemble):
        assert eval(repr(ensemble)) == ensemble

    @pytest.mark.parametrize(("value", "field"), [(ENSEMBLE, "offset"), (ENSEMBLE[0], "weight")])
    def test_is_frozen(self, value, field):
        with pytest.raises(AttributeError):
            setattr(value, field, 2.0)

    def test_numpy_labels_become_plain(self):
        ensemble = RuleEnsemble(0.0, (), ("a",), "logistic", np.array(["no", "yes"]))
        assert [type(label) for label in ensemble.classes] == [str, str]

    @pytest.mark.parametrize("kind", [np.bool_, np.int64, np.float32])
    def test_numpy_numbers_as_labels_become_plain(self, kind):
        ensemble = RuleEnsemble(0.0, (), ("a",), "logistic", np.array([0, 1]).astype(kind))
        assert not any(isinstance(label, np.generic) for label in ensemble.classes)

    def test_numpy_offsets_become_plain(self):
        ensemble = RuleEnsemble(np.zeros(2), (), ("a",), "softmax", (0, 1))
        assert [type(value) for value in ensemble.offset] == [float, float]


class TestWithWeights:
    @for_all(ensembles())
    def test_own_weights_change_nothing(self, ensemble):
        weights = [rule.weight for rule in ensemble]
        assert ensemble.with_weights(ensemble.offset, weights) == ensemble

    def test_sets_weights(self):
        changed = ENSEMBLE.with_weights(7, np.array([8.0, 9.0]))
        assert (changed.offset, [rule.weight for rule in changed]) == (7.0, [8.0, 9.0])

    def test_needs_one_for_each_rule(self):
        with pytest.raises(ValueError, match="2 rules need as many weights, found 1"):
            ENSEMBLE.with_weights(0.0, [1.0])


RULES = (Rule(OLD, 1.0),)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0.0, (), ("a",), "hinge"), ValueError, "loss must be one of squared, .* found hinge"),
        ((np.inf, (), ("a",), "squared"), ValueError, "offset must be finite"),
        (((0.0, 1.0), (), ("a",), "squared"), TypeError, "offset must be a number"),
        ((0.0, (), ("a",), "softmax", (0, 1)), TypeError, "offset must hold one number for each"),
        (((0.0,), (), ("a",), "softmax", (0,)), ValueError, "at least two numbers, found 1"),
        (((0.0, np.nan), (), ("a",), "softmax", (0, 1)), ValueError, r"offset\[1\] must be finite"),
        (((0.0, 1.0), (), ("a",), "softmax"), ValueError, "classes must be given"),
        (((0.0, 1.0), (), ("a",), "softmax", (0, 1, 2)), ValueError, "hold 2 labels, found 3"),
        ((0.0, (), ("a",), "logistic", ()), ValueError, "hold 1 or 2 labels, found 0"),
        ((0.0, (), ("a",), "logistic", ("a", "a")), ValueError, "classes must be distinct"),
        ((0.0, (), ("a",), "logistic", (1, True)), ValueError, "classes must be distinct"),
        ((0.0, (), ("a",), "logistic", "no"), TypeError, "the single text 'no'"),
        ((0.0, (), ("a",), "logistic", (0, None)), TypeError, r"classes\[1\] must be a string"),
        ((0.0, (), ("a",), "logistic", (0, np.nan)), ValueError, r"classes\[1\] must be finite"),
        ((0.0, (), ("a",), "logistic", (0, "\ud800")), ValueError, "valid Unicode"),
        ((0.0, (), ("a",), "squared", (0, 1)), ValueError, "must be None if the loss is squared"),
        ((0.0, (), ("a", "a"), "squared"), ValueError, "found 'a' twice"),
        ((0.0, RULES, ("a",), "squared"), ValueError, r"rules\[0\].condition uses 'age'"),
        ((0.0, (OLD,), ("age",), "squared"), TypeError, "rules must hold Rule"),
        (
            (0.0, (Rule(OLD, 1.0, 1),), ("age",), "squared"),
            ValueError,
            r"rules\[0\].output must be less than 1, found 1",
        ),
    ],
)
def test_ensemble_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        RuleEnsemble(*arguments)
