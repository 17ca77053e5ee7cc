"""Messages on stderr, and JSON documents on stdout."""

from __future__ import annotations

import json
from typing import Any

import typer

__all__ = ["print_json", "print_message"]


def print_message(message: str) -> None:
    """Print a message on one line of stderr, whatever line breaks it contains."""
    typer.echo(f"sorb: {' '.join(message.split())}", err=True)


def print_json(document: Any) -> None:
    """Print a document for other programs."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
