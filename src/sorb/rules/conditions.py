"""Conditions: conjunctions of propositions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Bool
from sorb.rules import notation, proposition_text
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.field_checks import check_items, check_types, set_fields
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.redundancy import drop_redundant

__all__ = ["Condition"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction: true of a row if all its propositions are, and always if it has none.

    A proposition that follows from another one is dropped, the first of equals is kept, and two
    that exclude each other are rejected. This is recognised if both are sums of the same direction,
    or products of the same powers, or ask for categories of the same column, or if one asks only
    whether a column of the other is missing. Directions and thresholds are compared exactly, as
    fractions, after division by the largest absolute coefficient; propositions whose coefficients
    are only nearly proportional are all kept. So nothing is lost for real numbers. In float64, a
    dropped sum may round differently if its columns are in another order, or if its coefficients
    are not those of the other times a power of two; rows within that rounding of the boundary are
    then decided by the proposition that is kept.

    Parameters
    ----------
    propositions : sequence of Proposition, Product or Membership
        What must be true: at most 100 that do not follow from others.

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
        propositions = check_items(self.propositions, "propositions", "propositions")
        check_types(propositions, (Proposition, Product, Membership), "propositions")
        set_fields(self, propositions=drop_redundant(propositions))

    @property
    def complexity(self) -> int:
        """The sum of the complexities of the propositions."""
        return sum(proposition.complexity for proposition in self.propositions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the propositions use, each once, in the order of first use."""
        return tuple(dict.fromkeys(name for p in self.propositions for name in p.columns))

    def covers(self, source: ColumnSource) -> Bool:
        """Tell which rows of a table are covered.

        The empty condition gives a single True of shape (), which broadcasts.
        """
        if not self.propositions:
            return np.ones((), dtype=np.bool_)
        result = self.propositions[0].covers(source)
        for proposition in self.propositions[1:]:
            result &= proposition.covers(source)
        return result

    def __call__(self, X: TableLike, columns: Sequence[str] | None = None) -> Bool:
        """Tell which rows of a DataFrame, or of a 2-D array with named columns, are covered."""
        source = column_source(X, self.columns, columns)
        return np.broadcast_to(self.covers(source), (source.n_rows,)).copy()

    def tokens(self, digits: int | None, units: Mapping[str, str] | None = None) -> notation.Tokens:
        """Give the printed form as tokens."""
        return proposition_text.conjunction([p.tokens(digits, units) for p in self.propositions])

    def format(self, digits: int | None = 3, units: Mapping[str, str] | None = None) -> str:
        """Print with `digits` significant digits; None means all."""
        return notation.join_tokens(self.tokens(notation.check_digits(digits), units))

    def __str__(self) -> str:
        return self.format()
