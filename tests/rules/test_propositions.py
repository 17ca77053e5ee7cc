import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from rule_strategies import (
    LABELS,
    any_propositions,
    as_array,
    flags,
    for_all,
    is_close_call,
    layouts,
    memberships,
    product_value,
    products,
    propositions,
    raised,
    satisfied,
    values,
    weighted_sum,
)

from sorb.rules import Membership, Product, Proposition
from sorb.rules.columns import ColumnSource

COLUMNS = ("a", "b", "c", "d")


def at_least(column, threshold):
    return Proposition((column,), (1.0,), threshold)


def named(row):
    return dict(zip(COLUMNS, row, strict=True))


rows = st.lists(values, min_size=4, max_size=4)
tables = st.lists(st.lists(values | st.none(), min_size=4, max_size=4), min_size=1, max_size=3)


class TestAllKinds:
    """What holds of any proposition, on columns of numbers and of labels."""

    anything = layouts().flatmap(any_propositions)

    @for_all(anything)
    def test_pickles(self, proposition):
        assert pickle.loads(pickle.dumps(proposition)) == proposition

    @for_all(anything)
    def test_equals_have_the_same_hash(self, proposition):
        assert hash(eval(repr(proposition))) == hash(proposition)

    @for_all(anything)
    def test_repr_is_python(self, proposition):
        assert eval(repr(proposition)) == proposition

    @for_all(anything, st.sampled_from([1, 3, None]))
    def test_tokens_are_what_is_printed(self, proposition, digits):
        tokens = proposition.tokens(digits)
        assert "".join(token.text for token in tokens) == proposition.format(digits)
        assert sum(token.kind == "name" for token in tokens) >= len(proposition.columns)

    def test_is_frozen(self):
        with pytest.raises(AttributeError):
            at_least("a", 1.0).threshold = 2.0


