"""Sparse matrices of SciPy: read without ever being made dense; what is not stored is zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from sorb._kernels import SparseTable
from sorb._types import Bool, Float, Table
from sorb.rules.sparse import require_sound
from sorb.tables.schema import Schema

__all__ = [
    "SPARSE_FORMATS",
    "column_of",
    "columns_with_missing",
    "expand_rows",
    "fill_missing",
    "read_sparse",
    "to_scipy",
]

# Others are converted to the first one.
SPARSE_FORMATS = ("csr", "csc")


def read_sparse(
    X: Any, names: tuple[str, ...], categorical: Any, log_columns: Any
) -> tuple[SparseTable, Schema]:
    """Read a sparse matrix of float32 or float64, which stays as it is.

    Entries that are stored twice are added up, as everywhere in SciPy, and zeros that are stored
    are no different from others.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from sorb.tables.sparse_matrices import read_sparse
    >>> table, schema = read_sparse(csr_array([[0.0, 2.0], [1.0, 0.0]]), ("a", "b"), None, None)
    >>> table.column(1), schema.names
    (array([2., 0.]), ('a', 'b'))
    """
    if not (categorical is None or isinstance(categorical, str)):
        raise ValueError(
            "categorical_features must be None for a sparse matrix, whose columns all hold numbers"
        )
    if log_columns is not None:
        raise ValueError(
            "log_columns must be None for a sparse matrix: zero has no logarithm, so pass the "
            "matrix as an array if its columns have no zeros"
        )
    require_sound(X)
    columns = X.tocsc(copy=True)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    table = SparseTable(
        X.shape[0],
        columns.indptr.astype(np.int64),
        columns.indices.astype(np.int32),
        columns.data,
    )
    _require_no_infinity(table, names)
    return table, Schema.of_numbers(names)


def _require_no_infinity(table: SparseTable, names: tuple[str, ...]) -> None:
    infinite = np.flatnonzero(np.isinf(table.values))
    if len(infinite):
        j = int(np.searchsorted(table.starts, infinite[0], side="right")) - 1
        raise ValueError(
            f"X contains infinity in column {names[j]!r}, first in row {table.rows[infinite[0]]}: "
            "expected finite numbers, or NaN where a value is missing"
        )


def columns_with_missing(table: SparseTable) -> Bool:
    """Which columns hold a missing value."""
    missing = np.concatenate(([0], np.cumsum(np.isnan(table.values))))
    return np.asarray(np.diff(missing[table.starts]) > 0)


def fill_missing(table: SparseTable, means: dict[int, float]) -> SparseTable:
    """Put a number in place of the missing values of each column that has any.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb._kernels import SparseTable
    >>> from sorb.tables.sparse_matrices import fill_missing
    >>> starts, rows = np.array([0, 2]), np.array([0, 2], dtype=np.int32)
    >>> table = SparseTable(3, starts, rows, np.array([np.nan, 4.0]))
    >>> fill_missing(table, {0: 2.0}).column(0)
    array([2., 0., 4.])
    """
    values = table.values.copy()
    for j, mean in means.items():
        of_column = values[table.starts[j] : table.starts[j + 1]]
        of_column[np.isnan(of_column)] = mean
    return SparseTable(len(table), table.starts, table.rows, values, table.others)


def column_of(table: Table, j: int) -> Any:
    """All values of a column, whether they are stored or not."""
    return table.column(j) if isinstance(table, SparseTable) else table[:, j]


def to_scipy(table: SparseTable) -> Any:
    """The same table for SciPy, without copying it."""
    from scipy.sparse import csc_array

    return csc_array((table.values, table.rows, table.starts), shape=table.shape)


def expand_rows(table: SparseTable, rows: Any, columns: Any) -> Float:
    """Write some rows and columns of a table, of which there must be few, into an array."""
    found = np.empty((len(rows), len(columns)), dtype=np.float64)
    for k, j in enumerate(columns):
        found[:, k] = table.column(j)[rows]
    return found
