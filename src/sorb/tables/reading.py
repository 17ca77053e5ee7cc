"""How tables are read, as far as users say; the rest is found out from the files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import isfinite

from sorb.tables.quoting import quote_some

__all__ = ["FIND_OUT", "MissingMarks", "Reading"]


def _warn(message: str) -> None:
    """Tell what was assumed, to those who read tables in Python."""
    warnings.warn(message, UserWarning, stacklevel=2)


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """What marks a missing value, besides what always does: numbers and texts.

    Examples
    --------
    >>> marks = MissingMarks(("unknown",), {"age": ("-999",)})
    >>> marks.texts("age"), marks.numbers("age"), marks.numbers("size")
    (('unknown', '-999'), [-999.0], [])
    """

    everywhere: tuple[str, ...] = ()
    of_columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def texts(self, column: str) -> tuple[str, ...]:
        """What marks a missing value in a column."""
        return (*self.everywhere, *self.of_columns.get(column, ()))

    def numbers(self, column: str) -> list[float]:
        """Those that are numbers."""
        return [number for text in self.texts(column) if isfinite(number := _number(text))]

    def require_columns(self, known: Collection[str], where: str) -> None:
        """Refuse marks for a column that is not there."""
        for name in self.of_columns:
            if name not in known:
                raise ValueError(
                    f"{where} has no column {name!r} for --missing; it has {quote_some(known)}"
                )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a table is read, and whom to ask and to tell.

    Attributes
    ----------
    decimal_commas : whether numbers in texts may have a decimal comma; None if the separator of CSV
        decides.
    encoding : the encoding of CSV; None to find it out.
    sheet : the sheet of an Excel file; None for the first one.
    header : whether the first line of CSV, or row of a sheet, names the columns; None to find out.
    missing : what else marks missing values.
    day_first : whether dates in texts, such as 03/06/2020, begin with the day; None to find out.
    confirm_data : asks whether a first line is data that looks so; None to raise an error instead.
    tell : is told what was assumed.
    """

    decimal_commas: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
    day_first: bool | None = None
    missing: MissingMarks = MissingMarks()
    confirm_data: Callable[[str], bool] | None = None
    tell: Callable[[str], None] = _warn


FIND_OUT = Reading()
