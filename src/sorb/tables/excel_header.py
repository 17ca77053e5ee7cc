"""Where the header of a sheet is, and what it calls the columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Header", "Merged", "find_header"]


@dataclass(frozen=True, slots=True)
class Merged:
    """Cells that are merged, from the first to the last row and column, counted from 0."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int

    @property
    def is_wide(self) -> bool:
        """Whether it is in several columns."""
        return self.last_column > self.first_column

    def fill(self, cells: list[list[Any]]) -> None:
        """Write the value of the first cell into all of them, as far as there are cells."""
        if self.first_row >= len(cells) or self.first_column >= len(cells[0]):
            return
        value = cells[self.first_row][self.first_column]
        for row in cells[self.first_row : self.last_row + 1]:
            last = min(self.last_column + 1, len(row))
            row[self.first_column : last] = [value] * (last - self.first_column)


@dataclass(frozen=True, slots=True)
class Header:
    """The rows of a header, and the parts of the name of each column.

    Attributes
    ----------
    start, end : the first row of the header, and the first below it.
    names : the texts above each column, without repetitions.
    """

    start: int
    end: int
    names: list[list[Any]]


def find_header(cells: Sequence[Sequence[Any]], merged: Sequence[Merged]) -> Header:
    """Find the header: below titles; of several rows if names are merged over several columns.

    Examples
    --------
    >>> cells = [["Visits", ""], ["", ""], ["age", "sex"], [40.0, "f"]]
    >>> find_header(cells, [])
    Header(start=2, end=3, names=[['age'], ['sex']])
    >>> cells = [["", "blood", "blood"], ["id", "low", "high"], [1.0, 80.0, 120.0]]
    >>> find_header(cells, [Merged(0, 1, 0, 2)]).names
    [['id'], ['blood', 'low'], ['blood', 'high']]
    """
    filled = [row for row, values in enumerate(cells) if any(v != "" for v in values)]
    start = next((row for row in filled if not _is_title(row, cells, merged, filled)), filled[0])
    end = _end(start, cells, merged)
    columns = zip(*cells[start:end], strict=True)
    names = [list(dict.fromkeys(v for v in column if v != "")) for column in columns]
    return Header(start, end, names)


def _is_title(
    row: int, cells: Sequence[Sequence[Any]], merged: Sequence[Merged], filled: Sequence[int]
) -> bool:
    """Whether a row holds nothing but one text at its beginning, above a row with more."""
    places = [k for k, value in enumerate(cells[row]) if value != ""]
    above = [area for area in merged if area.first_row <= row <= area.last_row and area.is_wide]
    is_one = len(places) == 1 or any(
        (area.first_column, area.last_column) == (places[0], places[-1]) for area in above
    )
    starts = places[0] == min(_first(values) for values in cells if _first(values) is not None)
    below = [r for r in filled if r > row]
    is_above_more = any(sum(v != "" for v in cells[r]) > 1 for r in below)
    return is_one and starts and is_above_more and len(cells[row]) > 1


def _first(values: Sequence[Any]) -> Any:
    return next((k for k, value in enumerate(values) if value != ""), None)


def _end(start: int, cells: Sequence[Sequence[Any]], merged: Sequence[Merged]) -> int:
    """Find the row below the header: one that is merged over columns has names below it."""
    end = start + 1
    for area in sorted(merged, key=lambda area: area.first_row):
        if start <= area.first_row < end:
            wanted = area.last_row + 1 + area.is_wide
            end = max(end, wanted if _are_names(cells[end:wanted]) else end)
    return min(end, len(cells))


def _are_names(rows: Sequence[Sequence[Any]]) -> bool:
    return all(isinstance(value, str) for row in rows for value in row)
