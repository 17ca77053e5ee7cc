"""Conditions in plain words, without symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sorb.rules import AnyProposition, Condition, Membership, Product, Proposition
from sorb.rules.notation import label, number
from sorb.rules.proposition_text import readable_scale

__all__ = ["condition_words", "proposition_words", "quantity_words"]

POWERS = {0.5: "the square root of {}", 1.0: "{}", 2.0: "{} squared", 3.0: "{} cubed"}
Units = Mapping[str, str]


def condition_words(condition: Condition, digits: int | None, units: Units) -> str:
    """Say when a condition is true.

    Examples
    --------
    >>> heavy = Product(("weight", "height"), (1, -2), 25.0)
    >>> young = Proposition(("age",), (-1.0,), -40.0)
    >>> condition_words(Condition((young, heavy)), 3, {"age": "years"})
    'age at most 40 years, and weight per height squared at least 25'
    """
    parts = [proposition_words(p, digits, units) for p in condition.propositions]
    return ", and ".join(parts) or "always"


def proposition_words(proposition: AnyProposition, digits: int | None, units: Units) -> str:
    """Say when a proposition is true.

    Examples
    --------
    >>> print(proposition_words(Membership("sex", ("f",), negated=True, missing=True), 3, {}))
    sex is not f or is missing
    >>> print(proposition_words(Proposition(("a", "b"), (1.0, -0.5), 2.0, missing=True), 3, {}))
    a minus 0.5 times b at least 2, or a or b missing
    """
    if isinstance(proposition, Membership):
        return _membership(proposition)
    if isinstance(proposition, Proposition):
        weights, threshold = readable_scale(proposition.weights, proposition.threshold, digits)
        at_most = weights[0] < 0
        threshold = -threshold if at_most else threshold
    else:
        at_most, threshold = proposition.at_most, proposition.threshold
    shown = number(threshold, None if digits is None else digits + 1)
    unit = units.get(proposition.columns[0]) if len(proposition.columns) == 1 else None
    text = f"{quantity_words(proposition, digits)} at {'most' if at_most else 'least'} {shown}"
    text += f" {unit}" if unit else ""
    if proposition.missing:
        text += f", or {' or '.join(proposition.columns)} missing"
    return text


def quantity_words(proposition: Proposition | Product, digits: int | None) -> str:
    """Name what is compared with the threshold."""
    if isinstance(proposition, Product):
        return _product(proposition.columns, proposition.powers, digits)
    weights, _ = readable_scale(proposition.weights, proposition.threshold, digits)
    sign = -1 if weights[0] < 0 else 1
    return _sum(proposition.columns, [sign * weight for weight in weights], digits)


def _sum(columns: Sequence[str], weights: Sequence[float], digits: int | None) -> str:
    text = ""
    for column, weight in zip(columns, weights, strict=True):
        size = number(abs(weight), digits)
        term = column if size == "1" else f"{size} times {column}"
        joint = "" if not text else " minus " if weight < 0 else " plus "
        text += joint + term
    return text


def _product(columns: Sequence[str], powers: Sequence[float], digits: int | None) -> str:
    terms = list(zip(columns, powers, strict=True))
    over = " times ".join(_power(column, p, digits) for column, p in terms if p > 0)
    under = " and ".join(_power(column, -p, digits) for column, p in terms if p < 0)
    return f"{over or 'one'} per {under}" if under else over


def _power(column: str, power: float, digits: int | None) -> str:
    known = POWERS.get(power)
    return known.format(column) if known else f"{column} to the power {number(power, digits)}"


def _membership(proposition: Membership) -> str:
    column = proposition.column
    if not proposition.categories:
        return f"{column} {'missing' if proposition.missing else 'known'}"
    *others, last = map(label, proposition.categories)
    listed = f"{', '.join(others)} or {last}" if others else last
    missing = " or is missing" if proposition.missing else ""
    return f"{column} is {'not ' if proposition.negated else ''}{listed}{missing}"
