"""Which columns of a file are read, and what to say if that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

__all__ = ["choose_columns", "name_columns", "quote_cells", "require_rows", "shorten"]

# What pandas calls the row numbers of a table.
ROW_NUMBERS = re.compile(r"__index_level_\d+__")
# Why columns are left out.
NUMBERS_ROWS = "it has no name, like the row numbers that programs write"
NO_NAME = "it has no name"
LONGEST_REASON = 200
MOST_CELLS, LONGEST_CELL = 6, 30


def name_columns(
    names: Sequence[str], useless: Collection[int] = ()
) -> tuple[list[str], dict[str, str]]:
    """Name the columns without a name by their number; say which are left out, and why.

    A first one without a name is taken for row numbers, as pandas and R write them. Others are left
    out if they are known to be `useless`.

    Examples
    --------
    >>> name_columns(["", "age", "", "", "__index_level_0__"], useless=[3])[0]
    ['column_1', 'age', 'column_3', 'column_4', '__index_level_0__']
    >>> list(name_columns(["", "age", "", "", "__index_level_0__"], useless=[3])[1])
    ['column_1', 'column_4', '__index_level_0__']
    """
    named, left_out = [], {}
    for k, name in enumerate(names):
        named.append(name if name.strip() else f"column_{k + 1}")
        if ROW_NUMBERS.fullmatch(name) or (k == 0 and named[0] != name):
            left_out[named[-1]] = NUMBERS_ROWS
        elif named[-1] != name and k in useless:
            left_out[named[-1]] = NO_NAME
    return named, left_out


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


def quote_cells(cells: Sequence[str]) -> str:
    """Quote the first cells of a row, and the beginning of long ones.

    Examples
    --------
    >>> quote_cells(["40", "no", "1.5", "", "3", "4", "5"])
    "'40', 'no', '1.5', '', '3', '4', …"
    """
    cut = [f"{cell[:LONGEST_CELL]}…" if len(cell) > LONGEST_CELL else cell for cell in cells]
    shown = list(map(repr, cut))
    return ", ".join([*shown[:MOST_CELLS], "…"] if len(shown) > MOST_CELLS else shown)
