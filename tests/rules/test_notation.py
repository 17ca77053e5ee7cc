"""How numbers and names are written, and that they read back."""

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st
from rule_strategies import (
    NASTY_NAMES,
    column_names,
    for_all,
    numbers,
)
from rules.printed_rules import (
    read_name,
)

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble, notation


class TestReadBack:
    @for_all(column_names)
    def test_names(self, name):
        assert read_name(notation.name(name)) == name

    @for_all(numbers)
    def test_all_digits_of_a_number(self, value):
        assert float(notation.number(value, None).replace("−", "-")) == value

    @for_all(st.floats(-1e308, 1e308))
    @example(9.9996)
    @example(0.99996)
    @example(999999999.7)
    def test_few_digits_of_a_number_are_close(self, value):
        read = float(notation.number(value, 3).replace("−", "-"))
        assert abs(read - value) <= 0.00501 * abs(value)


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_a_name_that_could_be_misread_is_quoted(name):
    plain = {"größe", "身高"}
    assert notation.name(name).startswith('"') == (name not in plain)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (40.0, "40"),
        (-2.5, "−2.5"),
        (2 / 3, "0.667"),
        (0.8602, "0.86"),
        (123456.7, "123457"),
        (12345678.0, "12345678"),
        (999999999.0, "999999999"),
        (1e9, "1e9"),
        (1.5e9, "1.5e9"),
        (0.0001, "0.0001"),
        (0.00009999, "1e−4"),
        (-0.00012345, "−0.000123"),
        (0.000012345, "1.23e−5"),
        (9.996, "10"),
    ],
)
def test_number(value, text):
    assert notation.number(value, 3) == text


def test_a_single_digit_is_enough():
    assert notation.number(2.57, 1) == "3"


@pytest.mark.parametrize(("value", "text"), [(1.5, "+1.5"), (0.0, "+0"), (-1.5, "−1.5")])
def test_signs_are_always_written(value, text):
    assert notation.signed(value, 3) == text


def test_letters_of_any_language_stay_as_they_are_in_quotes():
    assert notation.name("größe in m") == '"größe in m"'


@pytest.mark.parametrize("digits", [0, -1, 10**30, 2.5, "x", True])
def test_the_number_of_digits_is_refused_wherever_it_is_given(digits):
    proposition = Proposition(("a",), (1.0,), 0.0)
    rule = Rule(Condition((proposition,)), 1.0)
    ensemble = RuleEnsemble(0.0, (rule,), ("a",), "logistic")
    expected = f"^digits must be a whole number from 1 to 1000, .*, found {digits!r}"
    formats = (proposition.format, rule.condition.format, rule.format, ensemble.format)
    for write in (*formats, ensemble.describe):
        with pytest.raises((ValueError, TypeError), match=expected):
            write(digits=digits)


def test_digits_may_be_whole_numbers_of_any_type():
    assert notation.check_digits(np.int64(3)) == 3
    assert notation.check_digits(None) is None
