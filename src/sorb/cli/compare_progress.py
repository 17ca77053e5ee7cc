"""Which method is learning, from which folds, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["show_methods"]


@contextmanager
def show_methods(n_methods: int, n_splits: int) -> Iterator[Callable[[str, int], None]]:
    """Give a function to call with a method and a split before each fit.

    If stderr is a terminal, it shows them there, with the time since the first one.
    """
    if not sys.stderr.isatty():
        yield lambda method, split: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=n_methods * n_splits, completed=-1)

        def show(method: str, split: int) -> None:
            fold = f", fold {split + 1} of {n_splits}" if n_splits > 1 else ""
            bar.update(task, advance=1, description=f"{method} learns{fold}", refresh=True)

        yield show
