"""Conditions and scores as expressions of narwhals, so that any engine can evaluate them.

They give what a prediction in memory gives, row for row: the same sums in the same order, and the
same answer where a value is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add, and_
from typing import Any, TypeAlias

import narwhals as nw

from sorb.rules import AnyProposition, Condition, Membership, Product, Proposition, RuleEnsemble
from sorb.rules.propositions import LARGEST_PLAIN_POWER
from sorb.tables.engine import column_types, compute_once

__all__ = [
    "Columns",
    "Expr",
    "add_layers",
    "all_of",
    "as_integer",
    "condition_expr",
    "join",
    "pack_bits",
    "proposition_expr",
    "score_exprs",
]

Expr: TypeAlias = nw.Expr
# An integer of 64 bits holds so many answers.
_BITS = 62


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a lazy frame as expressions.

    Attributes
    ----------
    types : the types of the columns.
    writes_sql : whether constants become part of a text, as they do with Ibis.
    complete : columns of numbers that are known to be finite in all rows.
    """

    types: Mapping[str, Any]
    writes_sql: bool = False
    complete: frozenset[str] = frozenset()

    @classmethod
    def of(cls, frame: nw.LazyFrame[Any]) -> Columns:
        """The columns of a frame."""
        return cls(column_types(frame), frame.implementation.is_ibis())

    def constant(self, value: float) -> float | Expr:
        """A number of double precision."""
        # Databases read 0.1 as a decimal number, and add and convert it as such.
        return nw.lit(repr(float(value))).cast(nw.Float64) if self.writes_sql else value

    def literal(self, value: float) -> Expr:
        """A number of double precision as an expression."""
        constant = self.constant(value)
        return constant if isinstance(constant, nw.Expr) else nw.lit(constant)

    def number(self, name: str) -> Expr:
        """A column of numbers as float64, null where a value is missing or not finite."""
        column, dtype = nw.col(name), self.types[name]
        if dtype == nw.Boolean:
            return as_integer(column).cast(nw.Float64)
        wide = column if dtype == nw.Float64 else column.cast(nw.Float64)
        # Not `is_nan`: DuckDB trusts statistics of Parquet files that leave NaN out.
        some_missing = self.holds_nan(name) and name not in self.complete
        return nw.when(wide.is_finite()).then(wide) if some_missing else wide

    def holds_nan(self, name: str) -> bool:
        """Whether a column may hold NaN and infinity; PostgreSQL's decimal numbers may."""
        dtype = self.types[name]
        return bool(dtype.is_float() or dtype == nw.Decimal)

    def fill_missing(self, value: Expr, name: str, other: float) -> Expr:
        """Another number where a value that is computed from a column is missing."""
        return value if name in self.complete else value.fill_null(other)

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


def add_layers(rows: nw.LazyFrame[Any], layers: Sequence[Sequence[Expr]]) -> nw.LazyFrame[Any]:
    """Add columns to rows, those of one layer after those of another, which they may need."""
    for layer in filter(None, layers):
        rows = compute_once(rows.with_columns(*layer))
    return rows


def join(parts: Sequence[Expr], operator: Callable[[Expr, Expr], Expr]) -> Expr:
    """Join expressions by an operator for which brackets do not matter.

    They are joined in pairs: nested one in the other, a few hundred of them would exceed the depth
    of recursion of narwhals and of engines.

    Examples
    --------
    >>> import polars as pl
    >>> ages = nw.from_native(pl.DataFrame({"age": [30, 50]}))
    >>> ages.select(join([nw.col("age"), nw.lit(1), nw.lit(2)], lambda a, b: a + b)).rows()
    [(33,), (53,)]
    """
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return operator(join(parts[:middle], operator), join(parts[middle:], operator))


def as_integer(answer: Expr) -> Expr:
    """1 for true, 0 for false."""
    return answer.cast(nw.Int32).cast(nw.Int64)  # PostgreSQL has no other way to 64 bits


def condition_expr(condition: Condition, columns: Columns) -> Expr:
    """Whether a condition covers a row; never null."""
    return all_of([proposition_expr(p, columns) for p in condition.propositions])


def all_of(answers: Sequence[Expr]) -> Expr:
    """Whether all answers are true."""
    return join(answers, and_) if answers else nw.lit(value=True)


def proposition_expr(proposition: AnyProposition, columns: Columns) -> Expr:
    """Whether a proposition holds for a row; never null."""
    if isinstance(proposition, Membership):
        return _membership(proposition, columns)
    quantity = _sum if isinstance(proposition, Proposition) else _product
    value, threshold = quantity(proposition, columns), columns.constant(proposition.threshold)  # type: ignore[arg-type]
    at_most = isinstance(proposition, Product) and proposition.at_most
    holds = value <= threshold if at_most else value >= threshold
    if isinstance(proposition, Proposition) and columns.complete.issuperset(proposition.columns):
        return holds
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


def _sum(proposition: Proposition, columns: Columns) -> Expr:
    pairs = zip(proposition.columns, proposition.weights, strict=True)
    terms = (columns.number(name) * columns.constant(weight) for name, weight in pairs)
    return reduce(lambda one, other: one + other, terms)


def _product(product: Product, columns: Columns) -> Expr:
    total: Expr | None = None
    for name, power in zip(product.columns, product.powers, strict=True):
        factor = _power(columns.number(name), abs(power))
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
    bits = [as_integer(answer) for answer in answers]
    packed = []
    for start in range(0, len(bits), _BITS):
        part = (bit * 2**k if k else bit for k, bit in enumerate(bits[start : start + _BITS]))
        packed.append(join(list(part), add))
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
    scores = [columns.literal(offset) for offset in ensemble.offsets]
    for rule in ensemble:
        covers = condition_expr(rule.condition, columns)
        # 0.0 is added, too, as in memory.
        vote, nothing = columns.literal(rule.vote), columns.literal(0.0)
        added = nw.when(covers).then(vote).otherwise(nothing)
        scores[rule.output] = scores[rule.output] + added
    return scores
