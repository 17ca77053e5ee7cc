"""Tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["print_grid", "print_rich"]


def print_grid(columns: Sequence[str], lines: Iterable[Sequence[str]], breakable: str) -> None:
    """Print lines of cells below their headings; the cells of one column may break into lines."""
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=SIMPLE_HEAD)
    for column in columns:
        grid.add_column(column, no_wrap=column != breakable, overflow="fold")
    for line in lines:
        grid.add_row(*map(escape, line))
    print_rich(grid)


def print_rich(*parts: RenderableType) -> None:
    """Print what rich can render; of what it would send to a terminal, only colours are obeyed."""
    from rich.console import Console
    from rich.segment import Segment, Segments

    from sorb.cli.printing import STDOUT, naming
    from sorb.rules.notation import printable

    console = Console()
    for part in parts:
        pieces = (
            Segment(printable(text, kept="\n"), style) for text, style, _ in console.render(part)
        )
        with naming(STDOUT):
            console.print(Segments(pieces), end="")
