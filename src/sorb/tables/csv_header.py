"""Whether the first line of a table names its columns, or is already data."""

from __future__ import annotations

from collections.abc import Sequence

from sorb.tables.file_columns import quote_cells
from sorb.tables.missing_marks import MISSING
from sorb.tables.reading import Reading

__all__ = ["has_header", "looks_like_data"]


def has_header(rows: Sequence[Sequence[str]], where: str, reading: Reading) -> bool:
    """Say whether the first row names the columns; if that is doubtful, ask, or raise an error."""
    if reading.header is not None or not looks_like_data(rows):
        return reading.header is not False
    doubt = f"{where}: the first line looks like data, not like names: {quote_cells(rows[0])}"
    if reading.confirm_data is None:
        raise ValueError(
            f"{doubt}. Use --no-header if it is data (the columns are then x0, x1, …), or --header "
            "if these are the names"
        )
    return not reading.confirm_data(doubt)


def looks_like_data(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row is like those below: a number wherever they hold numbers.

    Without any columns of numbers, whether most of its cells occur again in their columns.

    Examples
    --------
    >>> looks_like_data([["age", "sex"], ["40", "f"], ["41", "m"]])
    False
    >>> looks_like_data([["39", "m"], ["40", "f"], ["41", "m"]])
    True
    >>> looks_like_data([["no", "m"], ["yes", "f"], ["no", "m"]])
    True
    """
    names, *below = rows
    regular = [row for row in below if len(row) == len(names)]
    columns = [(name, column) for name, *column in zip(names, *regular, strict=True)]
    known = [(n.strip(), [c.strip() for c in cells if not _is_missing(c)]) for n, cells in columns]
    numeric = [name for name, cells in known if cells and all(map(_is_number, cells))]
    named = [name for name in numeric if name]
    if numeric:
        return any(map(_is_number, named)) and all(map(_is_number_or_missing, named))
    texts = [name in cells for name, cells in known if name and cells]
    return sum(texts) > len(texts) / 2


def _is_missing(cell: str) -> bool:
    return cell.strip() in MISSING


def _is_number_or_missing(cell: str) -> bool:
    return _is_missing(cell) or _is_number(cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return cell.strip(" +-").lower() not in ("nan", "inf", "infinity")
