"""``sorb lab``: run the paper's evaluation, and make tables, figures and a report from it.

A run file or the folder of a run comes in; results, tables, figures and reports go out. Each
command is one file.
"""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from sorb._extras import install_command
from sorb.cli.lab import datasets, figures, report, run, status, tables

__all__ = ["app"]


class _Laboratory(TyperGroup):
    """The commands, which say how to install a package that is missing."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise ImportError(
                f"the laboratory needs {error.name}: {install_command('lab')}"
            ) from error


app = typer.Typer(
    cls=_Laboratory,
    help="Run the paper's evaluation, and make tables, figures and a report from the results.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command(epilog=datasets.EXAMPLES)(datasets.datasets)
app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=status.EXAMPLES)(status.status)
app.command(epilog=tables.EXAMPLES)(tables.tables)
app.command(epilog=figures.EXAMPLES)(figures.figures)
app.command(epilog=report.EXAMPLES)(report.report)
