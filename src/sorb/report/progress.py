"""Which model is being learned for a comparison, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["show_steps"]


@contextmanager
def show_steps() -> Iterator[Callable[[str], None]]:
    """Give a function to call before each step, which a terminal on stderr shows."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(step: str) -> None:
            bar.update(task, description=Text(f"for comparison: {step}").markup, refresh=True)

        yield show
