"""Whatever table a user has, as the checks see it: nothing is refused for what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.checks.checked_table import Column, Outcome
from sorb.rules.columns import column_names, column_source, place_names
from sorb.rules.labels import Labels
from sorb.rules.numbers import array_numbers, first_non_number, frame_numbers
from sorb.rules.sparse import is_sparse
from sorb.tables.arrays import keep_types
from sorb.tables.checks import require_table
from sorb.tables.frames import is_frame
from sorb.tables.row_values import flat_outcomes
from sorb.tables.schema import column_positions

__all__ = ["MOST_CLASSES", "label_column", "number_column", "read_columns", "read_outcome"]

# More different whole numbers are a quantity.
MOST_CLASSES = 20
_DATES = (date, datetime, time, timedelta, np.datetime64, np.timedelta64)
_FROM_DTYPE = "from_dtype"


def read_columns(X: Any, categorical: Any = _FROM_DTYPE) -> list[Column]:
    """Read the columns of a data frame or an array.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [40, None], "group": ["B", "A"]})
    >>> [(column.name, column.labels) for column in read_columns(table)]
    [('age', None), ('group', ('B', 'A'))]
    """
    require_table(X)
    if is_sparse(X):
        raise TypeError(
            "sparse matrices are not checked: pass some of the columns, made dense with .toarray()"
        )
    return _frame_columns(X, categorical) if is_frame(X) else _array_columns(X, categorical)


def _frame_columns(X: Any, categorical: Any) -> list[Column]:
    frame = nw.from_native(X, eager_only=True)
    names = column_names(frame.columns)
    chosen = _chosen(categorical, names)
    found = []
    for j, (name, column) in enumerate(zip(names, frame.iter_columns(), strict=True)):
        if column.dtype.is_temporal():
            found.append(_date_column(name, column.to_list()))
            continue
        is_text = column.dtype in (nw.String, nw.Categorical, nw.Enum)
        numbers = None if is_text or j in chosen else frame_numbers(column)
        if numbers is not None:
            found.append(number_column(name, numbers))
            continue
        source = column_source(column.alias("it").to_frame().to_native(), ("it",))
        is_declared = j in chosen or column.dtype in (nw.Categorical, nw.Enum)
        found.append(label_column(name, Labels.of(source.labels("it")), is_declared))
    return found


def _array_columns(X: Any, categorical: Any) -> list[Column]:
    table = np.asarray(keep_types(X))
    if table.ndim != 2:
        raise ValueError(f"expected a table of rows and columns, found the shape {table.shape}")
    names = place_names(table.shape[1])
    chosen = _chosen(categorical, names)
    found = []
    for j, name in enumerate(names):
        numbers = None if j in chosen else array_numbers(table[:, j])
        if numbers is not None:
            found.append(number_column(name, numbers))
        else:
            found.append(label_column(name, Labels.of(table[:, j]), j in chosen))
    return found


def _chosen(categorical: Any, names: tuple[str, ...]) -> set[int]:
    """The positions of the columns that are named as categories."""
    if categorical is None or isinstance(categorical, str):
        return set()
    return column_positions(categorical, names, "categorical_features")


def _finite(numbers: Float) -> Float:
    """Learning refuses infinite numbers; here they are missing, so that the rest can be seen."""
    infinite = np.isinf(numbers)
    return np.where(infinite, np.nan, numbers) if infinite.any() else numbers


def number_column(name: str, numbers: Float) -> Column:
    """A column of numbers."""
    return Column(name, _finite(numbers))


def label_column(name: str, labels: Labels, is_declared: bool) -> Column:
    """A column of categories or dates."""
    if labels.values and all(isinstance(value, _DATES) for value in labels.values):
        return _date_column(name, list(labels))
    return Column(name, _codes(labels), labels.values, is_declared=is_declared)


def _codes(labels: Labels) -> Float:
    """The position of each row's label, NaN where it is missing."""
    return np.where(labels.codes < 0, np.nan, labels.codes)


def _date_column(name: str, values: Sequence[Any]) -> Column:
    """The ranks of dates: what matters is which comes first."""
    labels = Labels.of(values)
    order = sorted(range(len(labels.values)), key=lambda k: str(labels.values[k]))
    rank = np.full(len(order) + 1, np.nan)
    rank[order] = np.arange(len(order))
    return Column(name, rank[labels.codes], is_date=True)


def read_outcome(y: Any, n_rows: int, task: str | None) -> Outcome:
    """Read outcomes, NaN where one is missing.

    Texts, booleans and at most 20 different integers are classes, unless the `task` says otherwise.

    Examples
    --------
    >>> outcome = read_outcome(["ill", None, "well"], 3, None)
    >>> outcome.classes, outcome.y
    (('ill', 'well'), array([ 0., nan,  1.]))
    """
    values = flat_outcomes(y, n_rows)
    numbers, labels = array_numbers(values), Labels.of(values)
    if task is None:
        is_quantity = numbers is not None and _is_quantity(values, labels)
        task = "regression" if is_quantity else "classification"
    if task == "classification":
        return Outcome(_codes(labels), labels.values)
    if numbers is None:
        row = first_non_number(values.tolist()) or 0
        raise ValueError(f"y holds {values[row]!r} in row {row}: a regression needs numbers")
    return Outcome(_finite(numbers), None)


def _is_quantity(values: NDArray[Any], labels: Labels) -> bool:
    """Whether numbers are not classes: fractions, or many different ones."""
    if values.dtype.kind == "b" or all(isinstance(value, bool) for value in labels.values):
        return False
    if not all(float(value).is_integer() for value in labels.values):
        return True
    are_floats = values.dtype.kind == "f" or any(isinstance(v, float) for v in labels.values)
    return len(labels.values) > (2 if are_floats else MOST_CLASSES)