class TestSum:
    @for_all(propositions(COLUMNS, missing=flags), tables, examples=80)
    def test_decides_as_plain_python_does(self, proposition, table):
        expected = [satisfied(proposition, named(row)) for row in table]
        assert proposition(as_array(table), COLUMNS).tolist() == expected

    @for_all(propositions(COLUMNS, missing=flags), rows)
    def test_covers_the_boundary(self, proposition, row):
        total = weighted_sum(proposition, named(row))
        if math.isfinite(total):
            on_it = replace(proposition, threshold=total)
            assert on_it(np.array([row]), COLUMNS).all()

    @for_all(propositions(COLUMNS), rows)
    def test_does_not_cover_just_below_the_boundary(self, proposition, row):
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
    @pytest.mark.parametrize("missing", [False, True])
    def test_nan_goes_where_missing_says(self, weight, missing):
        proposition = Proposition(("a",), (weight,), 0.0, missing)
        assert proposition(np.array([[np.nan]]), ("a",)).tolist() == [missing]

    def test_overflow_is_infinite_and_silent(self):
        assert Proposition(("a",), (1e300,), 1.0)(np.array([[1e300]]), ("a",)).all()

    @pytest.mark.parametrize("missing", [False, True])
    def test_infinity_minus_infinity_is_not_known(self, missing):
        proposition = Proposition(("a", "b"), (1.0, -1.0), 0.0, missing)
        assert proposition(np.array([[np.inf, np.inf]]), ("a", "b")).tolist() == [missing]

    def test_leaves_the_table_alone(self):
        table = np.array([[1.0, 2.0]])
        Proposition(("a", "b"), (3.0, 4.0), 0.0)(table, ("a", "b"))
        assert table.tolist() == [[1.0, 2.0]]

    def test_takes_any_source_of_columns(self):
        source = ColumnSource({"a": np.array([1.0, 2.0])}.__getitem__, {}.__getitem__, 2)
        assert at_least("a", 2.0).covers(source).tolist() == [False, True]

    def test_gives_plain_python_values(self):
        made = Proposition(np.array(["a"]), np.array([2], dtype=np.int32), np.float32(1))
        kinds = [type(made.columns[0]), type(made.weights[0]), type(made.threshold)]
        assert kinds == [str, float, float]

    def test_knows_no_negative_zero(self):
        assert math.copysign(1.0, at_least("a", -0.0).threshold) == 1.0

    @for_all(propositions(COLUMNS))
    def test_complexity_counts_weights_and_itself(self, proposition):
        assert proposition.complexity == 1 + len(proposition.weights)

    @pytest.mark.parametrize(
        ("columns", "weights", "threshold", "error", "message"),
        [
            ((), (), 0.0, ValueError, "at least one column"),
            (("a",), (1.0, 2.0), 0.0, ValueError, "1 columns need as many weights, found 2"),
            (("a", "a"), (1.0, 2.0), 0.0, ValueError, "found 'a' twice"),
            (("",), (1.0,), 0.0, ValueError, r"columns\[0\] must not be empty"),
            (("\ud800",), (1.0,), 0.0, ValueError, "valid Unicode"),
            ((3,), (1.0,), 0.0, TypeError, r"columns\[0\] must be a string, found 3"),
            (3, (1.0,), 0.0, TypeError, "columns must be a sequence of names, found 3"),
            (("a",), 1.0, 0.0, TypeError, r"weights must be a sequence of numbers, found 1\.0"),
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

    def test_refuses_an_invalid_flag(self):
        with pytest.raises(TypeError, match="missing must be True or False, found 'left'"):
            Proposition(("a",), (1.0,), 0.0, missing="left")


class TestProduct:
    @for_all(products(COLUMNS), tables, examples=80)
    def test_decides_as_plain_python_does(self, product, table):
        assume(not any(is_close_call(product, named(row)) for row in table))
        expected = [satisfied(product, named(row)) for row in table]
        assert product(as_array(table), COLUMNS).tolist() == expected

    @for_all(
        products(COLUMNS, powers=st.sampled_from([1.0, 2.0, 3.0, -1.0, -2.0])),
        st.lists(st.floats(1e-5, 1e5), min_size=4, max_size=4),
        examples=80,
    )
    def test_whole_powers_are_exact_on_the_boundary(self, product, row):
        value = product_value(product, named(row))
        assume(0 < value < math.inf)
        beyond = math.nextafter(value, 0.0 if product.at_most else math.inf)
        assume(beyond > 0)
        found = [
            Product(product.columns, product.powers, t, product.at_most)(np.array([row]), COLUMNS)
            for t in (value, beyond)
        ]
        assert [bool(held[0]) for held in found] == [True, False]

    @for_all(st.floats(1e-3, 1e3), st.floats(0.01, 30).filter(lambda p: not p.is_integer()))
    def test_broken_powers_are_those_of_the_platform(self, value, power):
        source = ColumnSource({"a": np.array([value])}.__getitem__, {}.__getitem__, 1)
        found = Product(("a",), (power,), 1.0).quantity(source)
        assert found[0] == pytest.approx(raised(value, power), rel=1e-14)

    @pytest.mark.parametrize("value", [0.0, -2.0, np.nan, -np.inf])
    @pytest.mark.parametrize("power", [1.0, 2.0, -1.0, 0.5])
    @pytest.mark.parametrize("at_most", [False, True])
    @pytest.mark.parametrize("missing", [False, True])
    def test_what_is_not_positive_is_missing(self, value, power, at_most, missing):
        product = Product(("a", "b"), (1.0, power), 1.0, at_most, missing)
        assert product(np.array([[2.0, value]]), ("a", "b")).tolist() == [missing]

    @pytest.mark.parametrize("missing", [False, True])
    def test_infinity_by_infinity_is_not_known(self, missing):
        product = Product(("a", "b"), (1.0, -1.0), 1.0, missing=missing)
        assert product(np.array([[np.inf, np.inf]]), ("a", "b")).tolist() == [missing]

    def test_overflow_is_infinite_and_silent(self):
        assert Product(("a",), (2.0,), 1.0)(np.array([[1e300]]), ("a",)).all()

    def test_division_by_what_is_too_small_is_infinite_and_silent(self):
        assert Product(("a",), (-2.0,), 1.0)(np.array([[1e-300]]), ("a",)).all()

    def test_columns_above_the_line_come_first(self):
        product = Product(("a", "b", "c"), (-1.0, 2.0, 1.0), 3.0)
        assert (product.columns, product.powers) == (("b", "c", "a"), (2.0, 1.0, -1.0))

    def test_leaves_the_table_alone(self):
        table = np.array([[2.0, 3.0]])
        Product(("a", "b"), (2.0, -1.0), 1.0)(table, ("a", "b"))
        assert table.tolist() == [[2.0, 3.0]]

    @for_all(products(COLUMNS))
    def test_complexity_counts_powers_and_itself(self, product):
        assert product.complexity == 1 + len(product.powers)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (((), (), 1.0), ValueError, "at least one column"),
            ((("a",), (1, 2), 1.0), ValueError, "1 columns need as many powers, found 2"),
            ((("a",), (0,), 1.0), ValueError, r"powers\[0\] must not be zero"),
            ((("a",), (math.inf,), 1.0), ValueError, r"powers\[0\] must be finite"),
            ((("a",), (1,), 0.0), ValueError, "threshold of a product must be positive, found 0"),
            ((("a",), (1,), -2.0), ValueError, "must be positive, found -2"),
            ((("a",), (1,), 1.0, "yes"), TypeError, "at_most must be True or False, found 'yes'"),
            ((("a",), (1,), 1.0, True, 1), TypeError, "missing must be True or False, found 1"),
        ],
    )
    def test_refuses(self, arguments, error, message):
        with pytest.raises(error, match=message):
            Product(*arguments)


