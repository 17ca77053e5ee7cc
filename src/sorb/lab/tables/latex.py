r"""Tables as LaTeX, for a document that loads ``booktabs``."""

from __future__ import annotations

from collections.abc import Iterator

from sorb.lab.tables.table import Cell, Row, Table
from sorb.render.latex_text import escaped


def latex(table: Table) -> str:
    r"""Write a table as a ``table`` environment with booktabs' rules.

    Examples
    --------
    >>> from sorb.lab.tables import Cell, Row, Table
    >>> table = Table("t", "Sizes", "All.", "dataset", ("A",), (Row("", "x_1", (Cell(),)),))
    >>> print(latex(table))
    \begin{table}
    \caption{\textbf{Sizes.} All.}
    \label{tab:t}
    \centering\footnotesize\setlength{\tabcolsep}{3pt}
    \begin{tabular}{lc}
    \toprule
    dataset & A \\
    \midrule
    x\_1 & -- \\
    \bottomrule
    \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    return "\n".join(_lines(table)) + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield r"\begin{table}"
    yield rf"\caption{{\textbf{{{escaped(table.title)}.}} {escaped(table.caption)}}}"
    yield rf"\label{{tab:{table.name}}}"
    yield r"\centering\footnotesize\setlength{\tabcolsep}{3pt}"
    yield rf"\begin{{tabular}}{{l{''.join(_alignments(table))}}}"
    yield r"\toprule"
    yield rf"{' & '.join(map(escaped, (table.corner, *table.columns)))} \\"
    for section, rows in table.sections():
        yield r"\midrule"
        if section:
            width = 1 + len(table.columns)
            yield rf"\multicolumn{{{width}}}{{l}}{{\emph{{{escaped(section)}}}}} \\"
        yield from map(_line, rows)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _alignments(table: Table) -> Iterator[str]:
    """Give room to break lines to the columns that hold texts."""
    for place in range(len(table.columns)):
        is_text = any(isinstance(row.cells[place].ours, str) for row in table.rows)
        yield r"p{0.7\textwidth}" if is_text else "c"


def _line(row: Row) -> str:
    return rf"{' & '.join([escaped(row.label), *map(_cell, row.cells)])} \\"


def _cell(cell: Cell) -> str:
    if isinstance(cell.ours, str):
        return r" \newline ".join(map(escaped, cell.ours.splitlines()))
    value = escaped(cell.value)
    ours = rf"\textbf{{{value}}}" if cell.best else value
    if cell.interval:
        ours += rf" {{\scriptsize {escaped(cell.interval)}}}"
    if not cell.paper:
        return ours
    paper = escaped(" ".join(word for word in ("paper", cell.paper, cell.mark) if word))
    return rf"\shortstack{{{ours}\\{{\scriptsize {paper}}}}}"
