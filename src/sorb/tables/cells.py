"""The cells of one column: numbers, or categories, or a clear word about what is neither."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules import Label, columns
from sorb.rules.columns import Labels, column_source, first_non_number, frame_numbers, is_missing

__all__ = [
    "ADVICE",
    "DATES",
    "MOST_CATEGORIES",
    "array_categories",
    "array_numbers",
    "categories",
    "find_non_number",
    "is_categorical",
    "is_text",
    "listed",
    "numbers",
    "require_labels",
    "require_outcomes",
    "text_categories",
]

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
    >>> from sorb.tables.cells import numbers
    >>> numbers(nw.from_native(pl.Series([True, None]), series_only=True), "smoker")
    array([ 1., nan])
    """
    dtype = column.dtype
    if dtype.is_temporal():
        raise ValueError(f"column {name!r} {DATES.format(type(dtype).__name__)}")
    if dtype.is_nested() or dtype == nw.Binary:
        raise ValueError(f"column {name!r} holds {dtype}: expected one number in each row")
    found = frame_numbers(column)
    return _not_numbers(column.to_list(), name) if found is None else found


def array_numbers(column: NDArray[Any], name: str) -> Float:
    """Read a column of an array, which may hold objects, as numbers."""
    found = columns.array_numbers(column)
    return _not_numbers(column.tolist(), name) if found is None else found


def _not_numbers(values: Sequence[Any], name: str) -> NoReturn:
    row = first_non_number(values) or 0
    raise ValueError(_strange(f"column {name!r}", row, values[row], ADVICE))


def _first(labels: Labels, code: int) -> int:
    """The first row that has a label."""
    return int(np.flatnonzero(labels.codes == code)[0])


def _strange(what: str, row: int, value: Any, advice: str = "") -> str:
    if isinstance(value, DATE_TYPES) or type(value).__name__ == "Period":
        return f"{what} {DATES.format(repr(value))}"
    return f"{what} holds {value!r} in row {row}: expected a number{advice}"


def find_non_number(columns: Mapping[str, Sequence[Any]], advice: str = "") -> str | None:
    """Tell which cell cannot be turned into a number, if there is one, and give some advice.

    Examples
    --------
    >>> from sorb.tables.cells import find_non_number
    >>> find_non_number({"age": [40, None], "height": [1.7, "tall"]})
    "column 'height' holds 'tall' in row 1: expected a number"
    """
    for name, values in columns.items():
        row = _first_without_float(values)
        if row is not None:
            return _strange(f"column {name!r}", row, values[row], advice)
    return None


def _first_without_float(values: Sequence[Any]) -> int | None:
    """The first row whose value cannot be turned into a number, unlike texts of numbers."""
    labels = Labels.of(values)
    for code, value in enumerate(labels.values):
        try:
            float(value)
        except (TypeError, ValueError):
            return _first(labels, code)
    return None


def categories(column: Column, name: str) -> Coded:
    """Number the categories of a column in their order.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> from sorb.tables.cells import categories
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
    values = [_as_number(label) for label in known]
    remedy = "if these are categories, give the column a categorical type"
    broken = [code for code, value in enumerate(values) if value is not None and value % 1 > 0]
    if broken and None not in values:
        row = int(np.flatnonzero(np.isin(codes, broken))[0])
        raise ValueError(
            f"column {name!r} holds texts that read as numbers, such as {column[row]!r} in row "
            f"{row}: turn them into numbers; or, {remedy}"
        )
    if len(known) > MOST_CATEGORIES:
        raise ValueError(
            f"column {name!r} holds {len(known)} different texts, such as {listed(known[:3])}: "
            f"drop it; or, {remedy}"
        )
    strange = [code for code, value in enumerate(values) if value is None]
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


def _as_number(label: Label) -> float | None:
    """The number that a text means, with a point or a comma; None if it means none."""
    try:
        return float(label.replace(",", ".") if isinstance(label, str) else label)
    except ValueError:
        return None


def require_labels(y: Any) -> None:
    """Refuse labels of classes that are missing.

    Examples
    --------
    >>> from sorb.tables.cells import require_labels
    >>> require_labels(["ill", None, "well"])
    Traceback (most recent call last):
    ...
    ValueError: y is missing in row 1 (1 in all): expected the label of a class in each row, so drop
    the rows without one
    """
    _require_known(_outcomes(y), "the label of a class")


def require_outcomes(y: Any) -> None:
    """Refuse outcomes that are missing, or no finite numbers.

    Examples
    --------
    >>> from sorb.tables.cells import require_outcomes
    >>> require_outcomes([1.5, "two"])
    Traceback (most recent call last):
    ...
    ValueError: y holds 'two' in row 1: expected a number
    """
    values = _outcomes(y)
    if values.dtype.kind in "mM":
        raise ValueError(f"y {DATES.format(values.dtype)}")
    _require_known(values, "a number")
    if values.dtype.kind in "OSU":
        row = _first_without_float(values.tolist())
        if row is not None:
            raise ValueError(_strange("y", row, values.tolist()[row]))
        values = values.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        row = infinite[0]
        raise ValueError(f"y is {values[row]} in row {row}: expected a finite number")


def _outcomes(y: Any) -> NDArray[Any]:
    """The outcomes as they were given, none if they are not one in each row."""
    try:
        values = np.asarray(y)
    except (TypeError, ValueError):
        return np.empty(0)
    if values.dtype.kind == "U" and isinstance(y, (list, tuple)):
        # NumPy makes texts of what is missing among texts.
        values = np.array(y, dtype=object)
    return values.ravel() if values.ndim in (1, 2) and values.size == len(values) else np.empty(0)


def _require_known(values: NDArray[Any], expected: str) -> None:
    marks = [is_missing(value) for value in values] if values.dtype == object else values != values
    rows = np.flatnonzero(marks)
    if len(rows):
        raise ValueError(
            f"y is missing in row {rows[0]} ({len(rows)} in all): expected {expected} in each row, "
            "so drop the rows without one"
        )


def listed(values: Collection[object], most: int = 8) -> str:
    """Quote some values, and count those beyond.

    Examples
    --------
    >>> from sorb.tables.cells import listed
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(value) for value, _ in zip(values, range(most), strict=False))
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"
