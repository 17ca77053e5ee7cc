"""Data frames of pandas, polars and pyarrow: their column names, and their cells as numbers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.utils.fixes import parse_version
from sklearn.utils.validation import validate_data

from sorb._types import Float, Matrix
from sorb.rules import Label
from sorb.rules.columns import column_names, wrap_frame
from sorb.tables import cells
from sorb.tables.schema import Schema, column_positions
from sorb.tables.undeclared_columns import read_column

__all__ = [
    "as_narwhals",
    "check_names",
    "frame_names",
    "is_frame",
    "read_frame",
    "rename_by_position",
    "translate_names",
]

FROM_DTYPE = "from_dtype"
# Older versions look for a protocol that polars 2 no longer has.
SKLEARN_READS_POLARS = parse_version(sklearn.__version__) >= parse_version("1.9")


def as_narwhals(X: Any) -> Any:
    """Wrap a data frame, whatever its library; anything else is returned as it is."""
    if isinstance(X, np.ndarray):  # the usual case, which narwhals is slow to recognise
        return X
    return wrap_frame(X, pass_through=True)


def is_frame(X: Any) -> bool:
    """Whether something is a table with named columns that may differ in type."""
    return isinstance(as_narwhals(X), nw.DataFrame)


def frame_names(X: Any) -> dict[Any, str]:
    """Map the name of each column of a data frame to the name that rules use for it.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.frames import frame_names
    >>> frame_names(pd.DataFrame({2020: [1], 2021: [2]}))
    {2020: '2020', 2021: '2021'}
    """
    keys = nw.from_native(X, eager_only=True).columns
    names = column_names(keys)
    if "" in names:
        raise ValueError(f"column number {names.index('')} has an empty name: give it one")
    return dict(zip(keys, names, strict=True))


def check_names(estimator: BaseEstimator, X: Any, reset: bool) -> None:
    """Let scikit-learn note the columns of a data frame, or compare them with those it noted."""
    readable = SKLEARN_READS_POLARS or hasattr(X, "__dataframe__")
    validate_data(estimator, X if readable else _Header(X), reset=reset, skip_check_array=True)


class _Header:
    """The column names of a data frame, where every version of scikit-learn looks for them."""

    def __init__(self, X: Any) -> None:
        self.shape = X.shape
        self.column_names = lambda: list(frame_names(X))

    def __dataframe__(self) -> _Header:
        return self


def translate_names(parameter: Any, names: Mapping[Any, str]) -> Any:
    """Replace the column names in a list, or in the keys of a mapping, by those that rules use.

    Examples
    --------
    >>> from sorb.tables.frames import translate_names
    >>> translate_names([2020, "2021", 2], {2020: "2020", 2021: "2021", 2022: "2022"})
    ['2020', '2021', 2]
    >>> translate_names({2020: "kg"}, {2020: "2020"})
    {'2020': 'kg'}
    """
    if parameter is None or isinstance(parameter, str):
        return parameter
    if isinstance(parameter, Mapping):
        return {_translate(key, names): value for key, value in parameter.items()}
    return [_translate(item, names) for item in parameter]


def _translate(item: Any, names: Mapping[Any, str]) -> Any:
    # True and False equal 1 and 0, but they belong to a mask, and are not names.
    is_name = not isinstance(item, (bool, np.bool_)) and isinstance(item, Hashable)
    return names.get(item, item) if is_name else item


def rename_by_position(X: Any, names: Sequence[str], needed: Collection[str]) -> Any:
    """Select the first column of a data frame and those needed, under new names by position.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.frames import rename_by_position
    >>> rename_by_position(pd.DataFrame([[1, 2, 3]]), ("x0", "x1", "x2"), ["x2"])
       x0  x2
    0   1   3
    """
    frame = nw.from_native(X, eager_only=True)
    # The first column keeps the number of rows if no column is needed.
    kept = [
        column.alias(name)
        for j, (name, column) in enumerate(zip(names, frame.iter_columns(), strict=True))
        if j == 0 or name in needed
    ]
    return frame.select(*kept).to_native()


def read_frame(
    X: Any, names: tuple[str, ...], categorical: Any, copies: Float | None = None
) -> tuple[Matrix, Schema]:
    """Read a data frame of pandas, polars or pyarrow.

    Parameters
    ----------
    X : the table.
    names : what to call its columns.
    categorical : "from_dtype", None, or the columns that hold categories: names, positions or a
        mask.
    copies : how many copies each row stands for, 0 for rows that do not count; by default 1 each.

    Returns
    -------
    matrix : numbers; for categories their codes; NaN where a value is missing, or left out.
    schema : what the columns mean.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.tables.frames import read_frame
    >>> table = pd.DataFrame({"age": [40, None], "group": ["B", "A"]})
    >>> matrix, schema = read_frame(table, ("age", "group"), "from_dtype")
    >>> matrix
    array([[40.,  1.],
           [nan,  0.]])
    >>> schema.categories
    (None, ('A', 'B'))
    """
    frame = nw.from_native(X, eager_only=True)
    chosen = _categorical_positions(categorical, names)
    columns = list(frame.iter_columns())
    dtype = np.float32 if all(c.dtype == nw.Float32 for c in columns) else np.float64
    matrix = np.empty((len(frame), len(names)), dtype=dtype, order="F")
    categories: list[tuple[Label, ...] | None] = [None] * len(names)
    copies = np.ones(len(frame)) if copies is None else copies
    left_out = {}
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        if cells.is_categorical(column) if chosen is None else j in chosen:
            matrix[:, j], categories[j] = cells.categories(column, name)
            continue
        read = read_column(column, name, copies, chosen is None)
        if isinstance(read, str):
            matrix[:, j], left_out[name] = np.nan, read
        else:
            matrix[:, j], categories[j] = read
    return matrix, Schema(names, tuple(categories), left_out=left_out)


def _categorical_positions(wanted: Any, names: tuple[str, ...]) -> set[int] | None:
    """Find the columns that are named as categories; None if their types decide."""
    if isinstance(wanted, str) and wanted == FROM_DTYPE:
        return None
    return set() if wanted is None else column_positions(wanted, names, "categorical_features")
