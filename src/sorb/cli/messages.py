"""What is said: notes on stderr, and documents on stdout."""

from __future__ import annotations

import json
from typing import Any

import typer

__all__ = ["print_json", "tell"]


def tell(message: str) -> None:
    """Say something in one line, whatever it holds."""
    typer.echo(f"sorb: {' '.join(message.split())}", err=True)


def print_json(document: Any) -> None:
    """Print a document for other programs."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
