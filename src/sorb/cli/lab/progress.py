"""The progress of long work, on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sorb.lab.results import Unit

__all__ = ["ShowProgress", "show_progress"]

# Called with how many parts are done, of how many; and with a unit that failed, and why.
ShowProgress: TypeAlias = Callable[..., None]


@contextmanager
def show_progress(what: str) -> Iterator[ShowProgress]:
    """Show how far the work is, if stderr is a terminal, and which units fail."""
    from rich import progress as rich_progress
    from rich.console import Console

    from sorb.rules.notation import printable

    console = Console(stderr=True)
    with rich_progress.Progress(
        console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def update(
            done: int, total: int, unit: Unit | None = None, failure: str | None = None
        ) -> None:
            bar.update(task, completed=done, total=total)
            if unit and failure:
                where = f"{unit.method} on {unit.dataset}, repetition {unit.repetition}"
                line = printable(f"{where} failed: {failure}")
                console.print(line, markup=False, highlight=False)

        yield update
