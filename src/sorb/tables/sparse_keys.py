"""The keys of the rows of a sparse table, the same as those of all its values, by stored values.

A key is made of a sum over all columns, so the stored values change what zeros alone would give.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sorb._kernels import SparseTable
from sorb._types import Float, Int, Matrix
from sorb.tables.row_keys import MISSING_STEP, KeyColumn, Range, finish_key

__all__ = ["sparse_keys", "sparse_ranges"]


def sparse_ranges(X: SparseTable, count: Float) -> tuple[Float, Float, Float]:
    """The least, the largest and the mean of the known values of each column.

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
    total = np.bincount(column[here], (copies * X.values)[here], n_columns)
    lacking = np.bincount(column[missing], copies[missing], n_columns)
    with np.errstate(invalid="ignore"):
        mean = total / (count.sum() - lacking)
    return low, high, mean


def sparse_keys(
    X: SparseTable,
    columns: Mapping[int, KeyColumn],
    seed: int,
    outcome: tuple[KeyColumn, Float] | None,
) -> NDArray[np.uint32]:
    """The key of each row, with the columns of X that add to it by their positions."""
    total = np.zeros(len(X), dtype=np.int64)
    zero = np.zeros(1)
    for j, column in columns.items():
        stored = slice(X.starts[j], X.starts[j + 1])
        of_zero = _parts(column, zero)
        total += of_zero
        total[X.rows[stored]] += _parts(column, X.values[stored]) - of_zero
    if outcome is not None:
        total += _parts(*outcome)
    return np.asarray(finish_key(total, seed), dtype=np.uint32)


def _parts(column: KeyColumn, values: Matrix | Float) -> Int:
    """What numbers add to the keys of their rows."""
    assert isinstance(column.steps, Range)
    numbers = values.astype(np.float64, copy=False)
    steps = np.floor((numbers - column.steps.low) * column.steps.factor + 0.5)
    steps[np.isnan(numbers)] = MISSING_STEP
    return np.asarray(column.mix(steps.astype(np.int64)))


def _column_of_each(X: SparseTable) -> Int:
    """The column of each stored value."""
    return np.repeat(np.arange(X.shape[1]), np.diff(X.starts))
