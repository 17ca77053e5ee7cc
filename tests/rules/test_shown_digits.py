import pytest

from sorb.rules import Product, Proposition
from sorb.rules.shown_digits import automatic_digits


@pytest.mark.parametrize(
    ("votes", "digits"),
    [([0.5], 3), ([0.5, 0.1234], 4), ([1.2345678], 8), ([1.23456789], 3), ([], 3)],
)
def test_three_to_eight_digits_are_shown(votes, digits):
    assert automatic_digits(votes, ()) == digits


@pytest.mark.parametrize(
    "proposition",
    [
        Proposition(("a",), (1.0,), 0.12345),
        Proposition(("a", "b"), (1.0, 0.12345), 1.0),
        Product(("a", "b"), (1.0, 0.12345), 1.0),
        Product(("a", "b"), (1.0, -1.0), 0.12345),
    ],
)
def test_all_numbers_of_a_condition_are_shown_in_full(proposition):
    assert automatic_digits([0.5], [proposition]) == 5
