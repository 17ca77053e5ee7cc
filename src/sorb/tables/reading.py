"""How tables are read, as far as users say; the rest is found out from the files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["FIND_OUT", "Reading"]


def _warn(message: str) -> None:
    """Tell what was assumed, to those who read tables in Python."""
    warnings.warn(message, UserWarning, stacklevel=2)


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
    confirm_data : asks whether a first line is data that looks so; None to raise an error instead.
    tell : is told what was assumed.
    """

    decimal_commas: bool | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
    confirm_data: Callable[[str], bool] | None = None
    tell: Callable[[str], None] = _warn


FIND_OUT = Reading()
