"""The columns of a user's table, read by name, one at a time: as numbers or as labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int
from sorb.rules.labels import Labels
from sorb.rules.numbers import (
    NUMERIC_KINDS,
    array_numbers,
    as_float64,
    first_non_number,
    frame_numbers,
    list_cells,
    object_numbers,
)
from sorb.rules.sparse import is_sparse, require_sound

if TYPE_CHECKING:
    import narwhals
    from narwhals.typing import IntoDataFrame

__all__ = [
    "ColumnSource",
    "Records",
    "TableLike",
    "Take",
    "column_names",
    "column_source",
    "place_names",
    "require_unmasked",
    "wrap_frame",
]

Take: TypeAlias = Callable[[str], Float]
# A table as users have it.
TableLike: TypeAlias = "NDArray[Any] | IntoDataFrame"
# Rows as services have them: values by name.
Records: TypeAlias = Mapping[str, Any] | list[dict[str, Any]]

# Small enough for the columns of a block to stay in the cache, and large enough for the time to go
# into arithmetic rather than calls. With a power of two the columns would compete for the same
# places in the cache.
BLOCK_ROWS = 16_000


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Where propositions find their columns.

    `take(name)` returns the `n_rows` values of a column as numbers, NaN where one is missing;
    `labels(name)` returns them as labels of categories, None where one is missing. Both are called
    for each proposition, so they should cache what takes time to read.

    `finite` promises that no number is missing or infinite. `read_rows(start, stop)` opens some of
    the rows, where that takes less time or memory than selecting them from whole columns.
    """

    take: Take
    labels: Callable[[str], Sequence[Any]]
    n_rows: int
    finite: bool = False
    read_rows: Callable[[int, int], ColumnSource] | None = None

    def map(self, question: Callable[[ColumnSource], NDArray[Any]]) -> NDArray[Any]:
        """Ask something about one block of rows after the other, and join the answers by row.

        Examples
        --------
        >>> import numpy as np
        >>> source = column_source(np.array([[1.0], [2.0], [3.0]]), ["a"], columns=("a",))
        >>> source.map(lambda block: block.take("a") >= 2)
        array([False,  True,  True])
        """
        if self.n_rows <= BLOCK_ROWS:
            return question(self.rows(0, self.n_rows))
        joined: NDArray[Any] | None = None
        for start in range(0, self.n_rows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, self.n_rows)
            answer = question(self.rows(start, stop))
            if joined is None:
                joined = np.empty((self.n_rows, *answer.shape[1:]), dtype=answer.dtype)
            joined[start:stop] = answer
        assert joined is not None  # there are more rows than one block has
        return joined

    def rows(self, start: int, stop: int) -> ColumnSource:
        """Give some rows, whose columns are then read once."""
        if self.read_rows is not None:
            return self.read_rows(start, stop)
        if stop - start == self.n_rows:
            return self
        return ColumnSource(
            lambda name: self.take(name)[start:stop],
            lambda name: self.labels(name)[start:stop],
            stop - start,
        )


def column_source(
    X: TableLike | Records | ColumnSource,
    needed: Collection[str],
    columns: Sequence[str] | None = None,
) -> ColumnSource:
    """Open a table so that its columns can be read by name, each of them once.

    Parameters
    ----------
    X : 2-D NumPy array, SciPy sparse matrix, DataFrame of pandas, polars or pyarrow, or dicts
        The table. A dictionary from names to values is one row, and a list of them is as many rows.
        A table that is open already is returned as it is.
    needed : collection of str
        The columns that will be read; they must be present.
    columns : sequence of str, optional
        The names of an array's columns, in order. A DataFrame has names of its own.

    Examples
    --------
    >>> import numpy as np
    >>> source = column_source(np.array([[1.0, 2.0], [3.0, 4.0]]), ["b"], columns=("a", "b"))
    >>> source.take("b"), source.n_rows
    (array([2., 4.]), 2)
    >>> column_source({"a": 1.0, "b": None}, ["b"]).take("b")
    array([nan])
    """
    if isinstance(X, ColumnSource):
        return X
    if isinstance(X, Mapping):
        return _record_source([X], needed)
    if isinstance(X, list) and all(isinstance(row, Mapping) for row in X):
        return _record_source(X, needed)
    if isinstance(X, np.ndarray):
        return _array_source(X, needed, columns)
    if is_sparse(X):
        return _sparse_source(X, needed, columns)
    return _frame_source(X, needed)


