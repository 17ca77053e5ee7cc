"""Thresholds without the last digits, which come from rounding and not from the rows."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal

from sorb.rules import AnyProposition, Condition, Proposition, RuleEnsemble
from sorb.simplify.shorten_conditions import condition_of_all

__all__ = ["drop_rounding_digits"]

MOST_DIGITS = 12


def drop_rounding_digits(ensemble: RuleEnsemble) -> RuleEnsemble:
    """Raise each threshold of a single column to the next number of at most 12 digits.

    No row changes side whose values have at most 12 significant digits themselves: between the
    two thresholds there is no such number.

    Examples
    --------
    >>> from sorb.rules import Rule
    >>> old = Proposition(("age",), (1.0,), 1.4999999999999964)
    >>> ensemble = RuleEnsemble(0.0, (Rule(Condition((old,)), 1.0),), ("age",), "logistic")
    >>> drop_rounding_digits(ensemble)[0].condition.propositions[0].threshold
    1.5
    """
    rules = (replace(rule, condition=_shorten(rule.condition)) for rule in ensemble)
    return replace(ensemble, rules=tuple(rules))


def _shorten(condition: Condition) -> Condition:
    return condition_of_all([*map(_drop, condition.propositions)]) or condition


def _drop(proposition: AnyProposition) -> AnyProposition:
    if not isinstance(proposition, Proposition) or proposition.weights not in ((1.0,), (-1.0,)):
        return proposition
    up = Context(prec=MOST_DIGITS, rounding=ROUND_CEILING)
    return replace(
        proposition, threshold=float(up.create_decimal(Decimal(repr(proposition.threshold))))
    )
