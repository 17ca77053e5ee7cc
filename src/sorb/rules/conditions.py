"""Propositions and conditions: what may hold for a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb.rules import text
from sorb.rules.checks import finite, freeze, instances, names
from sorb.rules.columns import Table, Take, column_source

__all__ = ["Condition", "Proposition"]

Direction: TypeAlias = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Proposition:
    """A weighted sum of columns is at least a threshold.

    It holds for a row if `w1*x1 + w2*x2 + ... >= threshold`. Every value becomes a float64 first,
    and the sum is formed from left to right, each product rounded before it is added. This order
    is part of what a proposition means: whoever follows it decides every row alike, also those
    exactly on the boundary. If the sum is NaN, the proposition does not hold.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns, each once.
    weights : sequence of float
        One finite weight for each column, none of them zero.
    threshold : float
        The smallest sum for which the proposition holds.

    Examples
    --------
    >>> import numpy as np
    >>> longer = Proposition(("petal_length", "sepal_width"), (0.86, -1.0), -0.5)
    >>> print(longer)
    0.86 petal_length − sepal_width ≥ −0.5
    >>> longer(np.array([[1.0, 3.0], [4.0, 3.0]]), columns=("petal_length", "sepal_width"))
    array([False,  True])
    """

    columns: tuple[str, ...]
    weights: tuple[float, ...]
    threshold: float

    def __post_init__(self) -> None:
        columns = names(self.columns)
        weights = tuple(finite(w, f"weights[{j}]") for j, w in enumerate(self.weights))
        if not columns:
            raise ValueError("columns must name at least one column")
        if len(columns) != len(weights):
            raise ValueError(f"{len(columns)} columns need as many weights, found {len(weights)}")
        if 0 in weights:
            raise ValueError(f"weights[{weights.index(0)}] must not be zero")
        threshold = finite(self.threshold, "threshold")
        freeze(self, columns=columns, weights=weights, threshold=threshold)

    @property
    def complexity(self) -> int:
        """One, and one for each weight."""
        return 1 + len(self.weights)

    def holds(self, take: Take) -> NDArray[np.bool_]:
        """Decide all rows, given a function from a column's name to its float64 values."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.weights[0] * take(self.columns[0])
            for column, weight in zip(self.columns[1:], self.weights[1:], strict=True):
                total += weight * take(column)
        return total >= self.threshold

    def __call__(self, X: Table, columns: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Decide all rows of a DataFrame, or of a 2-D array whose columns are named."""
        return self.holds(column_source(X, self.columns, columns).take)

    def format(self, digits: int | None = 3) -> str:
        """Print with `digits` significant digits, the threshold with one more; None means all.

        The weights are scaled so that the largest is 1, unless the numbers are short as they
        are and would not be short then. With all digits nothing is scaled, so that the text
        means exactly what the proposition means.
        """
        return text.linear(self.columns, self.weights, self.threshold, digits)

    def __str__(self) -> str:
        return self.format()


@dataclass(frozen=True, slots=True)
class Condition:
    """All propositions hold; without any, it is always true.

    A proposition that follows from another one of the same direction is dropped, the first of
    equals is kept, and two that exclude each other are refused. Directions and thresholds are
    compared exactly, as fractions, after division by the largest absolute weight: propositions
    whose weights are only nearly proportional all stay. So what is dropped adds nothing for real
    numbers. If its columns stand in another order, or its weights are not the other's times a
    power of two, its float64 sum may round differently; then the one kept decides the rows that
    lie within that rounding of the boundary.

    Parameters
    ----------
    propositions : sequence of Proposition
        What must hold.

    Examples
    --------
    >>> at_least_40 = Proposition(("age",), (1.0,), 40.0)
    >>> at_least_18 = Proposition(("age",), (1.0,), 18.0)
    >>> below_30 = Proposition(("bmi",), (-1.0,), -30.0)
    >>> print(Condition((at_least_40, below_30, at_least_18)))
    age ≥ 40  and  bmi ≤ 30
    >>> print(Condition())
    True
    """

    propositions: tuple[Proposition, ...] = ()

    def __post_init__(self) -> None:
        propositions = tuple(self.propositions)
        instances(propositions, Proposition, "propositions")
        freeze(self, propositions=_irredundant(propositions))

    @property
    def complexity(self) -> int:
        """The sum over the propositions."""
        return sum(proposition.complexity for proposition in self.propositions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the propositions use, each once, in the order of first use."""
        return tuple(dict.fromkeys(name for p in self.propositions for name in p.columns))

    def holds(self, take: Take) -> NDArray[np.bool_]:
        """Decide all rows, given a function from a column's name to its float64 values.

        The empty condition asks for no column and so knows no number of rows: it gives a single
        True of shape (), which broadcasts.
        """
        if not self.propositions:
            return np.ones((), dtype=np.bool_)
        first, *others = self.propositions
        result = first.holds(take)
        for proposition in others:
            result &= proposition.holds(take)
        return result

    def __call__(self, X: Table, columns: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Decide all rows of a DataFrame, or of a 2-D array whose columns are named."""
        source = column_source(X, self.columns, columns)
        return np.broadcast_to(self.holds(source.take), (source.n_rows,)).copy()

    def format(self, digits: int | None = 3) -> str:
        """Print with `digits` significant digits; None means all."""
        return "  and  ".join(p.format(digits) for p in self.propositions) or text.ALWAYS

    def __str__(self) -> str:
        return self.format()


def _irredundant(propositions: tuple[Proposition, ...]) -> tuple[Proposition, ...]:
    dropped: set[int] = set()
    for i, j in combinations(range(len(propositions)), 2):
        first, second = propositions[i], propositions[j]
        # Fractions are slow, and propositions on other columns cannot be parallel.
        if set(first.columns) != set(second.columns):
            continue
        (direction, threshold), (other, other_threshold) = _exact(first), _exact(second)
        if direction == other:
            dropped.add(i if threshold < other_threshold else j)
        elif direction == _opposite(other) and threshold + other_threshold > 0:
            raise ValueError(
                f"no row can satisfy both {first.format(None)} and {second.format(None)}"
            )
    return tuple(p for i, p in enumerate(propositions) if i not in dropped)


def _exact(proposition: Proposition) -> tuple[Direction, Fraction]:
    largest = Fraction(max(map(abs, proposition.weights)))
    terms = zip(proposition.columns, proposition.weights, strict=True)
    direction = tuple(sorted((column, Fraction(weight) / largest) for column, weight in terms))
    return direction, Fraction(proposition.threshold) / largest


def _opposite(direction: Direction) -> Direction:
    return tuple((column, -weight) for column, weight in direction)
