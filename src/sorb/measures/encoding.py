"""Tables as matrices of numbers, for methods that know neither categories nor missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules import Label
from sorb.rules.columns import column_source
from sorb.rules.labels import Labels

__all__ = ["UNSEEN", "Columns", "Design"]

UNSEEN = -1.0


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to learn from, and the labels of those that hold categories.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [40.0, None], "group": ["B", "AB"]})
    >>> Columns(("age", "group"), {"group": ("A", "B")}).read(table)
    array([[40.,  1.],
           [nan, -1.]])
    """

    names: tuple[str, ...]
    categories: Mapping[str, tuple[Label, ...]]

    @property
    def n_categories(self) -> tuple[int, ...]:
        """How many categories each column has, 0 if it holds numbers."""
        return tuple(len(self.categories.get(name, ())) for name in self.names)

    def read(self, X: Any) -> Float:
        """Read numbers and places of categories: NaN where they are missing, −1 where unseen."""
        source = column_source(X, self.names, self.names)
        matrix = np.empty((source.n_rows, len(self.names)), order="F")
        for j, name in enumerate(self.names):
            if name in self.categories:
                matrix[:, j] = _places(Labels.of(source.labels(name)), self.categories[name])
            else:
                matrix[:, j] = source.take(name)
        return matrix


def _places(labels: Labels, known: Sequence[Label]) -> Float:
    place = {label: float(k) for k, label in enumerate(known)}
    # The last one is found by the code −1 of missing labels.
    values = np.array([*(place.get(value, UNSEEN) for value in labels.values), np.nan])
    return values[labels.codes]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """How a matrix with gaps and categories becomes one that any linear model takes.

    Numbers are standardised, and missing ones replaced by their mean; categories get a column of 0
    and 1 each; and so does being missing, for each column where a value was missing in training.

    Attributes
    ----------
    n_categories : how many categories each column has, 0 if it holds numbers.
    centre, scale : the mean and the standard deviation of numbers in training.
    has_gaps : whether a value was missing in training.
    """

    n_categories: tuple[int, ...]
    centre: Float
    scale: Float
    has_gaps: NDArray[np.bool_]

    @classmethod
    def of(cls, matrix: Float, n_categories: tuple[int, ...], weight: Float) -> Design:
        """Learn it from the rows to learn from.

        Examples
        --------
        >>> rows = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, 1.0]])
        >>> Design.of(rows, (0, 2), np.ones(3))(rows)
        array([[-1.,  0.,  1.,  0.],
               [ 1.,  0.,  0.,  1.],
               [ 0.,  1.,  0.,  1.]])
        """
        known = ~np.isnan(matrix)
        total = weight @ known
        with np.errstate(all="ignore"):
            centre = weight @ np.where(known, matrix, 0.0) / total
            squares = weight @ np.where(known, (matrix - centre) ** 2, 0.0) / total
        scale = np.sqrt(squares)
        usable = np.isfinite(centre) & np.isfinite(scale) & (scale > 0)
        # A constant column becomes one of zeros.
        return cls(
            n_categories,
            np.where(usable, centre, 0.0),
            np.where(usable, scale, np.inf),
            np.asarray(~known.all(axis=0)),
        )

    @property
    def width(self) -> int:
        """The number of columns that it gives."""
        return sum(n or 1 for n in self.n_categories) + int(self.has_gaps.sum())

    def __call__(self, matrix: Float) -> Float:
        """Give the columns for these rows."""
        design = np.zeros((len(matrix), self.width), order="F")
        place = 0
        for j, n in enumerate(self.n_categories):
            column = matrix[:, j]
            missing = np.isnan(column)
            if n:
                design[:, place : place + n] = column[:, None] == np.arange(n)
            else:
                design[:, place] = np.where(missing, 0.0, (column - self.centre[j]) / self.scale[j])
            place += n or 1
            if self.has_gaps[j]:
                design[:, place] = missing
                place += 1
        return design
