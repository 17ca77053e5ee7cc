"""How many rows have been written, and how many in a second, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["show_pieces"]


def show_pieces(pieces: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Pass pieces on, and show how many rows they had so far if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield from pieces
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,.0f} rows"),
        TextColumn("{task.speed:,.0f} rows/s"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=None)
        for piece in pieces:
            yield piece
            bar.advance(task, piece.num_rows)