known_labels = st.sampled_from(LABELS)


class TestMembership:
    @for_all(st.data(), examples=80)
    def test_decides_as_plain_python_does(self, data):
        known = data.draw(known_labels)
        membership = data.draw(memberships("a", known))
        column = data.draw(st.lists(st.sampled_from([*known, None, math.nan]), min_size=1))
        expected = [satisfied(membership, {"a": label}) for label in column]
        table = np.array([column], dtype=object).T
        assert membership(table, ("a",)).tolist() == expected

    @pytest.mark.parametrize(
        ("label", "category", "equal"),
        [
            (1, 1.0, True),
            (1.0, True, True),
            (False, 0, True),
            (1, "1", False),
            ("A", "a", False),
            (2**60 + 1, 2**60, False),
            (np.float32(0.1), 0.1, False),
            (np.str_("A"), "A", True),
        ],
    )
    def test_labels_are_equal_as_in_python(self, label, category, equal):
        table = np.array([[label]], dtype=object)
        assert Membership("a", (category,))(table, ("a",)).tolist() == [equal]

    @pytest.mark.parametrize("label", [[1], {"A": 1}, {1, 2}, np.zeros(2), (1, [2])])
    @pytest.mark.parametrize("negated", [False, True])
    def test_what_can_be_no_category_is_in_no_set(self, label, negated):
        table = np.empty((2, 1), dtype=object)
        table[0, 0], table[1, 0] = label, "A"
        found = Membership("a", ("A",), negated)(table, ("a",))
        assert found.tolist() == [negated, not negated]

    def test_large_numbers_are_compared_exactly(self):
        table = np.array([[2**60], [2**60 + 1]])
        assert Membership("a", (2**60 + 1,))(table, ("a",)).tolist() == [False, True]

    def test_asks_for_missing_or_known(self):
        table = np.array([[1.0], [np.nan]])
        missing, known = Membership("a", (), missing=True), Membership("a", (), negated=True)
        assert missing(table, ("a",)).tolist() == [False, True]
        assert known(table, ("a",)).tolist() == [True, False]

    @pytest.mark.parametrize(("categories", "complexity"), [((), 2), (("A",), 2), (("A", "B"), 3)])
    def test_complexity_counts_categories_and_itself(self, categories, complexity):
        assert Membership("a", categories, negated=True).complexity == complexity

    def test_gives_plain_python_values(self):
        made = Membership("a", np.array([1, 2], dtype=np.int8))
        assert [type(category) for category in made.categories] == [int, int]

    def test_takes_any_sequence_of_labels(self):
        source = ColumnSource({}.__getitem__, {"a": ["A", None, "B"]}.__getitem__, 3)
        assert Membership("a", ("A",)).covers(source).tolist() == [True, False, False]

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (("", ("A",)), ValueError, "must not be empty"),
            ((3, ("A",)), TypeError, "must be a string, found 3"),
            (("a", 3), TypeError, "categories must be a sequence of labels, found 3"),
            (("a", "AB"), TypeError, "categories must be a sequence of labels, found the single"),
            (("a", ("A", "A")), ValueError, "categories must be distinct"),
            (("a", (1, True)), ValueError, "categories must be distinct"),
            (("a", (None,)), TypeError, r"categories\[0\] must be a string, a number or a bool"),
            (("a", (math.nan,)), ValueError, r"categories\[0\] must be finite"),
            (("a", ("\ud800",)), ValueError, r"categories\[0\] must be valid Unicode"),
            (("a", ()), ValueError, "'a' without categories would never be true"),
            (("a", (), True, True), ValueError, "'a' without categories would always be true"),
            (("a", ("A",), None), TypeError, "negated must be True or False, found None"),
            (("a", ("A",), False, 0), TypeError, "missing must be True or False, found 0"),
        ],
    )
    def test_refuses(self, arguments, error, message):
        with pytest.raises(error, match=message):
            Membership(*arguments)
