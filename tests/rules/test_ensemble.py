import copy
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import strategies as st
from rule_strategies import (
    all_ensembles,
    all_ensembles_with_rows,
    as_array,
    flags,
    for_all,
    named,
    satisfies,
)
from rules.small_models import ENSEMBLE, OLD

from sorb import losses
from sorb.rules import (
    ColumnExperience,  # noqa: F401  # in a repr
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
    columns,
)

TABLE = {"age": [40.0, 20.0], "weight": [70.0, 80.0], "height": [170.0, 160.0]}


def decide(ensemble, row):
    scores = list(np.atleast_1d(ensemble.offset).tolist())
    for rule in ensemble:
        if satisfies(rule.condition, row):
            scores[rule.output] = scores[rule.output] + rule.vote
    return scores if ensemble.loss.score_per_class else scores[0]


class TestDecision:
    @for_all(all_ensembles_with_rows(), examples=80)
    def test_is_what_plain_python_finds(self, drawn):
        ensemble, table = drawn
        expected = [decide(ensemble, named(ensemble, row)) for row in table]
        np.testing.assert_array_equal(ensemble(as_array(table)), expected)

    @for_all(all_ensembles_with_rows())
    def test_covered_rows_are_those_of_the_conditions(self, drawn):
        ensemble, table = drawn
        rows = [named(ensemble, row) for row in table]
        expected = [[satisfies(rule.condition, row) for rule in ensemble] for row in rows]
        assert ensemble.covers(as_array(table)).tolist() == expected

    @for_all(all_ensembles_with_rows())
    def test_contributions_are_those_of_the_rules(self, drawn):
        ensemble, table = drawn
        X = as_array(table)
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


def as_frame(ensemble, rows):
    cells = zip(*rows, strict=True)
    series = {c: pd.Series(v, dtype=object) for c, v in zip(ensemble.columns, cells, strict=True)}
    return pd.DataFrame(series)


def answers(ensemble, table):
    found = [ensemble(table), ensemble.covers(table), ensemble.predict(table)]
    return [*found, ensemble.predict_proba(table)] if ensemble.loss.has_classes else found


class TestBlocks:
    """A table of more rows than a block has is read block by block."""

    @for_all(all_ensembles_with_rows(), flags, examples=60)
    def test_change_nothing(self, drawn, framed):
        ensemble, rows = drawn
        table = as_frame(ensemble, rows * 3) if framed else as_array(rows * 3)
        expected = answers(ensemble, table)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(columns, "BLOCK_ROWS", 2)
            found = answers(ensemble, table)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)

    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ">f8", np.int64, bool])
    def test_of_any_type_and_layout(self, dtype, order, monkeypatch):
        monkeypatch.setattr(columns, "BLOCK_ROWS", 7)
        X = np.random.default_rng(0).integers(0, 300, size=(40, 6))
        X = np.asarray(X, dtype=dtype, order=order)[::-2, ::2]
        expected = ENSEMBLE(pd.DataFrame(X.astype(np.float64), columns=ENSEMBLE.columns))
        assert ENSEMBLE(X).tolist() == expected.tolist()

    def test_of_an_array_that_is_not_aligned(self):
        packed = np.zeros(40, dtype=[("flag", "u1"), ("row", "f8", 3)])
        packed["row"] = np.random.default_rng(0).integers(0, 300, size=(40, 3))
        X = packed["row"]
        assert not X.flags.aligned
        assert ENSEMBLE(X).tolist() == ENSEMBLE(X.copy()).tolist()
        rule = ENSEMBLE[1].condition
        assert rule(X, ENSEMBLE.columns).tolist() == rule(X.copy(), ENSEMBLE.columns).tolist()

    def test_are_not_copies_of_the_table(self):
        X = np.zeros((200_000, 3), dtype=np.float32)
        ENSEMBLE(X[:10])
        tracemalloc.start()
        ENSEMBLE(X)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1.2 * 8 * len(X)  # the scores, and little else


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
class TestFrames:
    @pytest.mark.parametrize("method", ["__call__", "covers", "contributions", "predict"])
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
    @for_all(all_ensembles, st.slices(4))
    def test_slices_keep_all_but_the_rules(self, ensemble, part):
        assert ensemble[part] == replace(ensemble, rules=ensemble.rules[part])

    @for_all(all_ensembles)
    def test_items_are_the_rules(self, ensemble):
        assert [ensemble[i] for i in range(len(ensemble))] == list(ensemble)

    @for_all(all_ensembles, st.integers(0, 4))
    def test_complexity_is_additive(self, ensemble, k):
        assert ensemble[:k].complexity + ensemble[k:].complexity == ensemble.complexity

    def test_complexity_counts_rules_propositions_and_weights(self):
        assert ENSEMBLE.complexity == 2 + 2 + 3

    def test_used_columns_are_in_order(self):
        assert ENSEMBLE.used_columns == ("age", "height")


