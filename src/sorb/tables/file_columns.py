"""Which columns of a file are read, and what to say if that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["choose_columns", "named_columns", "require_rows", "shorten"]

# What pandas calls the row numbers of a table.
ROW_NUMBERS = re.compile(r"__index_level_\d+__")
LONGEST_REASON = 200


def named_columns(names: Sequence[str]) -> list[str]:
    """Leave out the columns that only hold row numbers, which have no name of their own.

    Examples
    --------
    >>> named_columns(["", "age", "__index_level_0__"])
    ['age']
    """
    return [name for name in names if name and not ROW_NUMBERS.fullmatch(name)]


def choose_columns(
    present: Sequence[str], columns: Collection[str] | None, where: str
) -> list[str]:
    """Choose the columns to read; no two of them may have the same name."""
    chosen = list(present if columns is None else columns)
    count = Counter(present)
    for name in chosen:
        if name not in count:
            raise ValueError(f"{where} has no column {name!r}")
        if count[name] > 1:
            raise ValueError(f"{where} has two columns {name!r}: rename one of them")
    return chosen


def require_rows(number: int, where: str) -> None:
    """Refuse a table without rows."""
    if not number:
        raise ValueError(f"{where} has no rows")


def shorten(error: Exception) -> str:
    """Quote the beginning of an error that may be very long."""
    reason = str(error)
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"
