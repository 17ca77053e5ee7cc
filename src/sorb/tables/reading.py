"""A user's table as a matrix of numbers, and what each of its columns means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb._types import Matrix
from sorb.rules import Label
from sorb.rules.columns import column_names, is_missing
from sorb.tables import cells
from sorb.tables.cells import MOST_CATEGORIES

__all__ = [
    "MOST_CATEGORIES",
    "Matrix",
    "Schema",
    "as_named",
    "frame_names",
    "is_frame",
    "marked",
    "read_array",
    "read_frame",
    "renamed",
    "require_table",
    "strange_cell",
    "with_logarithms",
    "without_unused",
]


FROM_DTYPE = "from_dtype"


@dataclass(frozen=True, slots=True)
class Schema:
    """What the columns of a matrix mean.

    Attributes
    ----------
    names : a name for each column.
    categories : for each column None, or the labels whose numbers it holds in place of values.
    logarithms : the columns whose logarithms are weighed against each other, so that conditions on
        them are products and ratios.
    """

    names: tuple[str, ...]
    categories: tuple[tuple[Label, ...] | None, ...]
    logarithms: tuple[int, ...] = ()

    @classmethod
    def of_numbers(cls, names: tuple[str, ...]) -> Schema:
        """A schema of plain numbers."""
        return cls(names, (None,) * len(names))

    @property
    def plain(self) -> bool:
        """Whether all columns are plain numbers."""
        return not self.logarithms and not any(c is not None for c in self.categories)

    @property
    def log_names(self) -> tuple[str, ...]:
        """The names of the columns whose logarithms are weighed."""
        return tuple(self.names[j] for j in self.logarithms)

    @property
    def labels(self) -> dict[str, tuple[Label, ...]]:
        """The labels of each column of categories."""
        pairs = zip(self.names, self.categories, strict=True)
        return {name: labels for name, labels in pairs if labels is not None}


def require_table(X: Any) -> None:
    """Refuse what looks like a table, but is none that could be read."""
    frame = _opened(X)
    kind = f"{type(X).__module__}.{type(X).__qualname__}"
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(f"expected a table in memory, found a lazy one ({kind}): collect it first")
    is_other_frame = hasattr(X, "__dataframe__") and not isinstance(frame, nw.DataFrame)
    if isinstance(X, Mapping) or is_other_frame:
        raise TypeError(
            "expected a 2-D array or a DataFrame of pandas, polars or pyarrow, "
            f"found {kind}: make a DataFrame of it first"
        )
    if np.ma.isMaskedArray(X):
        raise TypeError(
            "expected NaN where a value is missing, found a masked array: fill it first"
        )
    dtype = getattr(X, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.names is not None:
        raise TypeError(
            "expected a 2-D array, found a structured one with the fields "
            f"{cells.listed(dtype.names)}: make a DataFrame of it first"
        )
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        raise ValueError(f"the array {cells.DATES.format(dtype)}")


def is_frame(X: Any) -> bool:
    """Whether something is a table with named columns that may differ in kind."""
    return isinstance(_opened(X), nw.DataFrame)


def frame_names(X: Any) -> dict[Any, str]:
    """Give for the name of each column of a DataFrame the one by which rules know it.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.reading import frame_names
    >>> frame_names(pd.DataFrame({2020: [1], 2021: [2]}))
    {2020: '2020', 2021: '2021'}
    """
    keys = nw.from_native(X, eager_only=True).columns
    names = column_names(keys)
    if "" in names:
        raise ValueError(f"column number {names.index('')} has an empty name: give it one")
    return dict(zip(keys, names, strict=True))


def as_named(wanted: Any, names: Mapping[Any, str]) -> Any:
    """Replace the names of columns, in a list of columns or as keys, by those that rules know.

    Examples
    --------
    >>> from sorb.tables.reading import as_named
    >>> as_named([2020, "2021", 2], {2020: "2020", 2021: "2021", 2022: "2022"})
    ['2020', '2021', 2]
    >>> as_named({2020: "kg"}, {2020: "2020"})
    {'2020': 'kg'}
    """
    if wanted is None or isinstance(wanted, str):
        return wanted
    if isinstance(wanted, Mapping):
        return {_as_named(key, names): value for key, value in wanted.items()}
    return [_as_named(item, names) for item in wanted]


def _as_named(item: Any, names: Mapping[Any, str]) -> Any:
    # A boolean belongs to a mask, and is no number.
    is_name = not isinstance(item, (bool, np.bool_)) and isinstance(item, Hashable)
    return names.get(item, item) if is_name else item


def marked(X: NDArray[Any]) -> NDArray[Any]:
    """Mark what is missing among objects by NaN, which is a number.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sorb.tables.reading import marked
    >>> marked(np.array([[1, pd.NA], ["A", None]]))
    array([[1, nan],
           ['A', nan]], dtype=object)
    """
    missing = np.array([is_missing(cell) for cell in X.flat], dtype=bool).reshape(X.shape)
    return np.where(missing, np.nan, X) if missing.any() else X


def _opened(X: Any) -> Any:
    try:
        return nw.from_native(X, pass_through=True)
    except ValueError as error:
        names = X.column_names if hasattr(X, "column_names") else X.columns
        twice = [name for name, count in Counter(names).items() if count > 1]
        if not twice:
            raise
        raise ValueError(f"several columns are named {twice[0]!r}: rename them") from error


def strange_cell(X: Any, may_be_category: bool) -> str | None:
    """Tell which cell of a table cannot be turned into a number, if there is one."""
    advice = cells.ADVICE if may_be_category else ""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        by_name = {c.name: c.to_list() for c in frame.iter_columns()}
        return cells.find_non_number(by_name, advice)
    columns = np.asarray(X).T.tolist()
    return cells.find_non_number({f"x{j}": c for j, c in enumerate(columns)}, advice)


def renamed(X: Any, names: Sequence[str], needed: Collection[str]) -> Any:
    """Give those columns of a DataFrame that are needed, and its first, names by their position.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.reading import renamed
    >>> renamed(pd.DataFrame([[1, 2, 3]]), ("x0", "x1", "x2"), ["x2"])
       x0  x2
    0   1   3
    """
    frame = nw.from_native(X, eager_only=True)
    kept = [
        column.alias(name)
        for j, (name, column) in enumerate(zip(names, frame.iter_columns(), strict=True))
        if j == 0 or name in needed
    ]
    return frame.select(*kept).to_native()


def read_frame(X: Any, names: tuple[str, ...], categorical: Any) -> tuple[Matrix, Schema]:
    """Read a DataFrame of pandas, polars or pyarrow.

    Parameters
    ----------
    X : the table.
    names : what its columns shall be called.
    categorical : "from_dtype", None, or which columns hold categories: names, numbers or a mask.

    Returns
    -------
    matrix : numbers; those of their categories for columns of categories; NaN for what is missing.
    columns : what they mean.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.reading import read_frame
    >>> table = pd.DataFrame({"age": [40, None], "group": ["B", "A"]})
    >>> matrix, columns = read_frame(table, ("age", "group"), "from_dtype")
    >>> matrix
    array([[40.,  1.],
           [nan,  0.]])
    >>> columns.categories
    (None, ('A', 'B'))
    """
    frame = nw.from_native(X, eager_only=True)
    chosen = _chosen(categorical, names, "categorical_features")
    series = list(frame.iter_columns())
    kept = np.float32 if all(s.dtype == nw.Float32 for s in series) else np.float64
    matrix = np.empty((len(frame), len(names)), dtype=kept, order="F")
    categories: list[tuple[Label, ...] | None] = [None] * len(names)
    for j, (name, column) in enumerate(zip(names, series, strict=True)):
        if chosen is None and cells.is_text(column):
            matrix[:, j], categories[j] = cells.text_categories(column, name)
        elif cells.is_categorical(column) if chosen is None else j in chosen:
            matrix[:, j], categories[j] = cells.categories(column, name)
        else:
            matrix[:, j] = cells.numbers(column, name)
    return matrix, Schema(names, tuple(categories))


def read_array(
    X: NDArray[Any], names: tuple[str, ...], categorical: Any
) -> tuple[NDArray[Any], Schema]:
    """Read an array of numbers, or of anything if its other columns are named as categories.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.reading import read_array
    >>> matrix, columns = read_array(np.array([[1.5, 3], [2.5, 7]]), ("a", "b"), [1])
    >>> matrix[:, 1], columns.categories
    (array([0., 1.]), (None, (3, 7)))
    """
    chosen = _chosen(categorical, names, "categorical_features") or set()
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


def without_unused(matrix: Matrix, columns: Schema, rows: NDArray[np.bool_]) -> Schema:
    """Number anew, in place, the categories that some rows have; the others become missing.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.reading import Schema, without_unused
    >>> codes = np.array([[0.0], [1.0], [2.0]])
    >>> groups = Schema(("group",), (("A", "B", "O"),))
    >>> without_unused(codes, groups, np.array([True, False, True])).categories
    (('A', 'O'),)
    >>> codes[:, 0]
    array([ 0., nan,  1.])
    """
    categories = list(columns.categories)
    for j, labels in enumerate(categories):
        if labels is None:
            continue
        codes = np.where(np.isnan(matrix[:, j]), len(labels), matrix[:, j]).astype(np.intp)
        used = np.unique(codes[rows & (codes < len(labels))])
        number = np.full(len(labels) + 1, np.nan)
        number[used] = np.arange(len(used))
        matrix[:, j] = number[codes]
        categories[j] = tuple(labels[code] for code in used)
    return replace(columns, categories=tuple(categories))


def with_logarithms(
    matrix: Matrix, columns: Schema, wanted: Any, rows: NDArray[np.bool_]
) -> Schema:
    """Say which columns are weighed by their logarithms.

    Parameters
    ----------
    matrix : the values.
    columns : what they mean.
    wanted : None; "auto" for all columns of numbers that are all positive, and more than two;
        or names or numbers of columns, which must be positive.
    rows : the rows that count.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.reading import Schema, with_logarithms
    >>> columns = Schema.of_numbers(("weight", "change"))
    >>> table = np.array([[70.0, 1], [80, -3], [90, 2]])
    >>> with_logarithms(table, columns, "auto", np.ones(3, dtype=bool)).logarithms
    (0,)
    """
    if wanted is None:
        return columns
    if isinstance(wanted, str) and wanted == "auto":
        plain = [j for j, labels in enumerate(columns.categories) if labels is None]
        chosen = {j for j in plain if _scales(matrix[rows, j])}
    else:
        chosen = _chosen(wanted, columns.names, "log_columns") or set()
        for j in sorted(chosen):
            _require_positive(matrix[:, j], columns, j, rows)
    return replace(columns, logarithms=tuple(sorted(chosen)))


def _scales(column: Matrix) -> bool:
    """Whether all known values are positive, and they are not just two."""
    known = column[~np.isnan(column)]
    if not len(known) or known.min() <= 0:
        return False
    return bool(((known != known.min()) & (known != known.max())).any())


def _require_positive(column: Matrix, columns: Schema, j: int, rows: NDArray[np.bool_]) -> None:
    name = columns.names[j]
    if columns.categories[j] is not None:
        raise ValueError(f"log_columns names {name!r}, which holds categories and no numbers")
    bad = np.flatnonzero((column <= 0) & rows)
    if len(bad):
        raise ValueError(
            f"log_columns names {name!r}, which holds {column[bad[0]]:g} in row {bad[0]}: only "
            "positive numbers have a logarithm, so leave the column out or mark them as missing"
        )


def _chosen(wanted: Any, names: tuple[str, ...], parameter: str) -> set[int] | None:
    """The numbers of columns that are given by name, by number or by a mask; None: by dtype."""
    if wanted is None:
        return set()
    if isinstance(wanted, str) and wanted == FROM_DTYPE:
        return None
    given = [item.item() if isinstance(item, np.generic) else item for item in wanted]
    if given and all(isinstance(item, bool) for item in given):
        if len(given) != len(names):
            raise ValueError(
                f"{parameter} must tell for each of the {len(names)} columns, found {len(given)}"
            )
        return {j for j, item in enumerate(given) if item}
    position = {name: j for j, name in enumerate(names)}
    return {_position(item, position, parameter) for item in given}


def _position(item: Any, position: Mapping[str, int], parameter: str) -> int:
    count = len(position)
    if isinstance(item, str):
        if item not in position:
            raise ValueError(
                f"{parameter} names {item!r}, which is no column: there are "
                f"{cells.listed(position)}"
            )
        return position[item]
    if isinstance(item, bool) or not isinstance(item, int) or not -count <= item < count:
        raise ValueError(
            f"{parameter} must hold names of columns or numbers from 0 to {count - 1}, "
            f"found {item!r}"
        )
    return item % count