class TestValue:
    @for_all(all_ensembles)
    def test_pickles(self, ensemble):
        assert pickle.loads(pickle.dumps(ensemble)) == ensemble

    @for_all(all_ensembles)
    def test_copies_have_the_same_hash(self, ensemble):
        assert hash(copy.deepcopy(ensemble)) == hash(ensemble)

    @for_all(all_ensembles)
    def test_repr_is_python(self, ensemble):
        assert eval(repr(ensemble), {**globals(), **vars(losses)}) == ensemble

    @pytest.mark.parametrize(("value", "field"), [(ENSEMBLE, "offset"), (ENSEMBLE[0], "vote")])
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
    @for_all(all_ensembles)
    def test_own_weights_change_nothing(self, ensemble):
        weights = [rule.vote for rule in ensemble]
        assert ensemble.with_votes(ensemble.offset, weights) == ensemble

    def test_sets_weights(self):
        changed = ENSEMBLE.with_votes(7, np.array([8.0, 9.0]))
        assert (changed.offset, [rule.vote for rule in changed]) == (7.0, [8.0, 9.0])

    def test_needs_one_for_each_rule(self):
        with pytest.raises(ValueError, match="2 rules need as many votes, found 1"):
            ENSEMBLE.with_votes(0.0, [1.0])


class TestUnits:
    HEAVY = Condition((Product(("weight", "height"), (1, -2), 25.0),))

    def ensemble(self, units):
        rules = (Rule(OLD, 1.0), Rule(self.HEAVY, 2.0))
        return RuleEnsemble(0.0, rules, ENSEMBLE.columns, "squared", units=units)

    def test_are_kept_in_the_order_of_the_columns(self):
        made = self.ensemble({"height": "m", "weight": "kg", "age": ""})
        assert made.units == (("weight", "kg"), ("height", "m"))

    def test_pairs_and_mappings_are_alike(self):
        units = {"weight": "kg", "age": "years"}
        assert self.ensemble(units) == self.ensemble(tuple(units.items()))

    def test_are_printed(self):
        printed = str(self.ensemble({"age": "years", "weight": "kg", "height": "m"}))
        assert printed.splitlines()[1:] == [
            "+1  if  age ≥ 40 years",
            "+2  if  weight / height² ≥ 25 kg/m²",
        ]

    def test_are_in_the_page(self):
        made = self.ensemble({"age": "years"})
        assert "age ≥ 40 years" in made._repr_html_()

    def test_stay_when_rules_or_weights_change(self):
        made = self.ensemble({"age": "years"})
        assert made[:1].with_votes(1.0, [2.0]).units == made.units

    @pytest.mark.parametrize(
        ("units", "error", "message"),
        [
            ({"heigth": "m"}, ValueError, "units names 'heigth', which is not in columns"),
            ({"age": 3}, TypeError, r"units\['age'\] must be a printable string, found 3"),
            ({"age": "a\nb"}, TypeError, r"units\['age'\] must be a printable string"),
        ],
    )
    def test_refuses(self, units, error, message):
        with pytest.raises(error, match=message):
            self.ensemble(units)


