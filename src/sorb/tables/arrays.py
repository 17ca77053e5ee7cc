"""Arrays and lists: their cells as numbers, and as categories where the user says so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb.rules import Label
from sorb.rules.numbers import are_missing
from sorb.tables import cells
from sorb.tables.schema import Schema, column_positions

__all__ = ["keep_types", "mark_missing", "read_array"]


def keep_types(X: Any) -> Any:
    """Keep numbers beside texts as they are in lists, where NumPy would turn them into texts."""
    if not isinstance(X, (np.ndarray, list, tuple)):
        return X
    try:
        given = np.asarray(X)
    except ValueError:  # a cell holds a list, which will be named
        given = np.array(X, dtype=object)
    kind = given.dtype.kind
    if kind == "O":
        return given
    if kind != "U" or isinstance(X, np.ndarray):
        return X
    objects = np.array(X, dtype=object)
    return X if all(isinstance(cell, str) for cell in objects.flat) else objects


def mark_missing(X: Any) -> Any:
    """Replace every marker of a missing value in an array of objects by NaN, which is a number.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sorb.tables.arrays import mark_missing
    >>> mark_missing(np.array([[1, pd.NA], ["A", None]]))
    array([[1, nan],
           ['A', nan]], dtype=object)
    """
    if not isinstance(X, np.ndarray) or X.dtype != np.object_:
        return X
    missing = are_missing(X)
    return np.where(missing, np.nan, X) if missing.any() else X


def read_array(
    X: NDArray[Any], names: tuple[str, ...], categorical: Any
) -> tuple[NDArray[Any], Schema]:
    """Read an array of numbers; columns that are named as categories may hold anything.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.arrays import read_array
    >>> matrix, schema = read_array(np.array([[1.5, 3], [2.5, 7]]), ("a", "b"), [1])
    >>> matrix[:, 1], schema.categories
    (array([0., 1.]), (None, (3, 7)))
    """
    # Types of columns, "from_dtype", are something that only data frames have.
    chosen = (
        set()
        if categorical is None or isinstance(categorical, str)
        else column_positions(categorical, names, "categorical_features")
    )
    is_ready = X.dtype in (np.float32, np.float64)
    if not chosen and is_ready:
        return X, Schema.of_numbers(names)
    matrix = np.empty(X.shape, dtype=X.dtype if is_ready else np.float64, order="F")
    categories: list[tuple[Label, ...] | None] = [None] * len(names)
    for j, name in enumerate(names):
        if j in chosen:
            matrix[:, j], categories[j] = cells.array_categories(X[:, j], name)
        else:
            matrix[:, j] = cells.array_numbers(X[:, j], name)
    return matrix, Schema(names, tuple(categories))
