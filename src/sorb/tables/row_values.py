"""One value for each row of a table: outcomes, weights and exposures, before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from sorb.rules.columns import require_unmasked

__all__ = ["flat_outcomes", "row_values"]


def row_values(
    values: Any, n_rows: int | None, what: str = "y", expected: str = "outcome"
) -> NDArray[Any]:
    """Give one value for each row as an array, without changing any.

    Parameters
    ----------
    values : one value for each row.
    n_rows : the number of rows, if it is known.
    what : what to call the values in messages.
    expected : what each of them is.

    Examples
    --------
    >>> from sorb.tables.row_values import row_values
    >>> row_values(["ill", None], 2)
    array(['ill', None], dtype=object)
    >>> row_values([3, 1, 2], 2, "sample_weight", "number")
    Traceback (most recent call last):
    ...
    ValueError: sample_weight must hold one number for each of the 2 rows, found 3
    """
    found = _as_array(values, what)
    rows = "row" if n_rows is None else f"of the {n_rows} rows"
    wanted = f"{what} must hold one {expected} for each {rows}"
    if found.ndim == 0:
        raise ValueError(f"{wanted}, found {_describe(values)}")
    if found.dtype.names is not None or found.dtype.kind == "c":
        kind = "complex numbers" if found.dtype.names is None else "a structured array"
        raise ValueError(f"{wanted}, found {kind}")
    if found.ndim > 1:
        raise ValueError(f"{wanted}, found the shape {found.shape}")
    if n_rows is not None and len(found) != n_rows:
        raise ValueError(f"{wanted}, found {len(found)}")
    return found


def flat_outcomes(y: Any, n_rows: int | None) -> NDArray[Any]:
    """Give the outcome of each row; a table of one column is one, with scikit-learn's warning."""
    found = _as_array(y, "y")
    is_column = found.ndim == 2 and found.shape[1] == 1
    return row_values(column_or_1d(found, warn=True) if is_column else y, n_rows)


def _as_array(values: Any, what: str) -> NDArray[Any]:
    """Convert to an array; objects stay what they are."""
    require_unmasked(values, what)
    try:
        found = np.asarray(values)
    except ValueError:
        # Lists of different lengths have no array but one that holds the lists.
        return _objects(values)
    if not isinstance(values, (list, tuple)) or found.dtype.kind not in "SU" or found.ndim != 1:
        return found
    # NumPy turns numbers and missing values among texts into texts.
    return found if all(isinstance(value, str) for value in values) else _objects(values)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    result = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        result[row] = value
    return result


def _describe(values: Any) -> str:
    if isinstance(values, (str, bytes, int, float, complex)):
        return f"the single value {values!r}"
    kind = f"{type(values).__module__}.{type(values).__qualname__}"
    return "None" if values is None else kind
