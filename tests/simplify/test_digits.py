"""Round numbers, against a search through all short decimals."""

import math
from decimal import Decimal

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from simplify.tables import for_all

from sorb.simplify.digits import MOST_DIGITS, neighbours, roundest, significant_digits

finite = st.floats(allow_nan=False, allow_infinity=False)


@for_all(finite)
def test_the_digits_read_back_and_one_less_does_not(value):
    digits = significant_digits(value)
    assert float(f"{value:.{digits - 1}e}") == value
    if digits > 1:
        assert float(f"{value:.{digits - 2}e}") != value


@for_all(finite, st.integers(1, MOST_DIGITS))
def test_neighbours_enclose_the_value(value, digits):
    found = neighbours(value, digits)
    assert all(significant_digits(number) <= digits for number in found)
    assert min(found) <= value or len(found) == 1
    assert max(found) >= value or len(found) == 1
    distances = [abs(Decimal(number) - Decimal(value)) for number in found]
    # The distances are compared as written in decimals, which may differ in the last place.
    assert float(distances[0]) <= float(distances[-1]) * (1 + 1e-9) + 1e-300


@for_all(st.integers(-999, 999), st.integers(1, 2))
def test_no_shorter_number_lies_between_the_neighbours(value, digits):
    short = [n for n in range(-2000, 2001) if significant_digits(float(n)) <= digits]
    below = max(n for n in short if n <= value)
    above = min(n for n in short if n >= value)
    # Of a number below 1 in size the neighbours would be finer than integers.
    assume(value != 0)
    assert set(neighbours(float(value), digits)) == {float(below), float(above)}


@for_all(finite, finite)
def test_roundest_is_in_the_interval(a, b):
    assume(a != b)
    lower, upper = min(a, b), max(a, b)
    assert lower < roundest(lower, upper) <= upper


@for_all(st.integers(-300, 300), st.integers(1, 200))
def test_nothing_in_the_interval_is_rounder(lower, width):
    upper = lower + width
    best = roundest(lower / 100, upper / 100)
    inside = [n / 100 for n in range(lower + 1, upper + 1)]
    fewest = min(map(significant_digits, inside))
    assert significant_digits(best) <= fewest
    equals = [n for n in inside if significant_digits(n) == significant_digits(best)]
    middle = (lower + upper) / 200
    if best != 0:
        assert all(abs(best - middle) <= abs(n - middle) + 1e-12 for n in equals)


@pytest.mark.parametrize("lower", [0.1, -7.0, 1e300, 5e-324, -5e-324, 0.0])
def test_next_float_is_found(lower):
    upper = math.nextafter(lower, math.inf)
    assert roundest(lower, upper) == upper


@pytest.mark.parametrize(("upper", "found"), [(3.0, 0.0), (3.1, 1.0)])
def test_zero_wins_in_the_inner_half_only(upper, found):
    assert roundest(-1.0, upper) == found


def test_largest_float_has_a_neighbour():
    assert neighbours(1.7976931348623157e308, 1) == (1e308,)