def _array_source(
    X: NDArray[Any], needed: Collection[str], columns: Sequence[str] | None
) -> ColumnSource:
    require_unmasked(X, "X")
    position = _positions(X, needed, columns)

    def take(name: str) -> Float:
        column = X[:, position[name]]
        found = array_numbers(column)
        if found is None:
            raise _not_numeric(name, list_cells(column), column.dtype)
        return found

    def labels(name: str) -> Labels:
        return Labels.of(X[:, position[name]])

    if X.dtype.kind not in NUMERIC_KINDS:
        return ColumnSource(cache(take), cache(labels), X.shape[0])
    read_rows = _row_reader(X, position, needed)
    return ColumnSource(take, labels, X.shape[0], read_rows=read_rows)


def _positions(X: Any, needed: Collection[str], columns: Sequence[str] | None) -> dict[str, int]:
    """The position of each column of an array, which has no names itself."""
    if columns is None:
        raise ValueError("an array has no column names: pass columns=, the names in order")
    if X.ndim != 2:
        raise ValueError(f"expected a 2-D array, found one of shape {X.shape}")
    if X.shape[1] != len(columns):
        raise ValueError(f"expected an array of {len(columns)} columns, found {X.shape[1]}")
    _require_columns(needed, columns)
    return {name: j for j, name in enumerate(columns)}


def _sparse_source(X: Any, needed: Collection[str], columns: Sequence[str] | None) -> ColumnSource:
    """Open a sparse matrix; only the columns that are needed are ever expanded."""
    position = _positions(X, needed, columns)
    if X.dtype.kind not in NUMERIC_KINDS:
        raise TypeError(f"expected a sparse matrix of numbers, found one of type {X.dtype}")
    require_sound(X)
    names = list(needed)
    indexed = X if X.format in ("csr", "csc") else X.tocsr()
    used = indexed[:, [position[name] for name in names]].tocsr()
    place = {name: k for k, name in enumerate(names)}

    def read_rows(start: int, stop: int) -> ColumnSource:
        block = used[start:stop].toarray()
        return _array_source(block, names, names).rows(0, len(block))

    def take(name: str) -> Float:
        return as_float64(used[:, [place[name]]].toarray().ravel())

    return ColumnSource(take, lambda name: Labels.of(take(name)), X.shape[0], read_rows=read_rows)


def _row_reader(
    X: NDArray[Any], position: Mapping[str, int], needed: Collection[str]
) -> Callable[[int, int], ColumnSource]:
    """Let blocks of rows be read from an array of numbers, all columns that are needed at once."""
    places = np.array([position[name] for name in needed], dtype=np.int64)

    def read_rows(start: int, stop: int) -> ColumnSource:
        block = X[start:stop]
        values, finite = _copy_columns(block, places)
        numbers = dict(zip(needed, values, strict=True))
        return ColumnSource(
            numbers.__getitem__,
            lambda name: Labels.of(block[:, position[name]]),
            len(block),
            finite,
        )

    return read_rows


def _copy_columns(X: NDArray[Any], places: Int) -> tuple[Iterable[Float], bool]:
    """Copy some columns of an array of numbers, and say whether all are known to be finite."""
    if X.dtype in (np.float64, np.float32) and X.flags.aligned:
        return _kernels.copy_columns(X, places)
    return (as_float64(X[:, place]) for place in places), False


def _frame_source(X: Any, needed: Collection[str]) -> ColumnSource:
    # Predicting on arrays does not pay for this import.
    import narwhals as nw

    try:
        frame = wrap_frame(X, eager_only=True)
    except TypeError as error:
        raise TypeError(
            "expected a 2-D NumPy array, a DataFrame of pandas, polars (not lazy) or pyarrow, or "
            "dictionaries with a value for each column, found "
            f"{type(X).__module__}.{type(X).__qualname__}"
        ) from error
    position = {name: j for j, name in enumerate(column_names(frame.columns))}
    _require_columns(needed, position)

    @cache
    def take(name: str) -> Float:
        column = frame[:, position[name]]
        found = frame_numbers(column)
        if found is None:
            native = column.to_native()
            dtype = native.type if column.implementation.is_pyarrow() else native.dtype
            raise _not_numeric(name, column.to_list(), dtype)
        return found

    def labels(name: str) -> Labels:
        column = frame[:, position[name]]
        if column.dtype in (nw.Float64, nw.Float32):
            return Labels.of(take(name))
        # Integers beside missing values would become floats, which cannot hold all of them; those
        # of 128 bits have no array.
        wide = column.dtype in (nw.Int128, nw.UInt128)
        if column.dtype.is_numeric() and not wide and not column.null_count():
            return Labels.of(column.to_numpy())
        return _encoded(column) or Labels.of(column.to_list())

    return ColumnSource(take, cache(labels), len(frame))


