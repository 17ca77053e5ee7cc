"""``sorb lab tables``: the tables of the paper, and a few more."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import examples, split_names
from sorb.cli.lab.results import RunFolder, choose, make_each, open_results

if TYPE_CHECKING:
    from sorb.lab.tables import ResultTable

__all__ = ["EXAMPLES", "tables"]

EXAMPLES = examples(
    "sorb lab tables",
    "sorb lab tables results/paper --table complexity_cv --format markdown",
    "sorb lab tables --format latex --out paper/tables",
)


class TableFormat(str, Enum):
    """How tables are written."""

    terminal = "terminal"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"


def tables(
    folder: RunFolder = None,
    table: Annotated[
        list[str] | None, typer.Option(help="Only these tables, separated by commas.")
    ] = None,
    format: Annotated[  # noqa: A002
        TableFormat, typer.Option(help="How they are written.")
    ] = TableFormat.terminal,
    out: Annotated[
        Path | None, typer.Option(help="Folder for one file per table; printed if not given.")
    ] = None,
) -> None:
    """Make the tables of the paper, and a few more.

    The numbers of the paper stand beside ours.
    """
    from sorb.lab.tables import TABLES

    chosen = choose(TABLES, split_names(table), "table")
    if out and format is TableFormat.terminal:
        raise typer.BadParameter("tables for the terminal are not written to files: use --format")
    for made in make_each(chosen, open_results(folder).table(), required=bool(table)):
        _write(made, format, out)


def _write(table: ResultTable, format: TableFormat, out: Path | None) -> None:  # noqa: A002
    from sorb.cli.printing import print_data, print_text
    from sorb.lab.tables.latex import latex
    from sorb.lab.tables.render import long_csv, markdown, terminal
    from sorb.rules.atomic_files import replace_file

    if format is TableFormat.terminal:
        from rich.console import Console

        from sorb.cli.lab.grid import print_rich

        print_rich(*terminal(table, Console().width))
        return
    writers: dict[TableFormat, tuple[Callable[[ResultTable], str], str]] = {
        TableFormat.markdown: (markdown, "md"),
        TableFormat.latex: (latex, "tex"),
        TableFormat.csv: (long_csv, "csv"),
    }
    write, suffix = writers[format]
    if out is None:
        print_data(f"{write(table)}\n")
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{table.name}.{suffix}"
    replace_file(path, write(table).encode())
    print_text(str(path))
