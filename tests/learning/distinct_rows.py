"""Distinct rows of small tables, for tests of what is drawn from them."""

import numpy as np

from sorb.learning.rows import Rows


def rows_of(X, y=None, weight=None, count=None, group=None):
    """Distinct rows; without a count, a whole weight counts copies."""
    X = np.asarray(X, dtype=float).reshape(len(X), -1)
    y = np.zeros(len(X)) if y is None else y
    weight = np.ones(len(X)) if weight is None else weight
    count = weight if count is None else count
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    return Rows.from_table(X, y, weight, columns, count=count, group=group)
