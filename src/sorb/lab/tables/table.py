"""A table of results: rows of cells, each with our number and the published one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from sorb.lab.statistics import Estimate
from sorb.rules.notation import number

NumberFormat = Literal["complexity", "risk", "average risk", "seconds", "iterations", "count"]

INFINITE, NOTHING = "∞", "–"
LOWER, HIGHER = "▼", "▲"


def _complexity(value: float) -> str:
    return f"{value:g}"


def _two_decimals(value: float) -> str:
    return f"{value:.2f}"


def _seconds(value: float) -> str:
    return number(value, 2)


FORMATTERS: Mapping[NumberFormat, Callable[[float], str]] = {
    "complexity": _complexity,
    "risk": _two_decimals,
    "average risk": _two_decimals,
    "seconds": _seconds,
    "iterations": _two_decimals,
    "count": _complexity,
}
RANGES = {"complexity", "risk", "seconds"}  # others have a ±, and counts have neither


@dataclass(frozen=True, slots=True)
class Cell:
    """Our number, and the paper's.

    Attributes
    ----------
    ours : Estimate, str or None
        A number with its interval, a text, or nothing.
    number_format : str
        The kind of number, which decides how it is written.
    published : Estimate or None
        The paper's number.
    best : bool
        Whether it is the lowest of its row, in the digits shown.
    """

    ours: Estimate | str | None = None
    number_format: NumberFormat = "complexity"
    published: Estimate | None = None
    best: bool = False

    @property
    def value(self) -> str:
        """Our number or text, as shown."""
        return self.ours if isinstance(self.ours, str) else self._write(self.ours)

    @property
    def interval(self) -> str:
        """The interval of our number, as shown; empty if it has none."""
        if not isinstance(self.ours, Estimate) or self.number_format == "count":
            return ""
        if not math.isfinite(self.ours.low):
            return ""
        if self.number_format in RANGES:
            if self.ours.repetitions == 1:
                return ""
            return f"[{self._number(self.ours.low)}, {self._number(self.ours.high)}]"
        return f"± {self._number(self.ours.high - self.ours.value)}"

    @property
    def paper(self) -> str:
        """The published number, as shown; empty if there is none."""
        return "" if self.published is None else self._write(self.published)

    @property
    def mark(self) -> str:
        """▼ or ▲ if our number is lower or higher than the published one, in the digits shown."""
        if not isinstance(self.ours, Estimate) or self.published is None:
            return ""
        if self.value == self.paper or NOTHING in (self.value, self.paper):
            return ""
        return LOWER if self.ours.value < self.published.value else HIGHER

    def _write(self, estimate: Estimate | None) -> str:
        return NOTHING if estimate is None else self._number(estimate.value)

    def _number(self, value: float) -> str:
        if math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return NOTHING if self.number_format == "seconds" else INFINITE
        return FORMATTERS[self.number_format](value)


@dataclass(frozen=True, slots=True)
class TableRow:
    """Cells under the columns of a table, for a dataset or a method, in a section."""

    section: str
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Rows of cells with a title and a caption.

    Attributes
    ----------
    name : str
        The name in `TABLES`.
    title, caption : str
        What it shows; how to read it and what it is based on.
    corner : str
        The heading of the row labels.
    columns : tuple of str
        The headings of the cells of a row.
    rows : tuple of TableRow
        The rows of a section follow each other.

    Examples
    --------
    >>> from sorb.lab.statistics import Estimate
    >>> from sorb.lab.tables.table import Cell, ResultTable, TableRow
    >>> cell = Cell(Estimate(12.0, 9.0, 16.0, 15), "complexity", Estimate(13.0, 9.0, 16.0, 15))
    >>> row = TableRow("", "iris", (cell,))
    >>> table = ResultTable("complexity", "Sizes", "", "dataset", ("LLTB",), (row,))
    >>> table.cell("", "iris", "LLTB").mark
    '▼'
    """

    name: str
    title: str
    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]

    def sections(self) -> Iterator[tuple[str, tuple[TableRow, ...]]]:
        """Yield the title and the rows of each section."""
        for section, rows in groupby(self.rows, key=lambda row: row.section):
            yield section, tuple(rows)

    def cell(self, section: str, label: str, column: str) -> Cell:
        """Return one cell."""
        (row,) = (row for row in self.rows if (row.section, row.label) == (section, label))
        return row.cells[self.columns.index(column)]


def mark_best(cells: Sequence[Cell], competes: Sequence[bool]) -> tuple[Cell, ...]:
    """Mark the lowest of the competing cells, and all that look the same."""
    numbers = [
        cell.ours.value if isinstance(cell.ours, Estimate) and takes_part else math.nan
        for cell, takes_part in zip(cells, competes, strict=True)
    ]
    least = min((value for value in numbers if math.isfinite(value)), default=math.nan)
    return tuple(
        replace(cell, best=_looks_like(value, least, cell.number_format))
        if math.isfinite(value)
        else cell
        for cell, value in zip(cells, numbers, strict=True)
    )


def _looks_like(value: float, other: float, number_format: NumberFormat) -> bool:
    write = FORMATTERS[number_format]
    return write(value) == write(other)
