"""The cells of one column: numbers, or categories, or an error that names what is neither."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules import Label
from sorb.rules import numbers as rule_numbers
from sorb.rules.columns import column_source
from sorb.rules.field_checks import fits_in_64_bits
from sorb.rules.labels import Labels
from sorb.rules.numbers import first_non_number, frame_numbers, is_missing

__all__ = [
    "DATES",
    "NAME_CATEGORIES",
    "array_categories",
    "array_numbers",
    "categories",
    "describe_non_number",
    "find_non_number",
    "first_unconvertible",
    "holds_dates",
    "is_categorical",
    "is_text",
    "numbers",
]

Column: TypeAlias = nw.Series[Any]
# The code of each row's category, NaN where it is missing, and the categories in order.
Coded: TypeAlias = tuple[Float, tuple[Label, ...]]

DATES = (
    "holds dates or times ({}), which have no unit to weigh them in: turn them into numbers first, "
    "such as days since an event or the hour of the day"
)
NAME_CATEGORIES = "; if the column holds categories, name it in categorical_features"
DATE_TYPES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def is_categorical(column: Column) -> bool:
    """Whether the type of a column says that it holds categories."""
    return column.dtype in (nw.Categorical, nw.Enum)


def is_text(column: Column) -> bool:
    """Whether a column holds texts that are not declared as categories."""
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
    if dtype.is_nested() or dtype == nw.Binary:
        raise ValueError(f"column {name!r} holds {dtype}: expected one number in each row")
    return _require_floats(frame_numbers(column), column.to_list, name)


def array_numbers(column: NDArray[Any], name: str) -> Float:
    """Read a column of an array, which may hold objects, as numbers."""
    return _require_floats(rule_numbers.array_numbers(column), column.tolist, name)


def _require_floats(found: Float | None, cells: Callable[[], Sequence[Any]], name: str) -> Float:
    """Refuse cells that are no numbers, or numbers so large that they became infinite."""
    if found is None:
        values = cells()
        _refuse(values, first_non_number(values) or 0, name)
    infinite = np.flatnonzero(np.isinf(found)).tolist()
    values = cells() if infinite else ()
    beyond = [row for row in infinite if values[row] != float(found[row])]
    if beyond:
        _refuse(values, beyond[0], name)
    return found


def _refuse(values: Sequence[Any], row: int, name: str) -> NoReturn:
    raise ValueError(describe_non_number(f"column {name!r}", row, values[row], NAME_CATEGORIES))


def describe_non_number(what: str, row: int, value: Any, advice: str = "") -> str:
    """Say that a cell should hold a number and does not."""
    if _is_date(value):
        return f"{what} {DATES.format(repr(value))}"
    if isinstance(value, (int, Fraction, Decimal)):
        kind = "an integer" if isinstance(value, int) else "a number"
        return f"{what} holds {kind} beyond 1e308 in row {row}: no float can hold it"
    return f"{what} holds {value!r} in row {row}: expected a number{advice}"


def find_non_number(columns: Mapping[str, Sequence[Any]], advice: str = "") -> str | None:
    """Describe the first cell that cannot be converted to a number; None if there is none.

    Examples
    --------
    >>> from sorb.tables.cells import find_non_number
    >>> find_non_number({"age": [40, None], "height": [1.7, "tall"]})
    "column 'height' holds 'tall' in row 1: expected a number"
    """
    for name, values in columns.items():
        row = first_unconvertible(values)
        if row is not None:
            return describe_non_number(f"column {name!r}", row, values[row], advice)
    return None


def first_unconvertible(values: Sequence[Any]) -> int | None:
    """Find the first row whose value cannot be converted to a number; a text such as "1" can."""
    labels = Labels.of(values)
    for code, value in enumerate(labels.values):
        try:
            float(value)
        except (TypeError, ValueError, OverflowError):
            return _first_row(labels, code)
        # Python reads 1_000 and the digits of other scripts, but no other program would.
        if isinstance(value, str) and ("_" in value or not value.isascii()):
            return _first_row(labels, code)
    return None


def _first_row(labels: Labels, code: int) -> int:
    return int(np.flatnonzero(labels.codes == code)[0])


def categories(column: Column, name: str) -> Coded:
    """Replace the categories of a column by their positions in sorted order.

    Examples
    --------
    >>> import narwhals as nw
    >>> import polars as pl
    >>> from sorb.tables.cells import categories
    >>> categories(nw.from_native(pl.Series(["O", None, "A"]), series_only=True), "group")
    (array([ 1., nan,  0.]), ('A', 'O'))
    """
    # Read the labels exactly as a prediction does.
    source = column_source(column.alias("it").to_frame().to_native(), ("it",))
    return _encode(Labels.of(source.labels("it")), name, column.to_list)


def array_categories(column: NDArray[Any], name: str) -> Coded:
    """Replace the categories of a column of an array by their positions in sorted order."""
    return _encode(Labels.of(column), name, column.tolist)


def holds_dates(column: Column) -> bool:
    """Whether a column holds dates or times alone, whatever its type."""
    if column.dtype not in (nw.Object, nw.Unknown):
        return bool(column.dtype.is_temporal())
    known = [value for value in column.to_list() if not is_missing(value)]
    return bool(known) and all(map(_is_date, known))


def _is_date(value: Any) -> bool:
    return isinstance(value, DATE_TYPES) or type(value).__name__ == "Period"


def _encode(labels: Labels, name: str, cells: Callable[[], Sequence[Any]]) -> Coded:
    plain = [_label(value) for value in labels.values]
    if None in plain:
        row = _first_row(labels, plain.index(None))
        raise ValueError(
            f"column {name!r} holds {cells()[row]!r} in row {row}: categories must be texts, "
            "finite numbers (integers of at most 64 bits) or booleans, so turn it into texts first"
        )
    known = sorted((label for label in plain if label is not None), key=_order)
    code = {label: float(k) for k, label in enumerate(known)}
    codes = [code[label] for label in plain if label is not None]
    return np.array([*codes, math.nan])[labels.codes], tuple(known)


def _label(value: Any) -> Label | None:
    """Convert a value to a label as rules hold it; None if it cannot be one."""
    label = value.item() if isinstance(value, np.generic) else value
    if isinstance(label, float):
        if not math.isfinite(label):
            return None
        return int(label) if label.is_integer() and fits_in_64_bits(int(label)) else label
    if isinstance(label, str):
        return label if _is_unicode(label) else None
    return label if isinstance(label, int) and fits_in_64_bits(label) else None


def _is_unicode(text: str) -> bool:
    # Half of a surrogate pair is a str in Python, but no file can hold it.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _order(label: Label) -> tuple[bool, Any]:
    return isinstance(label, str), label
