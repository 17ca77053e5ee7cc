"""Sparse tables made from dense ones, and what the kernels do to them, with NumPy alone."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sorb._kernels import SparseTable

# Ties, signs, missing values, and numbers at both ends of the floats.
PLAIN_VALUES = st.sampled_from([1.0, 2.0, -1.0, 0.5]) | st.floats(-9, 9).map(lambda x: round(x, 3))
VALUES = PLAIN_VALUES | st.sampled_from([1e-300, 1e300, np.nan])


def dense_tables(max_rows=30, max_columns=6, values=VALUES):
    """Tables in which about two thirds of the values are zero."""
    cells = st.just(0.0) | st.just(0.0) | values
    shapes = st.tuples(st.integers(1, max_rows), st.integers(1, max_columns))
    return shapes.flatmap(lambda shape: arrays(float, shape, elements=cells))


def compress(X, others=None):
    """A table that stores only the values that differ from the others of their columns."""
    others = np.zeros(X.shape[1], X.dtype) if others is None else others
    stored = (others != X).T
    starts = np.concatenate(([0], stored.sum(axis=1).cumsum()))
    rows = np.nonzero(stored)[1].astype(np.int32)
    return SparseTable(len(X), starts, rows, X.T[stored], others)


def commonest_values(X):
    """The value of each column that most rows have."""
    return np.array([max(column, key=list(column).count) for column in X.T], X.dtype)


def expand(table):
    """All values of a table, by its own arrays."""
    X = np.tile(table.others, (len(table), 1))
    for j in range(table.shape[1]):
        stored = slice(table.starts[j], table.starts[j + 1])
        X[table.rows[stored], j] = table.values[stored]
    return X


def canonical_order(X, y, rows, hashes, columns):
    """Rows by hash, outcome and values, and which differ from the previous one."""
    keys = [*X[rows].T[columns[::-1]], y[rows], hashes]
    order = rows[np.lexsort(keys)]
    content = np.column_stack((y, X))[order]
    same = (content[1:] == content[:-1]) | (np.isnan(content[1:]) & np.isnan(content[:-1]))
    return order, np.concatenate(([True], ~same.all(axis=1)))