def _record_source(rows: Sequence[Mapping[str, Any]], needed: Collection[str]) -> ColumnSource:
    """Open rows that are dictionaries, which may have other entries than those that are needed."""
    for number, row in enumerate(rows):
        _require_columns(needed, row, f" in row {number}: where a value is unknown, give None")

    def values(name: str) -> list[Any]:
        return [row[name] for row in rows]

    def take(name: str) -> Float:
        found = object_numbers(values(name))
        if found is None:
            raise _not_numeric(name, values(name))
        return found

    return ColumnSource(cache(take), cache(lambda name: Labels.of(values(name))), len(rows))


def wrap_frame(X: Any, **options: bool) -> Any:
    """Wrap a data frame with narwhals, or say which name several of its columns have."""
    import narwhals as nw

    try:
        return nw.from_native(X, **options)
    except ValueError as error:
        names = X.column_names if hasattr(X, "column_names") else X.columns
        twice = [name for name, count in Counter(names).items() if count > 1]
        if not twice:
            raise
        raise ValueError(f"several columns are named {twice[0]!r}: rename them") from error


def require_unmasked(values: Any, what: str) -> None:
    """Refuse an array in which entries are masked: without its mask they would be values.

    Examples
    --------
    >>> import numpy as np
    >>> require_unmasked(np.ma.masked_equal([1, 0], 0), "y")
    Traceback (most recent call last):
    ...
    TypeError: y is a masked array with masked entries, the first in row 1: fill them, for instance
    with NaN, or drop these rows
    """
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        row = int(np.argwhere(np.atleast_1d(values.mask))[0][0])
        raise TypeError(
            f"{what} is a masked array with masked entries, the first in row {row}: fill them, for "
            "instance with NaN, or drop these rows"
        )


def column_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Name the columns of a data frame as rules do.

    Names that are not strings are converted to strings, and the parts of a tuple are joined.
    Columns that are merely numbered from 0 have no names, and are named by position, like those of
    an array.

    Examples
    --------
    >>> column_names([2020, 2021])
    ('2020', '2021')
    >>> column_names([("bmi", "mean"), ("bmi", "sd"), ("age", "")])
    ('bmi_mean', 'bmi_sd', 'age')
    >>> column_names([0, 1, 2])
    ('x0', 'x1', 'x2')
    """
    if all(isinstance(name, str) for name in names):
        return tuple(names)
    if list(names) == list(range(len(names))):
        return place_names(len(names))
    known: dict[str, Any] = {}
    for name in names:
        parts = name if isinstance(name, tuple) else (name,)
        text = "_".join(str(part) for part in parts if part != "")
        if text in known:
            raise ValueError(
                f"the column names {known[text]!r} and {name!r} both read {text!r}: "
                "rename one of them"
            )
        known[text] = name
    return tuple(known)


def place_names(count: int) -> tuple[str, ...]:
    """Name columns that have no names by their position."""
    return tuple(f"x{j}" for j in range(count))


def _encoded(column: narwhals.Series[Any]) -> Labels | None:
    """Let pyarrow number texts and categories, if it is installed."""
    import narwhals as nw

    if column.dtype not in (nw.String, nw.Categorical, nw.Enum):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return None
    try:
        found = column.to_arrow()
    except (pa.ArrowException, UnicodeError):  # texts beyond UTF-8
        return None
    return Labels.of_arrow(found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found)


def _require_columns(needed: Collection[str], present: Collection[str], where: str = "") -> None:
    known = set(present)
    missing = [name for name in needed if name not in known]
    if missing:
        raise ValueError(f"missing columns: {', '.join(map(repr, missing))}{where}")


def _not_numeric(name: str, values: Sequence[Any], dtype: object = None) -> TypeError:
    row = first_non_number(values) or 0
    kind = "" if dtype is None else f" ({dtype})"
    return TypeError(f"column {name!r} must hold numbers, found {values[row]!r} in row {row}{kind}")
