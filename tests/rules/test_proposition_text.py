"""Printed propositions, read back by a parser that shares nothing with the printer."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from rule_strategies import (
    LABELS,
    STRAY,
    all_ensembles,
    all_ensembles_with_rows,
    as_array,
    for_all,
    named,
    parts,
    product_value,
    products,
    propositions,
    values,
    weighted_sum,
)
from rules.printed_rules import (
    TOKEN,
    Labels,
    Measured,
    read_condition,
    read_ensemble,
    read_part,
)

from sorb.rules import Condition, Membership, Product, Proposition


def read_proposition(printed):
    (read,) = read_part(TOKEN.findall(printed))
    return read


def read_columns(printed):
    if isinstance(printed, (Measured, Labels)):
        return (printed.name,)
    return tuple(name for name, *_ in printed.terms)


@st.composite
def ranges_with_rows(draw):
    """Give two bounds of the same quantity, between which another part may stand, and a row."""
    kind = draw(st.sampled_from([propositions, products]))
    low = draw(kind(("a", "b", "c"), missing=st.booleans()))
    row = {name: draw(st.none() | values | st.integers(1, 8).map(float)) for name in "abc"}
    if isinstance(low, Product):
        low = replace(low, at_most=False)
        high = replace(low, at_most=True, threshold=low.threshold * draw(st.integers(1, 4)))
    else:
        weights = tuple(-weight for weight in low.weights)
        high = replace(low, weights=weights, threshold=-low.threshold + draw(st.integers(-4, 0)))
    bounds = draw(st.permutations([low, high, Membership("d", ("male ≤ 3",))]))
    row["d"] = draw(st.sampled_from(["male ≤ 3", "female", None]))
    return Condition(tuple(bounds)), row


class TestReadBack:
    @for_all(all_ensembles_with_rows(), examples=80)
    def test_all_digits_decide_every_row_alike(self, drawn):
        ensemble, table = drawn
        lines = read_ensemble(ensemble.format(digits=None))[np.size(ensemble.offset) :]
        rows = [named(ensemble, row) for row in table]
        read = [[all(p.covers(row) for p in line.condition) for line in lines] for row in rows]
        assert read == ensemble.covers(as_array(table)).tolist()

    @for_all(propositions(("a", "b", "c")), st.tuples(values, values, values), examples=80)
    def test_all_digits_decide_boundary_rows_alike(self, proposition, row):
        row = dict(zip("abc", row, strict=True))
        total = weighted_sum(proposition, row)
        assume(math.isfinite(total) and math.isfinite(math.nextafter(total, math.inf)))
        sides = [
            Proposition(proposition.columns, proposition.weights, threshold)
            for threshold in (total, math.nextafter(total, math.inf))
        ]
        read = [read_proposition(side.format(digits=None)) for side in sides]
        assert [side.covers(row) for side in read] == [True, False]

    @for_all(
        products(("a", "b", "c"), powers=st.sampled_from([1.0, 2.0, -1.0, -2.0])),
        st.tuples(*[st.floats(1e-5, 1e5)] * 3),
        examples=80,
    )
    def test_all_digits_decide_products_on_the_boundary_alike(self, product, row):
        row = dict(zip("abc", row, strict=True))
        value = product_value(product, row)
        beyond = math.nextafter(value, 0.0 if product.at_most else math.inf)
        sides = [
            Product(product.columns, product.powers, threshold, product.at_most)
            for threshold in (value, beyond)
        ]
        read = [read_proposition(side.format(digits=None)) for side in sides]
        assert [side.covers(row) for side in read] == [True, False]

    @for_all(all_ensembles)
    def test_all_digits_give_the_weights(self, ensemble):
        weights = [line.vote for line in read_ensemble(ensemble.format(digits=None))]
        offsets = np.atleast_1d(ensemble.offset).tolist()
        assert weights == offsets + [rule.vote for rule in ensemble]

    @for_all(all_ensembles)
    def test_few_digits_name_the_same_columns(self, ensemble):
        printed = [p for line in read_ensemble(str(ensemble)) for p in line.condition]
        assert sorted(map(read_columns, printed)) == sorted(p.columns for p in parts(ensemble))

    @for_all(all_ensembles)
    def test_which_way_missing_values_go(self, ensemble):
        for proposition in parts(ensemble):
            read = read_proposition(str(proposition))
            if isinstance(read, Measured):
                assert read.measured != proposition.missing
            else:
                missing = proposition.columns if proposition.missing else ()
                assert tuple(read.missing) == missing

    @for_all(ranges_with_rows(), examples=80)
    def test_all_digits_of_a_range_decide_every_row_alike(self, drawn):
        condition, row = drawn
        tokens = TOKEN.findall(condition.format(digits=None))
        assert "≥" not in tokens
        covered = condition(as_array([list(row.values())]), list(row)).item()
        assert all(p.covers(row) for p in read_condition(tokens)) == covered

    @pytest.mark.parametrize("label", [*STRAY, *(label for known in LABELS for label in known)])
    def test_categories(self, label):
        printed = Membership("a", (label,)), Membership("a", (label, "another"))
        for read in (read_proposition(str(membership)).categories[0] for membership in printed):
            assert (type(read), read) == (type(label), label)


@pytest.mark.parametrize(
    ("columns", "weights", "threshold", "text"),
    [
        (["age"], [1.0], 40.0, "age ≥ 40"),
        (["age"], [-1.0], -40.0, "age ≤ 40"),
        (["age"], [-2.0], 0.0, "age ≤ 0"),
        (["age"], [3.0], 10.0, "3 age ≥ 10"),
        (["age"], [0.1234567], 5.0, "age ≥ 40.5"),
        (["a", "b"], [0.86, -1.0], -0.5, "0.86 a − b ≥ −0.5"),
        (["a", "b"], [-0.86, 1.0], 0.5, "0.86 a − b ≤ −0.5"),
        (["a", "b"], [2.0, -4.0], 6.0, "2 a − 4 b ≥ 6"),
        (["a", "b"], [5.0, 3.0], 7.1, "5 a + 3 b ≥ 7.1"),
        (["a", "b"], [20.0, -40.0], 60.0, "0.5 a − b ≥ 1.5"),
        (["a", "b"], [2.0, -3.0], 5.0, "2 a − 3 b ≥ 5"),
        (["a", "b"], [9.0, -9.0], 4.5, "9 a − 9 b ≥ 4.5"),
        (["a", "b"], [10.0, -3.0], 5.0, "a − 0.3 b ≥ 0.5"),
        (["a", "b"], [2.123456, 3.123456], 5.123456, "0.68 a + b ≥ 1.64"),
        (["a b", "c"], [1.0, 1.0], 1.0, '"a b" + c ≥ 1'),
        (["a", "b"], [1e-300, 1.5e-300], 1e200, "1e−300 a + 1.5e−300 b ≥ 1e200"),
        (["a", "b"], [1e300, 1.5e300], 1e-200, "1e300 a + 1.5e300 b ≥ 1e−200"),
        (["a"], [1.0], 1999.56, "a ≥ 2000"),
    ],
)
def test_proposition(columns, weights, threshold, text):
    assert str(Proposition(tuple(columns), tuple(weights), threshold)) == text


@pytest.mark.parametrize(
    ("columns", "powers", "threshold", "at_most", "text"),
    [
        (["weight", "height"], [1, -2], 25.321, False, "weight / height² ≥ 25.32"),
        (["a", "b"], [1, 1], 2.0, True, "a · b ≤ 2"),
        (["a"], [-1], 2.0, False, "1 / a ≥ 2"),
        (["a"], [1], 2.0, True, "a¹ ≤ 2"),  # unlike a ≤ 2, false of values ≤ 0
        (["a", "b"], [-3, -1], 2.0, False, "1 / (a³ · b) ≥ 2"),
        (["a", "b", "c"], [0.5, 12, -1 / 3], 2.0, False, "a^0.5 · b¹² / c^0.333 ≥ 2"),
        (["a b", "²"], [2, 1], 1e-7, False, '"a b"² · "²" ≥ 1e−7'),
        (["a"], [1e-5], 1e12, False, "a^1e−5 ≥ 1e12"),
    ],
)
def test_product(columns, powers, threshold, at_most, text):
    assert str(Product(tuple(columns), tuple(powers), threshold, at_most)) == text


@pytest.mark.parametrize(
    ("categories", "flags", "text"),
    [
        (("A", "B"), {}, "g in {A, B}"),
        (("A", "B"), {"negated": True}, "g not in {A, B}"),
        (("A",), {}, "g = A"),
        (("A",), {"negated": True}, "g ≠ A"),
        (("A",), {"missing": True}, "g = A or g missing"),
        (("A",), {"negated": True, "missing": True}, "g ≠ A or g missing"),
        (("male ≤ 3",), {}, 'g = "male ≤ 3"'),
        (("a = b or c missing",), {}, 'g = "a = b or c missing"'),
        (("measured",), {}, 'g = "measured"'),
        (("3",), {}, 'g = "3"'),
        ((3,), {"negated": True}, "g ≠ 3"),
        ((-2.5,), {}, "g = -2.5"),
        ((True,), {}, "g = True"),
        (("a b", "1", 1, 2.5, True), {}, 'g in {"a b", "1", 1, 2.5}'),
        ((-1, "in", "missing"), {"missing": True}, 'g in {-1, "in", "missing"} or g missing'),
        ((), {"missing": True}, "g missing"),
        ((), {"negated": True}, "g measured"),
    ],
)
def test_membership(categories, flags, text):
    categories = tuple(dict.fromkeys(categories))
    assert str(Membership("g", categories, **flags)) == text


UNITS = {"kg": "kg", "m": "m", "t": "s", "v": "m/s", "w": "m/s", "x": "km", "y": "m"}


@pytest.mark.parametrize(
    ("proposition", "text"),
    [
        (Proposition(("kg",), (1.0,), 80.0), "kg ≥ 80 kg"),
        (Proposition(("n",), (1.0,), 80.0), "n ≥ 80"),
        (Proposition(("m", "y"), (1.0, -1.0), 2.0), "m − y ≥ 2 m"),
        (Proposition(("m", "kg"), (1.0, -1.0), 2.0), "m − kg ≥ 2 (adds m and kg)"),
        (Proposition(("m", "n"), (1.0, -1.0), 2.0), "m − n ≥ 2 (adds m and a number)"),
        (
            Proposition(("m", "kg", "t", "y"), (1.0, 1.0, 1.0, 1.0), 2.0, missing=True),
            "m + kg + t + y ≥ 2 (adds m, kg and s) or m or kg or t or y missing",
        ),
        (Product(("kg", "m"), (1, -2), 25.0), "kg / m² ≥ 25 kg/m²"),
        (Product(("kg", "n"), (1, -2), 25.0), "kg / n² ≥ 25"),
        (Product(("m", "y"), (1, -1), 2.0), "m / y ≥ 2"),
        (Product(("m", "y"), (0.3, -0.3), 2.0), "m^0.3 / y^0.3 ≥ 2"),
        (Product(("m", "y"), (0.3, -0.3 + 4e-10), 2.0), "m^0.3 / y^0.3 ≥ 2"),
        (Product(("m", "y"), (0.3, -0.3 + 1e-9), 2.0), "m^0.3 / y^0.3 ≥ 2 m^1e−9"),
        (Product(("m", "y"), (1, 1), 2.0), "m · y ≥ 2 m²"),
        (Product(("t",), (-1,), 2.0), "1 / t ≥ 2 1/s"),
        (Product(("x", "v"), (1, -1), 2.0), "x / v ≥ 2 km/(m/s)"),
        (Product(("v",), (2,), 2.0, missing=True), "v² ≥ 2 (m/s)² or v missing"),
        (Product(("kg", "m", "t"), (1, -1, -2), 2.0), "kg / (m · t²) ≥ 2 kg/(m·s²)"),
        (Membership("kg", ("A",)), "kg = A"),
    ],
)
def test_units(proposition, text):
    assert proposition.format(units=UNITS) == text


def test_units_of_a_rule_with_several_parts():
    sum_and_ratio = (
        Proposition(("m", "kg"), (1.0, 1.0), 2.0),
        Product(("kg", "m"), (1, -2), 25.0, missing=True),
    )
    assert Condition(sum_and_ratio).format(units=UNITS) == (
        "m + kg ≥ 2 (adds m and kg)  and  (kg / m² ≥ 25 kg/m² or kg or m missing)"
    )


YOUNG = Proposition(("age",), (-1.0,), -20.5)
BORN = Proposition(("age",), (1.0,), 1.5)
SUM = Proposition(("a", "b"), (1.0, -2.0), -3.0), Proposition(("a", "b"), (-1.0, 2.0), -4.0)
RATIO = Product(("kg", "m"), (1, -2), 18.5), Product(("kg", "m"), (1, -2), 25.0, at_most=True)


@pytest.mark.parametrize(
    ("propositions", "text"),
    [
        ((BORN, YOUNG), "1.5 ≤ age ≤ 20.5"),
        ((YOUNG, BORN), "1.5 ≤ age ≤ 20.5"),
        ((YOUNG, Membership("g", ("A",)), BORN), "1.5 ≤ age ≤ 20.5  and  g = A"),
        ((replace(BORN, weights=(2.0,), threshold=3.0), YOUNG), "1.5 ≤ age ≤ 20.5"),
        (
            (replace(BORN, missing=True), replace(YOUNG, missing=True)),
            "1.5 ≤ age ≤ 20.5 or age missing",
        ),
        (
            (replace(BORN, missing=True), YOUNG),
            "(age ≥ 1.5 or age missing)  and  age ≤ 20.5",
        ),
        (SUM, "−3 ≤ a − 2 b ≤ 4"),
        (RATIO, "18.5 ≤ kg / m² ≤ 25 kg/m²"),
        ((*SUM, *RATIO), "−3 ≤ a − 2 b ≤ 4  and  18.5 ≤ kg / m² ≤ 25 kg/m²"),
        ((BORN, replace(YOUNG, threshold=-1.5)), "age = 1.5"),
        ((SUM[0], replace(SUM[1], threshold=3.0)), "a − 2 b = −3"),
        ((RATIO[0], replace(RATIO[1], threshold=18.5)), "kg / m² = 18.5 kg/m²"),
    ],
)
def test_two_bounds_of_the_same_quantity_are_a_range(propositions, text):
    assert Condition(propositions).format(units=UNITS) == text


def test_a_range_is_rendering_only():
    assert Condition((BORN, YOUNG)).complexity == 4
