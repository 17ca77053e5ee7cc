"""A table as the checks see it: its columns as numbers, and its outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import rankdata

from sorb import _kernels
from sorb._types import Bool, Float, Int
from sorb.tables.row_keys import LIMIT, Range, array_keys, key_columns, row_blocks

__all__ = ["CheckedTable", "Column", "Outcome", "Size"]

_SEED = 0


@dataclass(frozen=True, eq=False)
class Column:
    """A column as numbers, NaN where a value is missing.

    Attributes
    ----------
    name : its name.
    values : numbers; the positions of `labels`; or the ranks of dates. They may be float32, and a
        view of the user's table, until rows are taken.
    labels : the categories, None if there are none.
    is_date : whether it holds dates or times.
    is_declared : whether the user, or the type, says that it holds categories.
    """

    name: str
    values: Float
    labels: tuple[Any, ...] | None = None
    is_date: bool = False
    is_declared: bool = False

    @cached_property
    def known(self) -> Float:
        """The values that are not missing."""
        missing = np.isnan(self.values)
        return self.values[~missing] if missing.any() else self.values

    @cached_property
    def distinct(self) -> tuple[Float, Int]:
        """The different values, in order, and how many rows have each."""
        values, counts = np.unique(self.known, return_counts=True)
        return values, counts

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers that are measured or counted."""
        return self.labels is None and not self.is_date

    @cached_property
    def is_whole(self) -> bool:
        """Whether it holds numbers, all of them whole."""
        return self.is_number and bool(np.all(self.known == np.floor(self.known)))

    def take(self, rows: Int) -> Column:
        """Some of its rows, in full precision."""
        values = self.values[rows].astype(np.float64, copy=False)
        return replace(self, values=values)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is to be predicted: numbers, or the positions of classes.

    Attributes
    ----------
    y : the outcome of each row that is looked at.
    classes : the labels of the classes; None for numbers.
    """

    y: Float
    classes: tuple[Any, ...] | None

    @cached_property
    def targets(self) -> Float:
        """What columns are judged by: an indicator for each class, or the ranks of numbers.

        Ranks, since a few large outcomes would decide everything. Two classes need one indicator.
        """
        y: Float = rankdata(self.y) / len(self.y) if self.classes is None else self.y
        if self.classes is None or len(self.classes) == 2:
            return y[:, None]
        return np.asarray(y[:, None] == np.arange(len(self.classes)), dtype=np.float64)

    @property
    def varies(self) -> bool:
        """Whether there is anything to predict."""
        return bool((self.y != self.y[:1]).any())

    @property
    def class_counts(self) -> Int:
        """How many rows each class has; none for numbers."""
        if self.classes is None:
            return np.zeros(0, dtype=np.int64)
        return np.bincount(self.y.astype(np.int64), minlength=len(self.classes))

    def take(self, rows: Int) -> Outcome:
        """That of some rows."""
        return Outcome(self.y[rows], self.classes)


@dataclass(frozen=True, slots=True)
class Size:
    """How many rows a check looks at, so that it takes little time."""

    rows: int
    cells: int

    def limit(self, n_columns: int) -> int:
        """The most rows to look at of a table of so many columns."""
        return max(1000, min(self.rows, self.cells // max(n_columns, 1)))


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """A table as the checks see it, or a sample of its rows by their contents, in their order.

    Attributes
    ----------
    columns : its columns.
    outcome : its outcomes, if there are any.
    places : the number of each row in the user's table.
    half : which of two halves each row is in; copies of a row are in the same one.
    n_rows : how many rows there are, also outside of the sample.
    class_counts : how many of all rows each class has, if there are classes.
    weight, exposure : those of the rows, if there are any.
    """

    columns: tuple[Column, ...]
    outcome: Outcome | None
    places: Int
    half: Bool
    n_rows: int
    class_counts: Int
    weight: Float | None = None
    exposure: Float | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        outcome: Outcome | None,
        places: Int,
        size: Size,
        weight: Float | None = None,
        exposure: Float | None = None,
    ) -> CheckedTable:
        """Take a sample of the rows if there are more than the `size` allows."""
        n_rows, keys = len(places), _row_keys(columns, len(places))
        share = size.limit(len(columns)) / max(n_rows, 1)
        rows = np.flatnonzero(keys < LIMIT * share) if share < 1 else np.arange(n_rows)
        return cls(
            tuple(column.take(rows) for column in columns),
            None if outcome is None else outcome.take(rows),
            places[rows],
            keys[rows] % 2 == 0,
            n_rows,
            np.zeros(0, dtype=np.int64) if outcome is None else outcome.class_counts,
            None if weight is None else weight[rows],
            None if exposure is None else exposure[rows],
        )

    @property
    def n_checked(self) -> int:
        """How many rows are looked at."""
        return len(self.places)

    @property
    def sampled(self) -> bool:
        """Whether there are more rows."""
        return self.n_checked < self.n_rows

    @cached_property
    def copies(self) -> Int:
        """A number for each row, the same for copies; missing values are equal."""
        matrix = np.column_stack([column.values for column in self.columns])
        matrix = np.ascontiguousarray(np.where(np.isnan(matrix), np.inf, matrix + 0.0))
        rows = matrix.view(np.dtype((np.void, matrix.dtype.itemsize * matrix.shape[1]))).ravel()
        return np.unique(rows, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _row_keys(columns: Sequence[Column], n_rows: int) -> Int:
    """A key of each row that depends on its contents alone, without copying the table."""
    keys = np.zeros(n_rows, dtype=np.int64)
    contents: dict[str, Any] = {
        column.name: _range(column) if column.labels is None else _texts(column.labels)
        for column in columns
    }
    place = {column.name: j for j, column in enumerate(columns)}
    plan = {place[name]: column for name, column in key_columns(contents).items()}
    for rows in row_blocks(n_rows) if columns else ():
        block = np.column_stack([column.values[rows] for column in columns])
        keys[rows] = array_keys(block, plan, _SEED, None)
    return keys


def _range(column: Column) -> Range:
    low, high, excess = _kernels.column_ranges(column.values[:, None], None)
    return Range(float(low[0]), float(high[0]), float(excess[0]))


def _texts(labels: Sequence[Any]) -> list[str]:
    return list(map(str, labels))
