"""How conditions are printed: sums and products without a leading minus, ranges, sets, gaps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sorb.rules.notation import (
    ALWAYS,
    MINUS,
    Token,
    Tokens,
    join_tokens,
    label,
    name,
    number,
    plain_number,
)

__all__ = [
    "AND",
    "conjunction",
    "is_measured",
    "is_missing",
    "linear",
    "membership",
    "or_missing",
    "product",
    "readable_scale",
]

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

AND, OR = Token("word", "  and  "), Token("word", " or ")
# Made once: a set may have a million categories.
OPEN, COMMA, CLOSE = Token("operator", "{"), Token("operator", ", "), Token("operator", "}")
AT_LEAST, AT_MOST = Token("relation", " ≥ "), Token("relation", " ≤ ")
EQUAL = Token("relation", " = ")


def linear(
    columns: Sequence[str],
    weights: Sequence[float],
    threshold: float,
    digits: int | None,
    units: Mapping[str, str] | None = None,
) -> Tokens:
    """Write "the weighted sum of these columns is at least the threshold" without a leading minus.

    Examples
    --------
    >>> join_tokens(linear(("age",), (-2.0,), -80.0, 3))
    'age ≤ 40'
    >>> join_tokens(linear(("petal", "sepal"), (1.72, -2.0), -1.0, 3))
    '0.86 petal − sepal ≥ −0.5'
    >>> join_tokens(linear(("age", "mass"), (1.0, 1.0), 90.0, 3, {"age": "years", "mass": "kg"}))
    'age + mass ≥ 90 (adds years and kg)'
    >>> join_tokens(linear(("bmi", "mass"), (1.0, 1.0), 90.0, 3, {"mass": "kg"}))
    'bmi + mass ≥ 90 (adds a number and kg)'
    """
    weights, threshold = readable_scale(weights, threshold, digits)
    relation = AT_LEAST
    if weights[0] < 0:
        weights, threshold, relation = [-w for w in weights], -threshold, AT_MOST
    total = _term(columns[0], weights[0], digits)
    for column, weight in zip(columns[1:], weights[1:], strict=True):
        total.append(Token("operator", f" {MINUS if weight < 0 else '+'} "))
        total += _term(column, abs(weight), digits)
    total.append(relation)
    total.append(Token("number", number(threshold, _threshold_digits(digits))))
    return (*total, *_unit_of_sum(columns, units or {}))


def _term(column: str, weight: float, digits: int | None) -> list[Token]:
    factor = number(weight, digits)
    factors = [] if factor == "1" else [Token("number", factor), Token("operator", " ")]
    return [*factors, Token("name", name(column))]


def _unit_of_sum(columns: Sequence[str], units: Mapping[str, str]) -> Tokens:
    known = list(dict.fromkeys(units.get(column, "") for column in columns))
    if known == [""]:
        return ()
    if len(known) == 1:
        return (Token("unit", f" {known[0]}"),)
    printed = [unit or "a number" for unit in known]
    return (Token("word", f" (adds {', '.join(printed[:-1])} and {printed[-1]})"),)


def product(
    columns: Sequence[str],
    powers: Sequence[float],
    at_most: bool,
    threshold: float,
    digits: int | None,
    units: Mapping[str, str] | None = None,
) -> Tokens:
    """Write "this product of powers is at least (or at most) the threshold" as a fraction.

    With all digits, it divides by one factor after the other, as the model does.

    Examples
    --------
    >>> join_tokens(product(("weight", "height"), (1.0, -2.0), False, 25.0, 3))
    'weight / height² ≥ 25'
    >>> three = (("b", "a", "c"), (0.5, -1.0, -3.0), True, 2.0)
    >>> print(join_tokens(product(*three, 3)), "|", join_tokens(product(*three, None)))
    b^0.5 / (a · c³) ≤ 2 | b^0.5 / a / c³ ≤ 2
    """
    terms = list(zip(columns, powers, strict=True))
    # Without its power, the text would be that of the column, which may be zero or negative.
    alone = len(terms) == 1
    over = [_factor(column, power, digits, alone) for column, power in terms if power > 0]
    under = [_factor(column, -power, digits) for column, power in terms if power < 0]
    printed = _join_factors(over, " · ") or [Token("number", "1")]
    if under and digits is None:
        printed += [Token("operator", " / "), *_join_factors(under, " / ")]
    elif under:
        divisor = _in_parentheses(_join_factors(under, " · "), len(under) > 1)
        printed += [Token("operator", " / "), *divisor]
    printed.append(AT_MOST if at_most else AT_LEAST)
    printed.append(Token("number", number(threshold, _threshold_digits(digits))))
    return (*printed, *_unit_of_product(terms, units or {}))


def _factor(column: str, power: float, digits: int | None, alone: bool = False) -> list[Token]:
    return [Token("name", name(column)), *_power_tokens(power, digits, alone)]


def _power_tokens(power: float, digits: int | None, alone: bool = False) -> list[Token]:
    text = number(power, digits)
    if text == "1" and not alone:
        return []
    if text.isdigit():
        return [Token("power", text.translate(SUPERSCRIPTS))]
    return [Token("power", f"^{text}")]


def _join_factors(factors: Sequence[list[Token]], operator: str) -> list[Token]:
    printed: list[Token] = []
    for factor in factors:
        printed += [Token("operator", operator), *factor] if printed else factor
    return printed


def _in_parentheses(part: Sequence[Token], needed: bool) -> Sequence[Token]:
    return [Token("operator", "("), *part, Token("operator", ")")] if needed else part


def _unit_of_product(terms: Sequence[tuple[str, float]], units: Mapping[str, str]) -> Tokens:
    if any(column not in units for column, _ in terms):
        return ()
    powers = _unit_powers(terms, units)
    over = [_raised_unit(unit, power) for unit, power in powers.items() if power > 0]
    under = [_raised_unit(unit, -power) for unit, power in powers.items() if power < 0]
    return (Token("unit", f" {_fraction(over, under)}"),) if over or under else ()


def _fraction(over: Sequence[str], under: Sequence[str]) -> str:
    numerator, divisor = "·".join(over) or "1", "·".join(under)
    if not under:
        return numerator
    return f"{numerator}/({divisor})" if len(under) > 1 else f"{numerator}/{divisor}"


def _unit_powers(terms: Sequence[tuple[str, float]], units: Mapping[str, str]) -> dict[str, float]:
    powers: dict[str, float] = {}
    for column, power in terms:
        # Fractional powers that cancel leave a rounding error.
        powers[units[column]] = round(powers.get(units[column], 0.0) + power, 9)
    return powers


def _raised_unit(unit: str, power: float) -> str:
    # A unit like m/s is raised as a whole.
    whole = f"({unit})" if any(sign in unit for sign in "/·*^ ") else unit
    return whole + join_tokens(_power_tokens(power, 3))


def membership(column: str, categories: Sequence[object], negated: bool) -> Tokens:
    """Write "the category is (not) this one", or "is (not) one of these".

    Examples
    --------
    >>> join_tokens(membership("group", ("A", "A B", 1), True))
    'group not in {A, "A B", 1}'
    >>> print(*(join_tokens(membership("group", (1,), negated)) for negated in (True, False)))
    group ≠ 1 group = 1
    """
    if len(categories) == 1:
        relation = Token("relation", " ≠ " if negated else " = ")
        return Token("name", name(column)), relation, Token("category", label(categories[0]))
    printed = [Token("name", name(column)), Token("word", " not in " if negated else " in ")]
    before = OPEN
    for category in categories:
        printed += (before, Token("category", label(category)))
        before = COMMA
    return (*printed, CLOSE)


def is_missing(column: str) -> Tokens:
    """Write "the value is missing"."""
    return Token("name", name(column)), Token("word", " missing")


def is_measured(column: str) -> Tokens:
    """Write "the value is not missing"."""
    return Token("name", name(column)), Token("word", " measured")


def or_missing(columns: Sequence[str]) -> Tokens:
    """Write "or one of these is missing"."""
    printed = [token for column in columns for token in (OR, Token("name", name(column)))]
    return (*printed, Token("word", " missing"))


def conjunction(parts: Sequence[Tokens]) -> Tokens:
    """Write "all of these are true".

    Two bounds of the same sum or product become one range, which stands where the first of them
    stood, or one value, if both are printed alike. An "or" in one of several parts is put in
    parentheses.

    Examples
    --------
    >>> young = linear(("age",), (-1.0,), -20.5, 3), linear(("age",), (1.0,), 1.5, 3)
    >>> parts = [young[0], (*is_measured("a"), *or_missing("b")), young[1]]
    >>> join_tokens(conjunction(parts))
    '1.5 ≤ age ≤ 20.5  and  (a measured or b missing)'
    """
    if not parts:
        return ALWAYS
    printed: list[Token] = []
    joined = _join_bounds(parts)
    for part in joined:
        if printed:
            printed.append(AND)
        printed += _in_parentheses(part, len(joined) > 1 and OR in part)
    return tuple(printed)


def _join_bounds(parts: Sequence[Tokens]) -> list[Tokens]:
    joined: list[Tokens] = []
    single: dict[tuple[Token, Tokens, Tokens], int] = {}  # where a bound without another stands
    for part in parts:
        bound = next((k for k, token in enumerate(part) if token.kind == "relation"), 0)
        if part[bound] not in (AT_LEAST, AT_MOST):
            joined.append(part)
            continue
        # What follows the threshold, a unit or "or missing", must be the same as well.
        relation, quantity, rest = part[bound], part[:bound], part[bound + 2 :]
        other = AT_MOST if relation == AT_LEAST else AT_LEAST
        place = single.pop((other, quantity, rest), None)
        if place is None:
            single[relation, quantity, rest] = len(joined)
            joined.append(part)
        else:
            ends = part[bound + 1], joined[place][bound + 1]
            low, high = ends if relation == AT_LEAST else ends[::-1]
            joined[place] = (
                (*quantity, EQUAL, high, *rest)
                if low == high
                else (low, AT_MOST, *quantity, AT_MOST, high, *rest)
            )
    return joined


def _threshold_digits(digits: int | None) -> int | None:
    # A threshold is a place on the user's own scale, so it gets one digit more.
    return None if digits is None else digits + 1


def readable_scale(
    weights: Sequence[float], threshold: float, digits: int | None
) -> tuple[Sequence[float], float]:
    """Scale a sum and its threshold as they are printed.

    Examples
    --------
    >>> readable_scale((4.0, -0.5), 30.0, 3)
    ([1.0, -0.125], 7.5)
    """
    # Scaling rounds. So nothing is scaled if all digits are wanted, and small whole weights
    # (5 a + 3 b ≥ 7) or short numbers that scaling would make long stay as they are.
    if digits is None or (len(weights) > 1 and all(map(_is_small_and_whole, weights))):
        return weights, threshold
    largest = max(map(abs, weights))
    scaled, scaled_threshold = [w / largest for w in weights], threshold / largest
    if not _same_zeros((*scaled, scaled_threshold), (*weights, threshold)):
        return weights, threshold
    if not _is_short(scaled, scaled_threshold, digits) and _is_short(weights, threshold, digits):
        return weights, threshold
    return scaled, scaled_threshold


def _is_small_and_whole(weight: float) -> bool:
    return weight.is_integer() and abs(weight) < 10


def _same_zeros(scaled: Sequence[float], values: Sequence[float]) -> bool:
    # Division can overflow, or underflow to zero.
    return all(
        math.isfinite(s) and (s == 0) == (v == 0) for s, v in zip(scaled, values, strict=True)
    )


def _is_short(weights: Sequence[float], threshold: float, digits: int) -> bool:
    return _reads_back(threshold, digits + 1) and all(_reads_back(w, digits) for w in weights)


def _reads_back(value: float, digits: int) -> bool:
    return float(plain_number(value, digits)) == value
