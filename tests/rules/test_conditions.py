import math
import pickle

import numpy as np
import pytest
from hypothesis import strategies as st
from rule_strategies import (
    conditions,
    for_all,
    propositions,
    satisfies,
    short_numbers,
    values,
    weighted_sum,
)

from sorb.rules import Condition, Proposition

COLUMNS = ("a", "b", "c", "d")


def at_least(column, threshold):
    return Proposition((column,), (1.0,), threshold)


def at_most(column, threshold):
    return Proposition((column,), (-1.0,), -threshold)


def named(row):
    return dict(zip(COLUMNS, row, strict=True))


rows = st.lists(values, min_size=4, max_size=4)


class TestProposition:
    @for_all(propositions(COLUMNS), st.lists(rows, min_size=1, max_size=3))
    def test_decides_as_plain_python_does(self, proposition, table):
        expected = [weighted_sum(proposition, named(row)) >= proposition.threshold for row in table]
        assert proposition(np.array(table), COLUMNS).tolist() == expected

    @for_all(propositions(COLUMNS), rows)
    def test_holds_on_the_boundary(self, proposition, row):
        total = weighted_sum(proposition, named(row))
        if math.isfinite(total):
            on_it = Proposition(proposition.columns, proposition.weights, total)
            assert on_it(np.array([row]), COLUMNS).all()

    @for_all(propositions(COLUMNS), rows)
    def test_fails_just_below_the_boundary(self, proposition, row):
        above = math.nextafter(weighted_sum(proposition, named(row)), math.inf)
        if math.isfinite(above):
            below = Proposition(proposition.columns, proposition.weights, above)
            assert not below(np.array([row]), COLUMNS).any()

    def test_adds_from_left_to_right(self):
        # (1e16 + 1) − 1e16 is 0 in float64, while (1e16 − 1e16) + 1 is 1.
        row = np.array([[1e16, 1.0, 1e16]])
        proposition = Proposition(("a", "b", "c"), (1.0, 1.0, -1.0), 1.0)
        assert not proposition(row, ("a", "b", "c")).any()

    def test_rounds_products_before_adding(self):
        # A fused multiply-add would find 0.1 * 10 − 1 = 5.6e-17.
        proposition = Proposition(("a", "b"), (-1.0, 0.1), 1e-20)
        assert not proposition(np.array([[1.0, 10.0]]), ("a", "b")).any()

    def test_widens_float32_first(self):
        table = np.array([[0.1]], dtype=np.float32)
        assert Proposition(("a",), (1.0,), float(np.float32(0.1)))(table, ("a",)).all()

    def test_widened_float32_is_not_the_decimal(self):
        table = np.array([[0.3]], dtype=np.float32)
        exact = Proposition(("a",), (-1.0,), -0.3)
        assert not exact(table, ("a",)).any()

    @pytest.mark.parametrize("weight", [1.0, -1.0])
    def test_nan_satisfies_nothing(self, weight):
        assert not Proposition(("a",), (weight,), 0.0)(np.array([[np.nan]]), ("a",)).any()

    def test_overflow_is_infinite_and_silent(self):
        assert Proposition(("a",), (1e300,), 1.0)(np.array([[1e300]]), ("a",)).all()

    def test_infinity_minus_infinity_satisfies_nothing(self):
        proposition = Proposition(("a", "b"), (1.0, -1.0), 0.0)
        assert not proposition(np.array([[np.inf, np.inf]]), ("a", "b")).any()

    def test_leaves_the_table_alone(self):
        table = np.array([[1.0, 2.0]])
        Proposition(("a", "b"), (3.0, 4.0), 0.0)(table, ("a", "b"))
        assert table.tolist() == [[1.0, 2.0]]

    def test_takes_any_function_of_the_name(self):
        columns = {"a": np.array([1.0, 2.0])}
        assert at_least("a", 2.0).holds(columns.__getitem__).tolist() == [False, True]

    def test_gives_plain_python_values(self):
        made = Proposition(np.array(["a"]), np.array([2], dtype=np.int32), np.float32(1))
        kinds = [type(made.columns[0]), type(made.weights[0]), type(made.threshold)]
        assert kinds == [str, float, float]

    def test_knows_no_negative_zero(self):
        assert math.copysign(1.0, at_least("a", -0.0).threshold) == 1.0

    @for_all(propositions(COLUMNS))
    def test_complexity_counts_weights_and_itself(self, proposition):
        assert proposition.complexity == 1 + len(proposition.weights)

    @for_all(propositions(COLUMNS))
    def test_pickles(self, proposition):
        assert pickle.loads(pickle.dumps(proposition)) == proposition

    @for_all(propositions(COLUMNS))
    def test_repr_is_python(self, proposition):
        assert eval(repr(proposition)) == proposition

    def test_is_frozen(self):
        with pytest.raises(AttributeError):
            at_least("a", 1.0).threshold = 2.0

    @pytest.mark.parametrize(
        ("columns", "weights", "threshold", "error", "message"),
        [
            ((), (), 0.0, ValueError, "at least one column"),
            (("a",), (1.0, 2.0), 0.0, ValueError, "1 columns need as many weights, found 2"),
            (("a", "a"), (1.0, 2.0), 0.0, ValueError, "found 'a' twice"),
            (("",), (1.0,), 0.0, ValueError, r"columns\[0\] must not be empty"),
            (("\ud800",), (1.0,), 0.0, ValueError, "valid Unicode"),
            ((3,), (1.0,), 0.0, TypeError, r"columns\[0\] must be a string, found 3"),
            ("age", (1.0, 2.0, 3.0), 0.0, TypeError, "the single name 'age'"),
            (("a", "b"), (1.0, 0.0), 0.0, ValueError, r"weights\[1\] must not be zero"),
            (("a",), (math.nan,), 0.0, ValueError, r"weights\[0\] must be finite"),
            (("a",), (True,), 0.0, TypeError, r"weights\[0\] must be a number, found True"),
            (("a",), ("1",), 0.0, TypeError, r"weights\[0\] must be a number, found '1'"),
            (("a",), (1.0,), math.inf, ValueError, "threshold must be finite, found inf"),
            (("a",), (1.0,), 10**400, ValueError, "threshold must be finite"),
            (("a",), (1.0,), None, TypeError, "threshold must be a number, found None"),
        ],
    )
    def test_refuses(self, columns, weights, threshold, error, message):
        with pytest.raises(error, match=message):
            Proposition(columns, weights, threshold)


