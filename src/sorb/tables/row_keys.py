"""Keys of rows that depend on their contents alone, and are the same on every engine.

Each value is rounded to one of a million steps of its column's range, and turned into a number by
integer arithmetic, which all engines do alike. The key of a row is made of the sum over its
columns, so the order of the columns does not matter, nor does a column that is constant. Copies of
a row have the same key.

Formulas that take an array of integers also take an expression of narwhals.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from sorb._types import Float, Int, Matrix
from sorb.rules import Label

__all__ = [
    "LIMIT",
    "KeyPlan",
    "Range",
    "array_keys",
    "finish_key",
    "label_step",
    "mix_steps",
    "row_blocks",
]

# Keys are less than this prime number, whose square fits in 64 bits.
LIMIT = 2**31 - 1
# The rows that are read at a time fit in the cache.
_BLOCK = 1 << 14
_STEPS = 1 << 20
# The step of a missing value; others are from 0 to _STEPS.
MISSING_STEP = 1_299_709
# Any large numbers; steps have 21 bits, so that nothing exceeds 63 bits.
_SQUARE, _LINEAR = 1_999_993, 668_265_263
_FINAL_SQUARE, _FINAL_LINEAR = 1_181_783_497, 374_761_393

Integers: TypeAlias = Any  # an array or an expression


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the largest value of a column, infinite if there is none."""

    low: float
    high: float

    @property
    def factor(self) -> float:
        """The number of steps for each unit of the column; 0 if all its values are alike."""
        width = self.high - self.low
        return _STEPS / width if math.isfinite(width) and width > 0 else 0.0

    def union(self, other: Range) -> Range:
        """The range of the values of two columns."""
        return Range(min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """How the keys of rows are made, the same for all parts of a table.

    Attributes
    ----------
    seed : the seed.
    columns : for each feature that varies, the range of its numbers or the steps of its labels.
    outcome : the range of the outcomes, if they are numbers that vary.
    """

    seed: int
    columns: Mapping[str, Range | Sequence[int]]
    outcome: Range | None


def label_step(label: Label) -> int:
    """The step of a category, which does not depend on the other ones.

    Examples
    --------
    >>> label_step(1) == label_step(1.0) == label_step(True) != label_step("1")
    True
    """
    text = label if isinstance(label, str) else repr(float(label)) + "#"
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % _STEPS


def mix_steps(step: Integers) -> Integers:
    """Turn the steps of one column into numbers that add up to keys."""
    return (step * step * _SQUARE + step * _LINEAR) % LIMIT


def finish_key(total: Integers, seed: int) -> Integers:
    """Turn the sums over the columns into keys, different ones for each seed."""
    shifted = (total + seed % LIMIT) % LIMIT
    return (shifted * shifted % LIMIT * _FINAL_SQUARE + shifted * _FINAL_LINEAR) % LIMIT


def array_keys(
    columns: Sequence[Range | Sequence[int]], X: Matrix, y: Float | None, seed: int
) -> Int:
    """The key of each row of a matrix, of its outcome, too, if it is given.

    For each column of X and then for y, `columns` has the range of its numbers, or the steps of
    its category codes.
    """
    keys = np.empty(len(X), dtype=np.int64)
    for rows in row_blocks(len(X)):
        total = np.zeros(rows.stop - rows.start, dtype=np.int64)
        for j, column in enumerate(columns):
            values = X[rows, j] if y is None or j < X.shape[1] else y[rows]
            if varies(column):
                total += mix_steps(_steps(values.astype(np.float64, copy=False), column))
        keys[rows] = finish_key(total, seed)
    return keys


def varies(column: Range | Sequence[int]) -> bool:
    """Whether a column, of which the range or the steps are given, has several values."""
    return column.factor > 0 if isinstance(column, Range) else len(column) > 1


def _steps(values: Float, column: Range | Sequence[int]) -> Int:
    missing = np.isnan(values)
    if isinstance(column, Range):
        steps = np.floor((values - column.low) * column.factor + 0.5)
        steps[missing] = MISSING_STEP
        return steps.astype(np.int64)
    known = np.array([*column, MISSING_STEP], dtype=np.int64)
    return known[np.where(missing, len(column), values).astype(np.intp)]


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Divide the rows into blocks that fit in the cache.

    Examples
    --------
    >>> [rows.stop - rows.start for rows in row_blocks(40_000)]
    [16384, 16384, 7232]
    """
    return (slice(start, min(start + _BLOCK, n_rows)) for start in range(0, n_rows, _BLOCK))
