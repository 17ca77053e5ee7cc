"""What a table must be before it is read, and what its numbers must be afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np

from sorb._types import Matrix
from sorb.rules.columns import require_unmasked
from sorb.rules.infinity import require_no_infinity
from sorb.rules.sparse import is_sparse
from sorb.tables.cells import DATES, NAME_CATEGORIES, find_non_number
from sorb.tables.frames import as_narwhals, is_frame
from sorb.tables.quoting import quote_some

__all__ = [
    "FLOATS",
    "has_missing",
    "name_bad_cell",
    "non_number_in",
    "require_finite",
    "require_no_infinities",
    "require_table",
    "row_count",
]

FLOATS = [np.float64, np.float32]


def require_table(X: Any) -> None:
    """Refuse what resembles a table but cannot be read as one."""
    frame = as_narwhals(X)
    kind = f"{type(X).__module__}.{type(X).__qualname__}"
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"expected a table in memory, found a lazy one ({kind}): collect it first")
    is_other_frame = hasattr(X, "__dataframe__") and not isinstance(frame, nw.DataFrame)
    if is_other_frame or not _is_array_like(X):
        raise TypeError(
            "expected a 2-D array or a DataFrame of pandas, polars or pyarrow, "
            f"found {kind}: make a DataFrame of it first"
        )
    if isinstance(X, (list, tuple)):
        _require_equal_rows(X)
    _require_plain_array(X)


def row_count(X: Any) -> int | None:
    """Count the rows of a table before it is read; None if only reading it would tell."""
    if is_sparse(X):
        return int(X.shape[0])
    try:
        return len(X)
    except TypeError:
        return None


def _is_array_like(X: Any) -> bool:
    if is_sparse(X):
        return True
    if isinstance(X, (str, bytes, Mapping, Set)):
        return False
    return hasattr(X, "__array__") or hasattr(X, "__len__")


def _require_equal_rows(X: Sequence[Any]) -> None:
    """Refuse lists of rows that are no table."""
    sizes = []
    for i, row in enumerate(X):
        if isinstance(row, (Mapping, Set)):
            raise TypeError(
                "expected a 2-D array or a DataFrame of pandas, polars or pyarrow, found "
                f"{type(row).__name__} as row {i}: make a DataFrame of the rows first"
            )
        sizes.append(row_count(row) if isinstance(row, (list, tuple, np.ndarray)) else None)
        if sizes[i] != sizes[0]:
            raise ValueError(
                f"expected as many values in each row, found {_size_words(sizes[0])} in row 0 and "
                f"{_size_words(sizes[i])} in row {i}"
            )


def _size_words(size: int | None) -> str:
    return "a single value" if size is None else f"a list of {size}"


def _require_plain_array(X: Any) -> None:
    require_unmasked(X, "X")
    dtype = getattr(X, "dtype", None)
    if not isinstance(dtype, np.dtype):
        return
    if dtype.names is not None:
        raise TypeError(
            "expected a 2-D array, found a structured one with the fields "
            f"{quote_some(dtype.names)}: make a DataFrame of it first"
        )
    if dtype.kind in "mM":
        raise ValueError(f"the array {DATES.format(dtype)}")
    if dtype.kind == "c":
        raise ValueError("Complex data not supported: expected an array of real numbers as X")
    if is_sparse(X) and dtype.kind not in "fiub":
        raise ValueError(f"expected a sparse matrix of numbers as X, found one of type {dtype}")


@contextmanager
def name_bad_cell(X: Any, may_be_category: bool = False) -> Iterator[None]:
    """Name the cell that is not a number, which scikit-learn quotes without saying where it is."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        is_about_a_cell = "float" in str(error) or "sequence" in str(error)
        if is_about_a_cell and (found := non_number_in(X, may_be_category)):
            kind = ValueError if isinstance(error, OverflowError) else type(error)
            raise kind(f"{found} ({error})") from error
        raise


def non_number_in(X: Any, may_be_category: bool) -> str | None:
    """Describe the first cell of a table that cannot be converted to a number, if there is one."""
    advice = NAME_CATEGORIES if may_be_category else ""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        return find_non_number({c.name: c.to_list() for c in frame.iter_columns()}, advice)
    columns = np.array(X, dtype=object).T.tolist()
    return find_non_number({f"x{j}": c for j, c in enumerate(columns)}, advice)


def require_no_infinities(X: Matrix, columns: tuple[str, ...]) -> None:
    """Refuse a table that holds an infinite number."""
    if not _sum_is_finite(X):
        for j, name in enumerate(columns):
            require_no_infinity(X[:, j], name)


def has_missing(X: Matrix) -> bool:
    """Whether a table without infinite numbers holds NaN."""
    return not _sum_is_finite(X) and bool(np.isnan(X).any())


def _sum_is_finite(X: Matrix) -> bool:
    """Whether all numbers are finite, in one pass; the sum of large ones may not be, either."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


def require_finite(X: Matrix, columns: tuple[str, ...]) -> None:
    """Refuse a table in which a value is missing or infinite."""
    if _sum_is_finite(X):
        return
    for j, name in enumerate(columns):
        bad = np.flatnonzero(~np.isfinite(X[:, j]))
        if len(bad):
            value = "NaN" if np.isnan(X[bad[0], j]) else "infinity"
            raise ValueError(
                f"X contains {value} in column {name!r} (number {j}), first in row {bad[0]}: "
                "all values must be finite, so fill in or drop the others first"
            )