# Sums of small whole numbers are exact, and so many of these are parallel.
small_propositions = propositions(("a", "b"), st.integers(-2, 2).map(float))


class TestCondition:
    @for_all(conditions(COLUMNS), st.lists(rows, min_size=1, max_size=3))
    def test_decides_as_plain_python_does(self, condition, table):
        expected = [satisfies(condition, named(row)) for row in table]
        assert condition(np.array(table), COLUMNS).tolist() == expected

    @for_all(st.lists(small_propositions, min_size=2, max_size=5), short_numbers, short_numbers)
    def test_dropping_changes_no_member(self, several, a, b):
        row = {"a": a, "b": b}
        all_hold = all(weighted_sum(p, row) >= p.threshold for p in several)
        try:
            kept = Condition(tuple(several))
        except ValueError:
            assert not all_hold
        else:
            assert satisfies(kept, row) == all_hold

    @for_all(st.lists(small_propositions, min_size=1, max_size=5))
    def test_what_is_kept_stays_in_order(self, several):
        try:
            kept = Condition(tuple(several)).propositions
        except ValueError:
            return
        remaining = iter(several)
        assert all(proposition in remaining for proposition in kept)

    @pytest.mark.parametrize(
        ("first", "second", "kept"),
        [
            (at_least("a", 40.0), at_least("a", 18.0), [0]),
            (at_least("a", 18.0), at_least("a", 40.0), [1]),
            (at_least("a", 18.0), at_least("a", 18.0), [0]),
            (at_least("a", 18.0), Proposition(("a",), (3.0,), 54.0), [0]),
            (at_least("a", 18.0), at_least("b", 18.0), [0, 1]),
            (at_least("a", 18.0), at_most("a", 18.0), [0, 1]),
            (
                Proposition(("a", "b"), (1.0, -2.0), 1.0),
                Proposition(("b", "a"), (-6.0, 3.0), 6.0),
                [1],
            ),
            (
                Proposition(("a", "b"), (1.0, 2.0), 1.0),
                Proposition(("a", "b"), (2.0, 1.0), 1.0),
                [0, 1],
            ),
            (at_least("a", 1.0), Proposition(("a", "b"), (1.0, 1.0), 1.0), [0, 1]),
        ],
    )
    def test_keeps_only_what_adds_something(self, first, second, kept):
        expected = tuple((first, second)[i] for i in kept)
        assert Condition((first, second)).propositions == expected

    def test_nearly_parallel_is_not_parallel(self):
        third = Proposition(("a", "b"), (1 / 3, 1.0), 0.0)
        other = Proposition(("a", "b"), (math.nextafter(1 / 3, 1.0), 1.0), 1.0)
        assert len(Condition((third, other)).propositions) == 2

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (at_least("a", 40.0), at_most("a", 30.0)),
            (at_least("a", math.nextafter(1.0, 2.0)), at_most("a", 1.0)),
            (
                Proposition(("a", "b"), (1.0, -2.0), 1.0),
                Proposition(("b", "a"), (4.0, -2.0), -1.0),
            ),
        ],
    )
    def test_refuses_contradictions(self, first, second):
        with pytest.raises(ValueError, match="no row can satisfy both"):
            Condition((first, second))

    def test_names_the_contradiction(self):
        with pytest.raises(ValueError, match=r"a ≥ 40\.0001 and a ≤ 40"):
            Condition((at_least("a", 40.0001), at_most("a", 40.0)))

    def test_refuses_other_things(self):
        with pytest.raises(TypeError, match="propositions must hold Proposition, found 'a ≥ 1'"):
            Condition(("a ≥ 1",))

    def test_empty_is_true_for_every_row(self):
        assert Condition()(np.zeros((3, 1)), ("a",)).tolist() == [True, True, True]

    def test_empty_holds_for_any_shape(self):
        assert Condition().holds({}.__getitem__).shape == ()

    @for_all(conditions(COLUMNS))
    def test_complexity_is_the_sum(self, condition):
        assert condition.complexity == sum(p.complexity for p in condition.propositions)

    @for_all(conditions(COLUMNS))
    def test_pickles(self, condition):
        assert pickle.loads(pickle.dumps(condition)) == condition

    def test_columns_in_the_order_of_first_use(self):
        both = Proposition(("b", "a"), (1.0, 1.0), 0.0)
        assert Condition((at_least("b", 0.0), both)).columns == ("b", "a")
