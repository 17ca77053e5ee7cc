"""Conditions and scores as expressions of narwhals, so that any engine can evaluate them.

They give what a prediction in memory gives, row for row: the same sums in the same order, and the
same answer where a value is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import narwhals as nw

from sorb.rules import AnyProposition, Condition, Membership, Product, Proposition, RuleEnsemble
from sorb.rules.propositions import LARGEST_PLAIN_POWER

__all__ = ["Columns", "Expr", "condition_expr", "pack_bits", "score_exprs"]

Expr: TypeAlias = nw.Expr
# An integer of 64 bits holds so many answers.
_BITS = 62


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a lazy frame as expressions; `types` are those of the frame."""

    types: Mapping[str, Any]

    def number(self, name: str) -> Expr:
        """A column of numbers as float64, null where a value is missing or not finite."""
        column, dtype = nw.col(name), self.types[name]
        if dtype == nw.Boolean:
            return column.cast(nw.Int64).cast(nw.Float64)
        wide = column if dtype == nw.Float64 else column.cast(nw.Float64)
        # Not `is_nan`: DuckDB trusts statistics of Parquet files that leave NaN out.
        return nw.when(wide.is_finite()).then(wide) if dtype.is_float() else wide

    def infinite(self, name: str) -> Expr:
        """Whether a value is infinite."""
        wide = nw.col(name).cast(nw.Float64)
        # The inverse of infinity is zero, that of NaN is NaN; no finite number is inverted.
        inverse = nw.lit(1.0) / nw.when(~wide.is_finite()).then(wide)
        return inverse.is_finite().fill_null(value=False)

    def label(self, name: str) -> Expr:
        """A column of categories, null where a value is missing."""
        dtype = self.types[name]
        if dtype.is_float():
            return self.number(name)
        column = nw.col(name)
        return column.cast(nw.String) if dtype in (nw.Categorical, nw.Enum) else column


def condition_expr(condition: Condition, columns: Columns) -> Expr:
    """Whether a condition covers a row; never null."""
    parts = [_proposition(p, columns) for p in condition.propositions]
    return reduce(lambda one, other: one & other, parts) if parts else nw.lit(value=True)


def _proposition(proposition: AnyProposition, columns: Columns) -> Expr:
    if isinstance(proposition, Membership):
        return _membership(proposition, columns)
    quantity = _sum if isinstance(proposition, Proposition) else _product
    value = quantity(proposition, columns.number)  # type: ignore[arg-type]
    at_most = isinstance(proposition, Product) and proposition.at_most
    holds = value <= proposition.threshold if at_most else value >= proposition.threshold
    # A comparison with a missing value is missing to some engines, and false to others.
    known = holds.fill_null(value=False)
    return value.is_null() | known if proposition.missing else known


def _membership(proposition: Membership, columns: Columns) -> Expr:
    label = columns.label(proposition.column)
    if not proposition.categories:
        return ~label.is_null() if proposition.negated else label.is_null()
    known = label.is_in(list(proposition.categories))
    if proposition.negated:
        known = ~known
    # Engines disagree on whether null is in a set.
    return nw.when(label.is_null()).then(nw.lit(proposition.missing)).otherwise(known)


def _sum(proposition: Proposition, number: Callable[[str], Expr]) -> Expr:
    pairs = zip(proposition.columns, proposition.weights, strict=True)
    return reduce(lambda one, other: one + other, (number(name) * w for name, w in pairs))


def _product(product: Product, number: Callable[[str], Expr]) -> Expr:
    total: Expr | None = None
    for name, power in zip(product.columns, product.powers, strict=True):
        factor = _power(number(name), abs(power))
        if power > 0:
            total = factor if total is None else total * factor
        else:
            total = (nw.lit(1.0) if total is None else total) / factor
    assert total is not None  # there is at least one column
    return total


def _power(value: Expr, power: float) -> Expr:
    positive = nw.when(value > 0).then(value)
    if power.is_integer() and power <= LARGEST_PLAIN_POWER:
        return reduce(lambda one, other: one * other, [positive] * int(power))
    return positive**power


def pack_bits(answers: Iterable[Expr]) -> list[Expr]:
    """Write answers into as few integers as possible: the first one is the lowest bit."""
    bits = [answer.cast(nw.Int64) for answer in answers]
    packed = []
    for start in range(0, len(bits), _BITS):
        part = (bit * 2**k if k else bit for k, bit in enumerate(bits[start : start + _BITS]))
        packed.append(reduce(lambda one, other: one + other, part))
    return packed


def unpack_bits(numbers: Any, count: int) -> list[Any]:
    """The answers that arrays of such integers hold.

    Examples
    --------
    >>> import numpy as np
    >>> [answers.tolist() for answers in unpack_bits([np.array([2, 1, 3])], 2)]
    [[False, True, True], [True, False, True]]
    """
    return [(numbers[k // _BITS] >> (k % _BITS)) & 1 == 1 for k in range(count)]


def score_exprs(ensemble: RuleEnsemble, columns: Columns) -> list[Expr]:
    """The score of each output, added up in the order of the rules."""
    scores = [nw.lit(offset) for offset in ensemble.offsets]
    for rule in ensemble:
        covers = condition_expr(rule.condition, columns)
        # 0.0 is added, too, as in memory.
        added = nw.when(covers).then(nw.lit(rule.vote)).otherwise(nw.lit(0.0))
        scores[rule.output] = scores[rule.output] + added
    return scores
