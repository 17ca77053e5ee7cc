"""Rules about logarithms of columns, written as products and ratios of the columns."""

from __future__ import annotations

import math
from dataclasses import replace

from sorb.learning.rows import readable_divisor
from sorb.rules import AnyProposition, Condition, Product, Proposition, RuleEnsemble

PREFIX, SUFFIX = "log(", ")"
LARGEST_LOGARITHM = 700.0  # more would overflow


def original(column: str) -> str:
    """Return the name of the column that a column is the logarithm of, or its own name.

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


def as_ratio(proposition: AnyProposition) -> AnyProposition:
    """Write a proposition about logarithms in the units of the columns themselves.

    A weighted sum of logarithms is the logarithm of a product of powers. Propositions about other
    columns stay as they are.

    Examples
    --------
    >>> from sorb import Proposition
    >>> from sorb.lab.figures.ratios import as_ratio
    >>> print(as_ratio(Proposition(("log(weight)", "log(height)"), (0.5, -1.05), 1.615)))
    weight / height^2.1 ≥ 25.28
    >>> print(as_ratio(Proposition(("log(age)",), (-1.0,), -3.689)))
    age ≤ 40
    """
    if not isinstance(proposition, Proposition) or not all(map(is_logarithm, proposition.columns)):
        return proposition
    columns = tuple(map(original, proposition.columns))
    unit = readable_divisor(proposition.weights)
    bound = math.exp(min(proposition.threshold / unit, LARGEST_LOGARITHM))
    if len(columns) == 1:
        side = math.copysign(1.0, unit)
        return Proposition(columns, (side,), side * bound)
    powers = tuple(weight / unit for weight in proposition.weights)
    return Product(columns, powers, bound, at_most=unit < 0)


def with_ratios(ensemble: RuleEnsemble) -> RuleEnsemble:
    """Write all rules of an ensemble in the units of the columns themselves."""
    rules = tuple(
        replace(rule, condition=Condition(tuple(map(as_ratio, rule.condition.propositions))))
        for rule in ensemble
    )
    columns = dict.fromkeys([*ensemble.columns, *map(original, ensemble.columns)])
    return replace(ensemble, rules=rules, columns=tuple(columns))
