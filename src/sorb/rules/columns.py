"""The columns of a user's table, by name, one at a time, in float64."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

__all__ = ["ColumnSource", "Table", "Take", "column_source"]

Take: TypeAlias = Callable[[str], NDArray[np.float64]]
Table: TypeAlias = "NDArray[Any] | IntoDataFrame"

NUMERIC_KINDS = "fiub"


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Where propositions find their columns: `take(name)` gives one, of `n_rows` numbers."""

    take: Take
    n_rows: int


def column_source(
    X: Table, needed: Collection[str], columns: Sequence[str] | None = None
) -> ColumnSource:
    """Open a table for reading its columns by name.

    Parameters
    ----------
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow
        The table.
    needed : collection of str
        The columns that will be taken; they must be there.
    columns : sequence of str, optional
        The names of an array's columns, in order. A DataFrame names its own.

    Examples
    --------
    >>> import numpy as np
    >>> source = column_source(np.array([[1.0, 2.0], [3.0, 4.0]]), ["b"], columns=("a", "b"))
    >>> source.take("b"), source.n_rows
    (array([2., 4.]), 2)
    """
    if isinstance(X, np.ndarray):
        return _array_source(X, needed, columns)
    return _frame_source(X, needed)


def _array_source(
    X: NDArray[Any], needed: Collection[str], columns: Sequence[str] | None
) -> ColumnSource:
    if columns is None:
        raise ValueError("an array has no column names: pass columns=, the names in order")
    if X.ndim != 2:
        raise ValueError(f"expected a 2-D array, found one of shape {X.shape}")
    if X.shape[1] != len(columns):
        raise ValueError(f"expected an array of {len(columns)} columns, found {X.shape[1]}")
    _require(needed, columns)
    position = {name: j for j, name in enumerate(columns)}

    def take(name: str) -> NDArray[np.float64]:
        column = X[:, position[name]]
        if column.dtype.kind not in NUMERIC_KINDS:
            raise _not_numeric(name, column.dtype)
        return np.asarray(column, dtype=np.float64)

    return ColumnSource(cache(take), X.shape[0])


def _frame_source(X: IntoDataFrame, needed: Collection[str]) -> ColumnSource:
    # Whoever predicts on arrays does not pay for this import.
    import narwhals as nw

    try:
        frame = nw.from_native(X, eager_only=True)
    except TypeError as error:
        raise TypeError(
            "expected a 2-D NumPy array or a DataFrame of pandas, polars (not lazy) or pyarrow, "
            f"found {type(X).__module__}.{type(X).__qualname__}"
        ) from error
    _require(needed, frame.columns)

    def take(name: str) -> NDArray[np.float64]:
        column = frame[name]
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            raise _not_numeric(name, column.dtype)
        if column.dtype != nw.Float64:
            column = column.cast(nw.Float64)
        return np.asarray(column.to_numpy(), dtype=np.float64)

    return ColumnSource(cache(take), len(frame))


def _require(needed: Collection[str], present: Collection[str]) -> None:
    known = set(present)
    missing = [name for name in needed if name not in known]
    if missing:
        raise ValueError(f"missing columns: {', '.join(map(repr, missing))}")


def _not_numeric(name: str, dtype: object) -> TypeError:
    return TypeError(f"column {name!r} must hold numbers, found {dtype}")
