"""``sorb lab report``: all tables and figures in one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sorb.cli.arguments import examples
from sorb.cli.lab.results import RunFolder, open_results

__all__ = ["EXAMPLES", "report"]

EXAMPLES = examples("sorb lab report", "sorb lab report results/paper --out paper.html")


def report(
    folder: RunFolder = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write; DIR/report.html if not given.")
    ] = None,
) -> None:
    """Put all tables and figures into one self-contained HTML page."""
    from sorb.cli.figure_files import tell_warnings
    from sorb.cli.lab.progress import show_progress
    from sorb.cli.printing import print_text
    from sorb.lab.report import write_report

    results = open_results(folder)
    with tell_warnings(), show_progress("tables and figures") as progress:
        path = write_report(results, out or results.folder / "report.html", progress)
    print_text(str(path))
