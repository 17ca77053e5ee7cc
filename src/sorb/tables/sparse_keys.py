"""The keys of the rows of a sparse table, the same as those of all its values, by stored values.

A key is made of a sum over all columns, so the stored values change what zeros alone would give.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sorb._kernels import SparseTable
from sorb._types import Float, Int, Matrix
from sorb.tables.row_keys import (
    LIMIT,
    MISSING_STEP,
    STEPS,
    KeyColumn,
    Range,
    finish_key,
    key_sums,
)

__all__ = ["sparse_keys", "sparse_ranges"]


def sparse_ranges(X: SparseTable, count: Float) -> tuple[Float, Float, Float]:
    """The least and the largest known value of each column, and the mean less the least.

    Rows count as often as `count` says.
    """
    n_columns = X.shape[1]
    column = _column_of_each(X)
    copies = count[X.rows]
    present, missing = copies > 0, np.isnan(X.values)
    here = present & ~missing
    has_zeros = np.bincount(column[present], minlength=n_columns) < np.count_nonzero(count)
    low, high = (np.where(has_zeros, 0.0, end) for end in (np.inf, -np.inf))
    np.minimum.at(low, column[here], X.values[here])
    np.maximum.at(high, column[here], X.values[here])
    above = copies[here] * (X.values[here] - low[column[here]])
    added = np.bincount(column[here], above, n_columns)
    stored = np.bincount(column, copies, n_columns)
    known = np.bincount(column[here], copies[here], n_columns)
    zeros = count.sum() - stored
    with np.errstate(invalid="ignore"):
        excess = (added - np.where(zeros > 0, zeros * low, 0.0)) / (known + zeros)
    return low, high, excess


def sparse_keys(
    X: SparseTable,
    columns: Mapping[int, KeyColumn],
    seed: int,
    outcome: tuple[KeyColumn, Float] | None,
    digits: int = 1,
) -> NDArray[np.uint32]:
    """The key of each row, as those of `array_keys`."""
    # Columns that do not vary add nothing.
    low, factor = np.zeros((2, X.shape[1]))
    square, linear = np.zeros((2, digits, X.shape[1]), dtype=np.int64)
    for j, column in columns.items():
        assert isinstance(column.steps, Range)
        low[j], factor[j] = column.steps.low, column.steps.factor
        for digit in range(digits):
            square[digit, j], linear[digit, j] = column.multipliers(digit)

    def parts(values: Matrix, where: Int | slice) -> Int:
        place = (values.astype(np.float64) - low[where]) * factor[where] + 0.5
        place = np.clip(place, 0, STEPS + 0.75)
        total = np.zeros(len(values), dtype=np.int64)
        for digit in range(digits):
            step = np.floor(place)
            whole = np.where(np.isnan(values), MISSING_STEP, step).astype(np.int64)
            total += whole * (whole * square[digit, where] + linear[digit, where]) % LIMIT
            place = (place - step) * STEPS
        return total

    of_zeros, column_of = parts(np.zeros(X.shape[1]), slice(None)), _column_of_each(X)
    total = np.full(len(X), of_zeros.sum())
    np.add.at(total, X.rows, parts(X.values, column_of) - of_zeros[column_of])
    if outcome is not None:
        total += key_sums(outcome[1][:, None], {0: outcome[0]}, digits)
    return np.asarray(finish_key(total, seed), dtype=np.uint32)


def _column_of_each(X: SparseTable) -> Int:
    """The column of each stored value."""
    return np.repeat(np.arange(X.shape[1]), np.diff(X.starts))