class TestRates:
    RATES = RuleEnsemble(0.0, (Rule(OLD, 1.0),), ("age",), "poisson", per_exposure=True)

    def test_are_said_to_be_rates(self):
        assert self.RATES.outcome_words() == "expected count per unit of exposure"
        assert self.RATES.vote_words().endswith("expected count per unit of exposure")
        first = self.RATES.describe().splitlines()[0]
        assert first.startswith("The logarithm of the expected count per unit of exposure, as a")

    def test_stay_when_rules_or_votes_change(self):
        assert self.RATES[:0].with_votes(1.0, []).per_exposure

    @pytest.mark.parametrize(
        ("given", "error", "message"),
        [
            (True, ValueError, "per_exposure must be False if the loss is squared"),
            (1, TypeError, "per_exposure must be True or False, found 1"),
        ],
    )
    def test_refuses(self, given, error, message):
        with pytest.raises(error, match=message):
            RuleEnsemble(0.0, (), ("age",), "squared", per_exposure=given)


class TestAllKinds:
    """Sums, products and categories side by side, on one table."""

    RULES = (
        Rule(Condition((Product(("weight", "height"), (1, -2), 25.0, missing=True),)), 1.0),
        Rule(Condition((Membership("group", ("A", "AB")),)), 2.0),
        Rule(Condition((Proposition(("weight",), (-1.0,), -60.0),)), 4.0),
    )
    ENSEMBLE = RuleEnsemble(0.0, RULES, ("weight", "height", "group"), "squared")
    ROWS = ((100.0, 2.0, "A"), (50.0, 2.0, "O"), (None, 2.0, None), (70.0, 1.0, "AB"))
    DECISIONS = (3.0, 4.0, 1.0, 3.0)

    def test_on_an_array_of_objects(self):
        assert self.ENSEMBLE(np.array(self.ROWS, dtype=object)).tolist() == [*self.DECISIONS]

    def test_prints(self):
        assert str(self.ENSEMBLE) == (
            "+0  always\n"
            "+1  if  weight / height² ≥ 25 or weight or height missing\n"
            "+2  if  group in {A, AB}\n"
            "+4  if  weight ≤ 60"
        )

    def test_complexity_counts_rules_propositions_and_what_is_in_them(self):
        assert self.ENSEMBLE.complexity == 3 + 3 + (2 + 2 + 1)

    def test_points_are_the_same_as_those_of_the_function(self):
        logistic = replace(self.ENSEMBLE, loss="logistic")
        assert logistic.scorecard(max_points=4).points == (1, 2, 4)

    def test_simplification_is_that_of_the_function(self):
        rows = np.array(self.ROWS, dtype=object)
        exact = replace(self.ENSEMBLE, offset=0.123456)
        assert exact.simplify(rows, vote_loss=0.1).ensemble.offset == 0.1
        assert exact.simplify(rows, [3.0, 4.0, 1.0, 3.0], vote_loss=0).ensemble.offset == 0.123456
        changed = exact.simplify(rows, None, [1, 1, 1, 0], changed_rows=1)
        assert changed.certificate.n_rows == 3


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
        (
            (0.0, (), ("a",), "logistic", 3),
            TypeError,
            "classes must be a sequence of labels, found",
        ),
        (
            (0.0, None, ("a",), "squared"),
            TypeError,
            "rules must be a sequence of rules, found None",
        ),
        ((0.0, (), None, "squared"), TypeError, "columns must be a sequence of names, found None"),
        ((None, (), ("a",), "softmax", (0, 1)), TypeError, "offset must hold one number for each"),
        ((0.0, (), ("a",), "squared", None, 3), TypeError, "units must be a mapping from columns"),
        ((0.0, (), ("a",), "logistic", "no"), TypeError, "the single string 'no'"),
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
        (
            (-6e299, (Rule(OLD, 5e299),), ("age",), "squared"),
            ValueError,
            r"offset and votes must add up to at most 1e\+300 in size, found 1.1e\+300",
        ),
        (
            ((1.7e308, -1.7e308), (), ("age",), "softmax", (0, 1)),
            ValueError,
            "in size, found inf",
        ),
    ],
)
def test_ensemble_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        RuleEnsemble(*arguments)


def test_votes_must_be_a_sequence():
    with pytest.raises(TypeError, match="votes must be a sequence of numbers, found 3"):
        ENSEMBLE.with_votes(0.0, 3)
