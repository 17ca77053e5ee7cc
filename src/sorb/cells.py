"""The cells of one column: numbers, or categories, or a clear word about what is neither."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb.rules import Label
from sorb.rules.columns import Labels, column_source

__all__ = [
    "ADVICE",
    "DATES",
    "MOST_CATEGORIES",
    "array_categories",
    "array_numbers",
    "categories",
    "first_strange_cell",
    "is_categorical",
    "is_text",
    "listed",
    "numbers",
    "text_categories",
]

Float: TypeAlias = NDArray[np.float64]
Column: TypeAlias = nw.Series[Any]
# The number of the category of each row, NaN where it is missing, and the categories.
Coded: TypeAlias = tuple[Float, tuple[Label, ...]]

# A text with more different values is hardly a category; whoever means it can say so.
MOST_CATEGORIES = 255

DATES = (
    "holds dates or times ({}), which have no unit to weigh them in: turn them into numbers first, "
    "such as days since an event or the hour of the day"
)
ADVICE = "; if the column holds categories, name it in categorical_features"
NUMBERS = (Real, Decimal, np.bool_)
DATE_TYPES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def is_categorical(column: Column) -> bool:
    """Whether the type of a column says that it holds categories."""
    return column.dtype in (nw.Categorical, nw.Enum)


def is_text(column: Column) -> bool:
    """Whether a column holds texts that nobody calls categories."""
    if column.dtype == nw.Object:
        return any(isinstance(value, str) for value in column.to_list())
    return column.dtype == nw.String


def numbers(column: Column, name: str) -> Float:
    """Read a column of numbers or booleans; NaN where a value is missing.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> from sorb.cells import numbers
    >>> numbers(nw.from_native(pl.Series([True, None]), series_only=True), "smoker")
    array([ 1., nan])
    """
    dtype = column.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        cast = column if dtype == nw.Float64 else column.cast(nw.Float64)
        return np.asarray(cast.to_numpy(), dtype=np.float64)
    if dtype.is_temporal():
        raise ValueError(f"column {name!r} {DATES.format(type(dtype).__name__)}")
    if dtype.is_nested() or dtype == nw.Binary:
        raise ValueError(f"column {name!r} holds {dtype}: expected one number in each row")
    return _floats(column.to_list(), name)


def array_numbers(column: NDArray[Any], name: str) -> Float:
    """Read a column of an array, which may hold objects, as numbers."""
    if column.dtype.kind in "fiub":
        return column.astype(np.float64)
    return _floats(column.tolist(), name)


def _floats(values: Sequence[Any], name: str) -> Float:
    if all(issubclass(kind, (*NUMBERS, type(None))) for kind in set(map(type, values))):
        return np.array(values, dtype=np.float64)
    labels = Labels.of(values)
    found = [float(value) if isinstance(value, NUMBERS) else None for value in labels.values]
    if None in found:
        row = _first(labels, found.index(None))
        raise ValueError(_strange(name, row, values[row], ADVICE))
    # The code of a missing label is −1.
    return np.array([*found, math.nan], dtype=np.float64)[labels.codes]


def _first(labels: Labels, code: int) -> int:
    """The first row that has a label."""
    return int(np.flatnonzero(labels.codes == code)[0])


def _strange(name: str, row: int, value: Any, advice: str) -> str:
    if isinstance(value, DATE_TYPES) or type(value).__name__ == "Period":
        return f"column {name!r} {DATES.format(repr(value))}"
    return f"column {name!r} holds {value!r} in row {row}: expected a number{advice}"


def first_strange_cell(columns: Mapping[str, Sequence[Any]], advice: str = "") -> str | None:
    """Tell which cell cannot be turned into a number, if there is one, and give some advice.

    Examples
    --------
    >>> from sorb.cells import first_strange_cell
    >>> first_strange_cell({"age": [40, None], "height": [1.7, "tall"]})
    "column 'height' holds 'tall' in row 1: expected a number"
    """
    for name, values in columns.items():
        labels = Labels.of(values)
        for code, value in enumerate(labels.values):
            try:
                float(value)
            except (TypeError, ValueError):
                row = _first(labels, code)
                return _strange(name, row, values[row], advice)
    return None


def categories(column: Column, name: str) -> Coded:
    """Number the categories of a column in their order.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> from sorb.cells import categories
    >>> categories(nw.from_native(pl.Series(["O", None, "A"]), series_only=True), "group")
    (array([ 1., nan,  0.]), ('A', 'O'))
    """
    # Labels are read just as a prediction reads them.
    source = column_source(column.alias("it").to_frame().to_native(), ("it",))
    return _coded(Labels.of(source.labels("it")), name, column.to_list)


def array_categories(column: NDArray[Any], name: str) -> Coded:
    """Number the categories of a column of an array in their order."""
    return _coded(Labels.of(column), name, column.tolist)


def text_categories(column: Column, name: str) -> Coded:
    """Number texts of which nobody said that they are categories, if they look like it."""
    codes, known = categories(column, name)
    remedy = "if these are categories, give the column a categorical type"
    if len(known) > MOST_CATEGORIES:
        raise ValueError(
            f"column {name!r} holds {len(known)} different texts, such as {listed(known[:3])}: "
            f"drop it; or, {remedy}"
        )
    strange = [code for code, label in enumerate(known) if not _reads_as_number(label)]
    if 0 < len(strange) < len(known) / 2:
        row = int(np.flatnonzero(np.isin(codes, strange))[0])
        raise ValueError(
            f"column {name!r} holds numbers, but {column[row]!r} in row {row}: correct it, or mark "
            f"it as missing; or, {remedy}"
        )
    return codes, known


def _coded(labels: Labels, name: str, cells: Callable[[], Sequence[Any]]) -> Coded:
    plain = [_label(value) for value in labels.values]
    if None in plain:
        row = _first(labels, plain.index(None))
        raise ValueError(
            f"column {name!r} holds {cells()[row]!r} in row {row}: categories must be texts, "
            "finite numbers or booleans, so turn it into texts first"
        )
    known = sorted((label for label in plain if label is not None), key=_order)
    number = {label: float(code) for code, label in enumerate(known)}
    codes = [number[label] for label in plain if label is not None]
    return np.array([*codes, math.nan])[labels.codes], tuple(known)


def _label(value: Any) -> Label | None:
    """A value as it stands in a rule; None if it cannot."""
    label = value.item() if isinstance(value, np.generic) else value
    if isinstance(label, float):
        return (int(label) if label.is_integer() else label) if math.isfinite(label) else None
    if isinstance(label, str):
        return label if _is_unicode(label) else None
    return label if isinstance(label, int) else None


def _is_unicode(text: str) -> bool:
    # Half of a surrogate pair is a str in Python, but no file can hold it.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _order(label: Label) -> tuple[bool, Any]:
    return isinstance(label, str), label


def _reads_as_number(label: Label) -> bool:
    try:
        float(label.replace(",", ".") if isinstance(label, str) else label)
    except ValueError:
        return False
    return True


def listed(values: Collection[object], most: int = 8) -> str:
    """Quote some values, and count those beyond.

    Examples
    --------
    >>> from sorb.cells import listed
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(value) for value, _ in zip(values, range(most), strict=False))
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"
