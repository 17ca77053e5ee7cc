"""Significant digits: how many a number has, and rounder numbers near it."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from sorb.rules import AnyProposition, Condition, Membership, Product, RuleEnsemble

__all__ = [
    "MOST_DIGITS",
    "ensemble_digits",
    "longest_number",
    "neighbours",
    "proposition_digits",
    "roundest",
    "significant_digits",
]

# Enough digits to tell any two float64 apart.
MOST_DIGITS = 17


def significant_digits(value: float) -> int:
    """Count the significant digits of the shortest text that reads back as the same float64.

    Examples
    --------
    >>> [significant_digits(value) for value in (40.0, 105.3, -0.0858, 0.1 + 0.2, 0.0)]
    [1, 4, 3, 17, 1]
    """
    mantissa = repr(abs(float(value))).partition("e")[0]
    return len(mantissa.replace(".", "").strip("0")) or 1


def proposition_digits(proposition: AnyProposition) -> int:
    """Count the digits of the threshold, and of the weights or powers other than 1.

    These are the digits that a reader has to copy. Categories have none.

    Examples
    --------
    >>> from sorb.rules import Proposition
    >>> proposition_digits(Proposition(("age", "bmi"), (1.0, -0.25), 41.2))
    5
    >>> proposition_digits(Product(("weight", "height"), (1, -2), 25.3))
    4
    """
    return sum(_digits(proposition))


def longest_number(condition: Condition) -> int:
    """Count the digits of the longest number that a reader of a condition has to copy.

    Examples
    --------
    >>> from sorb.rules import Proposition
    >>> longest_number(Condition((Proposition(("age", "bmi"), (1.0, -0.25), 41.2),)))
    3
    """
    return max((d for p in condition.propositions for d in _digits(p)), default=0)


def _digits(proposition: AnyProposition) -> list[int]:
    if isinstance(proposition, Membership):
        return []
    numbers = proposition.powers if isinstance(proposition, Product) else proposition.weights
    printed = (number for number in numbers if abs(number) != 1)
    return [significant_digits(number) for number in (proposition.threshold, *printed)]


def ensemble_digits(ensemble: RuleEnsemble) -> int:
    """Count the digits that a reader has to copy to have the same model.

    They are those of all propositions, of the votes and of the offset.

    Examples
    --------
    >>> from sorb.rules import Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 41.2),))
    >>> ensemble_digits(RuleEnsemble(-0.25, (Rule(old, 1.5),), ("age",), "squared"))
    7
    """
    conditions = (p for rule in ensemble for p in rule.condition.propositions)
    return sum(map(proposition_digits, conditions)) + sum(
        map(significant_digits, ensemble.offsets_and_votes)
    )


def neighbours(value: float, digits: int) -> tuple[float, ...]:
    """Give the next numbers with at most `digits` digits below and above a value, the nearer first.

    Examples
    --------
    >>> neighbours(0.0858, 1), neighbours(-0.96, 1), neighbours(3.0, 2)
    ((0.09, 0.08), (-1.0, -0.9), (3.0,))
    """
    exact = Decimal(repr(float(value)))
    found = {
        Context(prec=digits, rounding=rounding).create_decimal(exact)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    }
    # Ties go to the number nearer to zero, whatever the sign of the value.
    ordered = sorted(found, key=lambda number: (abs(number - exact), abs(number)))
    return tuple(float(number) for number in ordered if math.isfinite(float(number)))


def roundest(lower: float, upper: float) -> float:
    """Give the roundest number above `lower` and not above `upper`.

    It has the fewest digits; among equals, it is the nearest to the middle. Zero wins if it is in
    the inner half of the interval: between −1 and 1.1, 0.05 says no more than 0 and is longer.

    Examples
    --------
    >>> roundest(5.12, 5.38), roundest(98.1, 107.0), roundest(-1.0, 1.1), roundest(3.0, 4.0)
    (5.2, 100.0, 0.0, 4.0)
    """
    # A sum of halves does not overflow.
    middle = lower / 2 + upper / 2
    if not lower < middle <= upper:
        middle = upper
    if lower < 0 <= upper and abs(middle) <= (upper / 2 - lower / 2) / 2:
        return 0.0
    candidates = (v for k in range(1, MOST_DIGITS + 1) for v in neighbours(middle, k))
    return next(value for value in candidates if lower < value <= upper)
