"""Conditions: propositions that must all hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb.rules import phrases, text
from sorb.rules.checks import Label, freeze, instances
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition

__all__ = ["Condition"]

Direction: TypeAlias = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """All propositions hold; without any, it is always true.

    A proposition that follows from another one is dropped, the first of equals is kept, and two
    that exclude each other are refused. That is seen if both are sums of the same direction, or
    products of the same powers, or ask for categories of the same column, or if one asks only
    whether a column of the other is missing. Directions and thresholds are compared exactly, as
    fractions, after division by the largest absolute weight: propositions whose weights are only
    nearly proportional all stay. So what is dropped adds nothing for real numbers. If its columns
    stand in another order, or its weights are not the other's times a power of two, its float64
    value may round differently; then the one kept decides the rows that lie within that rounding
    of the boundary.

    Parameters
    ----------
    propositions : sequence of Proposition, Product or Membership
        What must hold.

    Examples
    --------
    >>> at_least_40 = Proposition(("age",), (1.0,), 40.0)
    >>> at_least_18 = Proposition(("age",), (1.0,), 18.0)
    >>> below_30 = Proposition(("bmi",), (-1.0,), -30.0)
    >>> print(Condition((at_least_40, below_30, at_least_18)))
    age ≥ 40  and  bmi ≤ 30
    >>> print(Condition())
    always
    """

    propositions: tuple[AnyProposition, ...] = ()

    def __post_init__(self) -> None:
        propositions = tuple(self.propositions)
        instances(propositions, (Proposition, Product, Membership), "propositions")
        freeze(self, propositions=_irredundant(propositions))

    @property
    def complexity(self) -> int:
        """The sum over the propositions."""
        return sum(proposition.complexity for proposition in self.propositions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the propositions use, each once, in the order of first use."""
        return tuple(dict.fromkeys(name for p in self.propositions for name in p.columns))

    def covers(self, source: ColumnSource) -> NDArray[np.bool_]:
        """Decide all rows of an open table.

        The empty condition asks for no column and so knows no number of rows: it gives a single
        True of shape (), which broadcasts.
        """
        if not self.propositions:
            return np.ones((), dtype=np.bool_)
        first, *others = self.propositions
        result = first.covers(source)
        for proposition in others:
            result &= proposition.covers(source)
        return result

    def __call__(self, X: TableLike, columns: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Decide all rows of a DataFrame, or of a 2-D array whose columns are named."""
        source = column_source(X, self.columns, columns)
        return np.broadcast_to(self.covers(source), (source.n_rows,)).copy()

    def tokens(self, digits: int | None, units: Mapping[str, str] | None = None) -> text.Tokens:
        """Give the printed form in its parts."""
        return phrases.conjunction([p.tokens(digits, units) for p in self.propositions])

    def format(self, digits: int | None = 3, units: Mapping[str, str] | None = None) -> str:
        """Print with `digits` significant digits; None means all."""
        return text.joined(self.tokens(digits, units))

    def __str__(self) -> str:
        return self.format()


def _irredundant(propositions: tuple[AnyProposition, ...]) -> tuple[AnyProposition, ...]:
    kept: list[AnyProposition] = []
    for new in _decided(propositions):
        related = [old for old in kept if not set(old.columns).isdisjoint(new.columns)]
        if any(_follows(new, old) for old in related):
            continue
        weaker = [old for old in related if _follows(old, new)]
        for old in related:
            if old not in weaker and _exclusive(old, new):
                raise ValueError(
                    f"no row can satisfy both {old.format(None)} and {new.format(None)}"
                )
        kept = [*(old for old in kept if old not in weaker), new]
    return tuple(kept)


def _decided(propositions: tuple[AnyProposition, ...]) -> tuple[AnyProposition, ...]:
    """Where a column must be known, say nothing of its missing values elsewhere."""
    known = {p.columns for p in propositions if _asks_only(p, missing=False)}
    return tuple(
        replace(p, missing=False)
        # A product of a known value may be unknown, because that is not positive.
        if p.missing
        and p.columns in known
        and not isinstance(p, Product)
        and not _asks_only(p, missing=True)
        else p
        for p in propositions
    )


def _follows(weak: AnyProposition, strong: AnyProposition) -> bool:
    """Whether one proposition holds wherever another one holds."""
    if _asks_only(strong, missing=True):
        return weak.missing
    if strong.missing and not weak.missing:
        return False
    if _asks_only(weak, missing=False):
        return True
    if set(weak.columns) != set(strong.columns):
        return False
    if isinstance(weak, Proposition) and isinstance(strong, Proposition):
        (direction, threshold), (other, other_threshold) = _exact(weak), _exact(strong)
        return direction == other and threshold <= other_threshold
    if isinstance(weak, Product) and isinstance(strong, Product):
        if _powers(weak) != _powers(strong) or weak.at_most != strong.at_most:
            return False
        lower, upper = (strong, weak) if weak.at_most else (weak, strong)
        return lower.threshold <= upper.threshold
    if isinstance(weak, Membership) and isinstance(strong, Membership):
        return _within(strong, set(weak.categories), weak.negated)
    return False


def _exclusive(first: AnyProposition, second: AnyProposition) -> bool:
    """Whether no row satisfies both, whatever is missing in it."""
    if first.missing and second.missing:
        return False
    if _asks_only(first, missing=True) or _asks_only(second, missing=True):
        return True
    if set(first.columns) != set(second.columns):
        return False
    if isinstance(first, Proposition) and isinstance(second, Proposition):
        (direction, threshold), (other, other_threshold) = _exact(first), _exact(second)
        return direction == _opposite(other) and threshold + other_threshold > 0
    if isinstance(first, Product) and isinstance(second, Product):
        if _powers(first) != _powers(second) or first.at_most == second.at_most:
            return False
        most, least = (first, second) if first.at_most else (second, first)
        return most.threshold < least.threshold
    if isinstance(first, Membership) and isinstance(second, Membership):
        return _within(first, set(second.categories), not second.negated)
    return False


def _asks_only(proposition: AnyProposition, missing: bool) -> bool:
    """Whether it asks only for a missing value, or for a known one, and nothing about it."""
    return (
        isinstance(proposition, Membership)
        and not proposition.categories
        and proposition.missing == missing
    )


def _within(inner: Membership, others: set[Label], negated: bool) -> bool:
    """Whether every category that satisfies a proposition is among (or not among) some others."""
    named = set(inner.categories)
    if inner.negated:
        return negated and others <= named
    return named.isdisjoint(others) if negated else named <= others


def _powers(product: Product) -> frozenset[tuple[str, float]]:
    return frozenset(zip(product.columns, product.powers, strict=True))


@lru_cache(maxsize=4096)
def _exact(proposition: Proposition) -> tuple[Direction, Fraction]:
    largest = Fraction(max(map(abs, proposition.weights)))
    terms = zip(proposition.columns, proposition.weights, strict=True)
    direction = tuple(sorted((column, Fraction(weight) / largest) for column, weight in terms))
    return direction, Fraction(proposition.threshold) / largest


def _opposite(direction: Direction) -> Direction:
    return tuple((column, -weight) for column, weight in direction)
