"""The command ``sorb``.

Errors are one line on stderr. The exit code is 0 if all went well, 1 if something could not be
done, 2 if the command was not understood, and 130 if it was interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from sorb.cli.lab import app as lab

__all__ = ["app", "main", "run"]

FAILED, INTERRUPTED = 1, 130

app = typer.Typer(
    name="sorb",
    help="Small sets of if-then rules whose conditions may weigh variables against each other.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(lab, name="lab")


def _version(wanted: bool) -> None:
    if wanted:
        from sorb import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _sorb(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Small sets of if-then rules whose conditions may weigh variables against each other."""


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and give its exit code; what goes wrong is one line on stderr.

    Examples
    --------
    >>> from sorb.cli import run
    >>> run(["lab", "status", "no/such/folder"])
    1
    """
    try:
        code = int(app(args=list(arguments), prog_name="sorb", standalone_mode=False) or 0)
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:
        return _explained(error)
    if code == INTERRUPTED:
        _tell("interrupted")
    return code


def _explained(error: Exception) -> int:
    # Errors of usage come from click, which newer versions of typer bring along themselves.
    if hasattr(error, "format_message"):
        _tell(f"{error.format_message().rstrip('.')}. Try 'sorb --help'.")
        return int(getattr(error, "exit_code", FAILED))
    if isinstance(error, (ValueError, OSError, ImportError)):
        _tell(str(error))
        return FAILED
    raise error


def _tell(message: str) -> None:
    typer.echo(f"sorb: {' '.join(message.split())}", err=True)
