"""Propositions about logarithms, written as products and ratios of the columns themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sorb.rules import Proposition, RuleEnsemble
from sorb.rules.text import name, number

PREFIX, SUFFIX = "log(", ")"


def original(column: str) -> str:
    """Give the name of the column that a column is the logarithm of, or its own name.

    Examples
    --------
    >>> from sorb.lab.figures.ratios import original
    >>> original("log(weight)"), original("age")
    ('weight', 'age')
    """
    return column[len(PREFIX) : -len(SUFFIX)] if is_logarithm(column) else column


def is_logarithm(column: str) -> bool:
    """Tell whether a column is named as a logarithm."""
    return column.startswith(PREFIX) and column.endswith(SUFFIX)


def as_ratio(proposition: Proposition, digits: int = 3) -> str:
    """Write a proposition about logarithms in the units of the columns themselves.

    A weighted sum of logarithms is the logarithm of a product of powers. It is scaled so that
    one of them is 1 and the others are easy to read. Propositions about other columns are
    written as usual.

    Examples
    --------
    >>> from sorb import Proposition
    >>> from sorb.lab.figures.ratios import as_ratio
    >>> as_ratio(Proposition(("log(weight)", "log(height)"), (0.5, -1.05), 1.615))
    'weight / height^2.1 ≥ 25.28'
    >>> as_ratio(Proposition(("log(age)",), (-1.0,), -3.689))
    'age ≤ 40'
    """
    if not all(map(is_logarithm, proposition.columns)):
        return proposition.format(digits)
    columns = [original(column) for column in proposition.columns]
    scale = min(proposition.weights, key=lambda weight: _effort(proposition.weights, weight))
    powers = [weight / scale for weight in proposition.weights]
    bound = math.exp(min(proposition.threshold / scale, 700.0))  # more would overflow
    return f"{_product(columns, powers)} {'≥' if scale > 0 else '≤'} {number(bound, digits + 1)}"


def _effort(weights: Sequence[float], scale: float) -> float:
    """Say how hard powers are to read: far from whole numbers, large, or roots."""
    powers = [abs(weight / scale) for weight in weights]
    sizes = [max(power, 1 / power) for power in powers]
    roots = sum(power < 1 for power in powers)
    return sum(abs(size - round(size)) + 0.1 * size for size in sizes) + 0.1 * roots


def _product(columns: Sequence[str], powers: Sequence[float]) -> str:
    above = [_power(c, p) for c, p in zip(columns, powers, strict=True) if p > 0]
    below = [_power(c, -p) for c, p in zip(columns, powers, strict=True) if p < 0]
    if not below:
        return " · ".join(above)
    divisor = below[0] if len(below) == 1 else f"({' · '.join(below)})"
    return f"{' · '.join(above)} / {divisor}"


def _power(column: str, power: float) -> str:
    written = number(power, 2)
    return name(column) if written == "1" else f"{name(column)}^{written}"


def rule_lines(ensemble: RuleEnsemble, digits: int = 3) -> list[str]:
    """Write the offset and the rules of an ensemble, with ratios in place of logarithms."""
    lines = [f"{_signed(ensemble.offset, digits)}  if  True"]
    for rule in ensemble:
        condition = "  and  ".join(as_ratio(p, digits) for p in rule.condition.propositions)
        lines.append(f"{_signed(rule.weight, digits)}  if  {condition or 'True'}")
    return lines


def _signed(value: float | tuple[float, ...], digits: int) -> str:
    assert isinstance(value, float)  # scores of several classes are not drawn
    return number(value, digits) if value < 0 else f"+{number(value, digits)}"
