"""Cells of any kind as numbers, and whether one is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float

if TYPE_CHECKING:
    import narwhals

__all__ = [
    "NUMBERS",
    "NUMERIC_KINDS",
    "are_missing",
    "array_numbers",
    "as_float64",
    "first_non_number",
    "frame_numbers",
    "is_missing",
    "list_cells",
    "object_numbers",
]

NUMERIC_KINDS = "fiub"
NUMBERS = (Real, Decimal, np.bool_)


def frame_numbers(column: narwhals.Series[Any]) -> Float | None:
    """Read a column as numbers, NaN where one is missing; None if it holds anything else.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> frame_numbers(nw.from_native(pl.Series([True, None]), series_only=True))
    array([ 1., nan])
    >>> frame_numbers(nw.from_native(pl.Series(["1"]), series_only=True)) is None
    True
    """
    import narwhals as nw

    # A cast of decimals does not always give the nearest float.
    if (column.dtype.is_numeric() or column.dtype == nw.Boolean) and column.dtype != nw.Decimal:
        with suppress(ValueError):  # pyarrow casts no integer that it would have to round
            cast = column if column.dtype == nw.Float64 else column.cast(nw.Float64)
            return as_float64(cast.to_numpy())
    return object_numbers(column.to_list())


def array_numbers(column: NDArray[Any]) -> Float | None:
    """Read a column of an array as numbers, as `frame_numbers` does for a data frame."""
    if column.dtype.kind in NUMERIC_KINDS:
        return as_float64(column)
    return object_numbers(list_cells(column))


def list_cells(column: NDArray[Any]) -> list[Any]:
    """List the values of a column of an array."""
    # `tolist` turns some dates and durations into integers.
    return list(column) if column.dtype.kind in "mM" else column.tolist()


def object_numbers(values: list[Any]) -> Float | None:
    """Read any values as numbers, as `frame_numbers` does for a data frame."""
    if first_non_number(values) is not None:
        return None
    plain = set(map(type, values)) <= {float, int, bool}  # the usual ones, where NaN is a number
    known = values if plain else [np.nan if is_missing(value) else value for value in values]
    try:
        return np.array(known, np.float64)
    except OverflowError:
        return np.array([_rounded(value) for value in known])


def _rounded(value: Any) -> float:
    """Give the nearest float; infinity for an integer beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def first_non_number(values: Sequence[Any]) -> int | None:
    """Find the first row that holds neither a number nor a marker of a missing value."""
    # NumPy counts a duration as an integer.
    is_number = {
        kind: issubclass(kind, NUMBERS) and not issubclass(kind, np.timedelta64)
        for kind in set(map(type, values))
    }
    if all(is_number.values()):
        return None
    rows = enumerate(values)
    return next((i for i, v in rows if not (is_number[type(v)] or is_missing(v))), None)


def as_float64(values: NDArray[Any]) -> Float:
    """Give a plain array for the kernels, aligned unlike some fields of structures."""
    return np.require(values, np.float64, ["ALIGNED", "ENSUREARRAY"])


def are_missing(values: NDArray[Any]) -> Bool:
    """Say which objects are None, NaN or another marker of a missing value.

    Examples
    --------
    >>> are_missing(np.array(["A", None, 1, math.nan], dtype=object))
    array([False,  True, False,  True])
    """
    if set(map(type, values.flat)) <= {str, int, bool, float, type(None)}:
        # The usual types, which NumPy compares much faster than the loop below.
        return np.asarray((values != values) | np.equal(values, np.array(None)), np.bool_)
    found = [is_missing(value) for value in values.flat]
    return np.array(found, np.bool_).reshape(values.shape)


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or another marker of a missing value."""
    # NaN and NaT differ from themselves; NA of pandas refuses to say.
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, Decimal):  # a signalling NaN raises an error if it is compared
        return value.is_nan()
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return False
