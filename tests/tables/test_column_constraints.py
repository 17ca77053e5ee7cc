import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sorb.rules import Condition, Membership, Product, Proposition
from sorb.tables.column_constraints import ANY_VOTE, ColumnConstraints, check_directions
from sorb.tables.schema import Schema

RISING, FALLING = (0.0, math.inf), (-math.inf, 0.0)
OLDER = Proposition(("age",), (1.0,), 40.0)
YOUNGER = Proposition(("age",), (-1.0,), -60.0)


def votes(directions, *propositions):
    return ColumnConstraints(directions).vote_range(Condition(propositions))


@pytest.mark.parametrize(
    ("proposition", "expected"),
    [
        (OLDER, RISING),
        (YOUNGER, FALLING),
        (Proposition(("bmi",), (1.0,), 25.0), ANY_VOTE),
        (Proposition(("age", "bmi"), (0.5, -1.0), 0.0), RISING),
        (Product(("age", "bmi"), (1, -2), 2.0), RISING),
        (Product(("age", "bmi"), (1, -2), 2.0, at_most=True), FALLING),
        (Product(("bmi", "age"), (1, -2), 2.0), FALLING),
        (Product(("bmi", "age"), (1, -2), 2.0, at_most=True), RISING),
        (Membership("age", (), missing=True), ANY_VOTE),
    ],
    ids=str,
)
def test_a_vote_has_the_sign_in_which_the_condition_grows(proposition, expected):
    assert votes({"age": 1}, proposition) == expected
    assert votes({"age": -1}, proposition) == (-expected[1], -expected[0])


def test_two_columns_must_agree():
    both = Proposition(("age", "bmi"), (1.0, 1.0), 0.0)
    assert votes({"age": 1, "bmi": 1}, both) == RISING
    assert votes({"age": 1, "bmi": -1}, both) is None


def test_all_propositions_must_agree():
    assert votes({"age": 1}, OLDER, YOUNGER) is None
    assert votes({"age": 1}, OLDER, Proposition(("bmi",), (-1.0,), -25.0)) == RISING


@given(st.dictionaries(st.sampled_from("abc"), st.sampled_from((-1, 0, 1))))
def test_directions_by_name_and_by_position_are_the_same(directions):
    schema = Schema.of_numbers(("a", "b", "c"))
    by_position = [directions.get(name, 0) for name in "abc"]
    expected = {name: sign for name, sign in directions.items() if sign}
    assert check_directions(directions, schema) == expected
    assert check_directions(by_position, schema) == expected


@pytest.mark.parametrize("given", [[1], [[1, 0, 1]], 1, "up"], ids=str)
def test_another_shape_is_refused(given):
    with pytest.raises(ValueError, match="one entry for each of the 3 columns"):
        check_directions(given, Schema.of_numbers(("a", "b", "c")))


def test_categories_without_a_direction_are_fine():
    schema = Schema(("sex", "age"), (("f", "m"), None))
    assert check_directions([0, 1], schema) == {"age": 1}
