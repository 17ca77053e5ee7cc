r"""What is printed: texts and JSON documents on stdout, messages on stderr.

Names, labels and cells may come from other people's files, and a terminal obeys control characters.
So every character that is not printable is written as in JSON, like ``\u001b``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

__all__ = [
    "STDOUT",
    "flush",
    "naming",
    "print_bytes",
    "print_data",
    "print_json",
    "print_message",
    "print_text",
]

STDOUT = "standard output"
LONGEST_MESSAGE = 2000


def print_text(text: str, err: bool = False) -> None:
    """Print a text for people on stdout, or on stderr."""
    with naming("standard error" if err else STDOUT):
        typer.echo(_printable(text, kept="\n"), err=err)


def print_message(message: str) -> None:
    """Print a message on one line of stderr, whatever line breaks it contains."""
    line = " ".join(message.split())
    cut = line if len(line) <= LONGEST_MESSAGE else f"{line[:LONGEST_MESSAGE]}…"
    print_text(f"sorb: {cut}", err=True)


def print_json(document: Any) -> None:
    """Print a document for other programs on stdout; they read escapes as what they stand for."""
    print_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_data(text: str) -> None:
    """Print data for other programs on stdout, unchanged unless that is a terminal."""
    with naming(STDOUT):
        sys.stdout.write(_printable(text, kept="\n\t") if sys.stdout.isatty() else text)


def print_bytes(content: bytes) -> None:
    """Print bytes for other programs on stdout."""
    flush()
    with naming(STDOUT):
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def flush() -> None:
    """Write out what was printed on stdout, as far as that is not yet done."""
    with naming(STDOUT):
        sys.stdout.flush()


@contextmanager
def naming(stream: str) -> Iterator[None]:
    """Name the stream in errors of the system, such as a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, stream) from error


def _printable(text: str, kept: str = "") -> str:
    if text.isprintable():  # as most messages are, which should not wait for an import
        return text
    from sorb.rules.notation import printable

    return printable(text, kept)
