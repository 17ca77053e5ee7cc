"""Tables as Markdown, as CSV and for the terminal."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sorb.lab.statistics import Estimate
from sorb.lab.tables.table import Cell, ResultTable, TableRow

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as RichTable

FIELDS = (
    *("table", "section", "row", "column", "value", "low", "high", "repetitions"),
    *("published", "published_low", "published_high", "best"),
)
MARKDOWN_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|"})


def markdown(table: ResultTable) -> str:
    """Write a table as Markdown, a heading and a table for each section.

    Examples
    --------
    >>> from sorb.lab.tables import Cell, ResultTable, TableRow
    >>> row = TableRow("", "x", (Cell("1"),))
    >>> table = ResultTable("t", "Numbers", "All.", "dataset", ("A",), (row,))
    >>> print(markdown(table))
    ## Numbers
    <BLANKLINE>
    | dataset | A |
    | --- | --- |
    | x | `1` |
    <BLANKLINE>
    All.
    <BLANKLINE>
    """
    blocks = [f"## {table.title}"]
    for section, rows in table.sections():
        if section:
            blocks.append(f"### {section.translate(MARKDOWN_SPECIAL)}")
        blocks.append("\n".join(_markdown_lines(table, rows)))
    return "\n\n".join([*blocks, table.caption]) + "\n"


def _markdown_lines(table: ResultTable, rows: Sequence[TableRow]) -> Iterator[str]:
    yield _markdown_line(
        [table.corner, *(column.translate(MARKDOWN_SPECIAL) for column in table.columns)]
    )
    yield _markdown_line(["---"] * (1 + len(table.columns)))
    for row in rows:
        yield _markdown_line(
            [row.label.translate(MARKDOWN_SPECIAL), *map(_markdown_cell, row.cells)]
        )


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell) -> str:
    if isinstance(cell.ours, str):
        lines = (line.replace("|", "\\|") for line in cell.ours.splitlines())
        return "<br>".join(map(_code, lines))
    value = f"**{cell.value}**" if cell.best else cell.value
    return " ".join(part for part in (value, cell.interval, published_note(cell)) if part)


def _code(line: str) -> str:
    """Write a line as code, between more backticks than it has in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence}{line}{fence}" if fence == "`" else f"{fence} {line} {fence}"


def published_note(cell: Cell) -> str:
    """Write the published number beside ours, with its mark; empty if there is none.

    Examples
    --------
    >>> from sorb.lab.statistics import Estimate
    >>> published_note(Cell(Estimate(7.0, 7.0, 7.0, 15), "complexity", Estimate(9.0, 9.0, 9.0, 15)))
    '(paper 9 ▼)'
    """
    words = [word for word in ("paper", cell.paper, cell.mark) if word]
    return f"({' '.join(words)})" if cell.paper else ""


def long_csv(table: ResultTable) -> str:
    """Write a table as CSV with a line for each cell, in full precision."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            place = (table.name, row.section, row.label, column)
            writer.writerow([*place, *_numbers(cell), int(cell.best)])
    return lines.getvalue()


def _numbers(cell: Cell) -> list[str]:
    if isinstance(cell.ours, str):
        ours = [cell.ours, "", "", ""]
    else:
        ours = [*_limits(cell.ours), str(cell.ours.repetitions) if cell.ours else ""]
    return [*ours, *_limits(cell.published)]


def _limits(estimate: Estimate | None) -> list[str]:
    if estimate is None:
        return [""] * 3
    return [
        "" if math.isnan(number) else repr(float(number))
        for number in (estimate.value, estimate.low, estimate.high)
    ]


def terminal(table: ResultTable, width: int = 100) -> Iterator[RenderableType]:
    """Make what rich prints: as many tables as fit the width, and the caption."""
    from rich.text import Text

    groups = list(_fit_columns(table, width))
    for number, places in enumerate(groups, start=1):
        part = f" ({number}/{len(groups)})" if len(groups) > 1 else ""
        yield _rich_table(table, places, table.title + part)
    yield Text(table.caption + "\n")


def _fit_columns(table: ResultTable, width: int) -> Iterator[list[int]]:
    """Divide the columns into groups that fit; a column that is too wide is alone."""
    labels = [text for row in table.rows for text in (row.section, row.label)]
    room = width - _widest([table.corner, *labels]) - 1
    group: list[int] = []
    used = 0
    for place, column in enumerate(table.columns):
        cells = ["".join(text for text, _ in _styled_parts(row.cells[place])) for row in table.rows]
        needed = _widest([column, *cells])
        if group and used + needed > room and not _has_text(table, place):
            yield group
            group, used = [], 0
        group.append(place)
        used += needed
    yield group


def _widest(texts: Sequence[str]) -> int:
    """Return the width of the longest line, including the padding of a cell."""
    return max(len(line) for text in texts for line in text.split("\n")) + 3


def _has_text(table: ResultTable, place: int) -> bool:
    return any(isinstance(row.cells[place].ours, str) for row in table.rows)


def _rich_table(table: ResultTable, places: Sequence[int], title: str) -> RichTable:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=escape(title), box=SIMPLE_HEAD, title_justify="left")
    shown.add_column(table.corner, no_wrap=True)
    for place in places:
        is_text = _has_text(table, place)
        shown.add_column(escape(table.columns[place]), no_wrap=not is_text, overflow="fold")
    for section, rows in table.sections():
        if section:
            shown.add_section()
            shown.add_row(Text(section, style="italic"))
        for row in rows:
            cells = (Text.assemble(*_styled_parts(row.cells[place])) for place in places)
            shown.add_row(row.label, *cells)
    return shown


def _styled_parts(cell: Cell) -> Iterator[tuple[str, str]]:
    yield cell.value, "bold" if cell.best else ""
    if cell.interval:
        yield f" {cell.interval}", "dim"
    if cell.paper:
        yield f"\n{published_note(cell)}", "dim"
