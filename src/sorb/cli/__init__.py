"""The command ``sorb``: one file for each sub-command, and for each thing that several share.

Arguments, tables and model files come in; text, JSON, tables, figures and model files go out. A
sub-command imports what it needs when it runs, so that help and errors in arguments come quickly.

Errors are one line on stderr. The exit code is 0 on success, 1 if something failed, 2 if the
command was not understood, 130 if it was interrupted, and 141 if the reader of its output stopped
reading.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

FAILED, INTERRUPTED, UNREAD = 1, 130, 141

try:
    import typer

    from sorb.cli import (
        check,
        compare,
        dossier,
        edit,
        explain,
        export,
        fit,
        plot,
        predict,
        report,
        scorecard,
        show,
        simplify,
        stability,
        verify,
    )
    from sorb.cli.lab import app as lab
    from sorb.cli.printing import flush, print_message, print_text
except KeyboardInterrupt:
    sys.stderr.write("sorb: interrupted: nothing was written\n")
    sys.exit(INTERRUPTED)

__all__ = ["app", "main", "run"]

app = typer.Typer(
    name="sorb",
    help="Small sets of if-then rules whose conditions may weigh variables against each other.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(epilog=fit.EXAMPLES)(fit.fit)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=predict.EXAMPLES)(predict.predict)
app.command(epilog=show.EXAMPLES)(show.show)
app.command(epilog=explain.EXAMPLES)(explain.explain)
app.command(epilog=plot.EXAMPLES)(plot.plot)
app.command(epilog=stability.EXAMPLES)(stability.stability)
app.command(epilog=simplify.EXAMPLES)(simplify.simplify)
app.command(epilog=edit.EXAMPLES)(edit.edit)
app.command(epilog=scorecard.EXAMPLES)(scorecard.scorecard)
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=dossier.EXAMPLES)(dossier.dossier)
app.command(epilog=verify.EXAMPLES)(verify.verify)
app.command(epilog=export.EXAMPLES)(export.export)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.add_typer(lab, name="lab")


def _version(wanted: bool) -> None:
    if wanted:
        from sorb import __version__

        print_text(__version__)
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
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    for stream in (sys.stdout, sys.stderr):
        _allow_any_character(stream)
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except OSError:
        # On exit, Python would try to write the rest again, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _allow_any_character(stream: object) -> None:
    try:
        "≥−".encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        stream.reconfigure(encoding="utf-8")  # type: ignore[attr-defined]


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; errors are one line on stderr.

    Examples
    --------
    >>> from sorb.cli import run
    >>> run(["lab", "status", "no/such/folder"])
    1
    """
    try:
        code = int(app(args=list(arguments), prog_name="sorb", standalone_mode=False) or 0)
        flush()
    except (typer.Abort, KeyboardInterrupt) as stop:
        print_message(str(stop) or "interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as stop:
        return _unread_code(stop)
    except Exception as error:
        return _report(error)
    if code == INTERRUPTED:
        print_message("interrupted")
    return code


def _unread_code(stop: BrokenPipeError | SystemExit) -> int:
    """Return the exit code for output that nobody reads, for which click has none of its own."""
    if isinstance(stop, SystemExit) and not isinstance(stop.__context__, BrokenPipeError):
        raise stop
    return UNREAD


def _report(error: Exception) -> int:
    # Usage errors come from click, which newer versions of typer bundle.
    if hasattr(error, "format_message"):
        _report_usage(error)
        return int(getattr(error, "exit_code", FAILED))
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        print_message(f"{error.filename}: {error.strerror}")
        return FAILED
    if isinstance(error, (ValueError, OSError, ImportError)):
        print_message(str(error))
        return FAILED
    raise error


def _report_usage(error: Any) -> None:
    """Say what was not understood, and how to get help; without arguments, print the help."""
    message = error.format_message().replace("Value error, ", "")  # typer 0.29 quotes pydantic
    if type(error).__name__ == "NoArgsIsHelpError":
        print_text(message, err=True)
        return
    sentence = f"{message.rstrip('.')}{_found(error, message)}"
    command = getattr(getattr(error, "ctx", None), "command_path", "sorb")
    print_message(f"{sentence}{'' if sentence.endswith('?') else '.'} Try '{command} --help'.")


def _found(error: Any, message: str) -> str:
    """Quote the value that was not understood, which the newest typer leaves out."""
    cause = error.__cause__
    value = cause.errors()[0]["input"] if hasattr(cause, "errors") else None
    if value is None or repr(value) in message:
        return ""
    if str(value).startswith("--"):
        expected = error.param.metavar or "value"
        return f", found the option {value!r} where its {expected} should be"
    return f", found {value!r}"
