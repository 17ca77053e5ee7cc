r"""Tables as LaTeX, for a document that loads ``booktabs``, ``graphicx`` and ``longtable``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sorb.lab.tables.table import Cell, ResultTable, TableRow
from sorb.render.latex_text import escape

SMALL = r"\footnotesize\setlength{\tabcolsep}{3pt}"
END = r"\tabularnewline"
# As wide as the table, but no wider than the text.
FITTING = r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%"
MOST_COLUMNS = 7  # in a float; more would be too small to read
TEXT_WIDTH = r"p{0.5\textwidth}"  # which leaves room for a name and two numbers


def latex(table: ResultTable) -> str:
    r"""Write a table with booktabs' rules: a float for each section, made to fit the page.

    A table of texts may be longer than a page: it becomes a ``longtable``, with a row for each
    line of a text.

    Examples
    --------
    >>> from sorb.lab.statistics import Estimate
    >>> from sorb.lab.tables import Cell, ResultTable, TableRow
    >>> cell = Cell(Estimate(7.0, 7.0, 7.0, repetitions=1))
    >>> row = TableRow("", "x_1", (cell,))
    >>> table = ResultTable("t", "Sizes", "All.", "dataset", ("A",), (row,))
    >>> print(latex(table))
    \begin{table}
    \caption{\textbf{Sizes.} All.}
    \label{tab:t}
    \centering\footnotesize\setlength{\tabcolsep}{3pt}
    \resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%
    \begin{tabular}{lc}
    \toprule
    dataset & A \tabularnewline
    \midrule
    x\_1 & 7 \tabularnewline
    \bottomrule
    \end{tabular}}
    \end{table}
    <BLANKLINE>
    """
    lines = _longtable(table) if _text_places(table) else _floats(table)
    return "\n".join(lines) + "\n"


def _floats(table: ResultTable) -> Iterator[str]:
    pieces = [(*section, places) for section in table.sections() for places in _groups(table)]
    for number, (section, rows, places) in enumerate(pieces, start=1):
        yield r"\begin{table}"
        yield from _heading(table, section, number, places)
        yield rf"\centering{SMALL}"
        yield FITTING
        yield rf"\begin{{tabular}}{{l{'c' * len(places)}}}"
        yield r"\toprule"
        yield _names(table, places)
        yield r"\midrule"
        for row in rows:
            yield _line([escape(row.label), *(_cell(row.cells[place]) for place in places)])
        yield r"\bottomrule"
        yield r"\end{tabular}}"
        yield r"\end{table}"


def _groups(table: ResultTable) -> list[range]:
    """Divide the columns into as few legible groups as possible, of about the same size."""
    count = -(-len(table.columns) // MOST_COLUMNS)
    ends = [k * len(table.columns) // count for k in range(count + 1)]
    return [range(*pair) for pair in pairwise(ends)]


def _heading(table: ResultTable, section: str, number: int, places: range) -> Iterator[str]:
    """Yield caption and label; only the first float repeats the notes of all."""
    label = rf"tab:{table.name}"
    title = f"{table.title}: {section}" if section else table.title
    groups = _groups(table)
    part = f" ({groups.index(places) + 1}/{len(groups)})" if len(groups) > 1 else ""
    notes = escape(table.caption) if number == 1 else rf"As Table~\ref{{{label}}}."
    yield rf"\caption{{\textbf{{{escape(title + part)}.}} {notes}}}"
    yield rf"\label{{{label}{'' if number == 1 else f'-{number}'}}}"


def _longtable(table: ResultTable) -> Iterator[str]:
    places, texts = range(len(table.columns)), _text_places(table)
    kinds = "".join(TEXT_WIDTH if place in texts else "c" for place in places)
    names = _names(table, places)
    yield rf"{{{SMALL}"
    yield rf"\begin{{longtable}}{{l{kinds}}}"
    caption = rf"\textbf{{{escape(table.title)}.}} {escape(table.caption)}"
    yield rf"\caption{{{caption}}}\label{{tab:{table.name}}}{END}"
    yield r"\toprule"
    yield names
    yield r"\midrule"
    yield r"\endfirsthead"
    yield r"\toprule"
    yield names
    yield r"\midrule"
    yield r"\endhead"
    yield r"\bottomrule"
    yield r"\endfoot"
    for section, rows in table.sections():
        if section:
            width = 1 + len(table.columns)
            yield rf"\multicolumn{{{width}}}{{l}}{{\emph{{{escape(section)}}}}} {END}"
        for row in rows:
            yield from map(_line, _break_row(row))
    yield r"\end{longtable}}"


def _text_places(table: ResultTable) -> set[int]:
    return {
        place
        for place in range(len(table.columns))
        if any(isinstance(row.cells[place].ours, str) for row in table.rows)
    }


def _names(table: ResultTable, places: Iterable[int]) -> str:
    return _line([escape(table.corner), *(escape(table.columns[place]) for place in places)])


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} {END}"


def _break_row(row: TableRow) -> Iterator[list[str]]:
    """Write a row with one line of LaTeX for each line of text, so that pages may break."""
    columns = [[escape(row.label)], *map(_cell_lines, row.cells)]
    for number in range(max(map(len, columns))):
        yield [lines[number] if number < len(lines) else "" for lines in columns]


def _cell_lines(cell: Cell) -> list[str]:
    if isinstance(cell.ours, str):
        return [rf"\raggedright {escape(line)}" for line in cell.ours.splitlines()]
    return [_cell(cell)]


def _cell(cell: Cell) -> str:
    """Write our number, below it its interval, and below that the published number."""
    value = escape(cell.value)
    paper = " ".join(word for word in ("paper", cell.paper, cell.mark) if word)
    under = [text for text in (cell.interval, paper if cell.paper else "") if text]
    lines = [
        rf"\textbf{{{value}}}" if cell.best else value,
        *(rf"\scriptsize {escape(text)}" for text in under),
    ]
    if len(lines) == 1:
        return lines[0]
    return rf"\begin{{tabular}}[t]{{@{{}}c@{{}}}}{END.join(lines)}\end{{tabular}}"
