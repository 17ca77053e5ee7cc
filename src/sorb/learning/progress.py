"""Progress shown to the user while rules are being learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from sorb.learning.boosting import Growth, Limits

if TYPE_CHECKING:
    from rich.console import Console

Report: TypeAlias = Callable[[Growth], None]


@contextmanager
def show_growth(verbose: int, limits: Limits) -> Iterator[Report]:
    """Give a function that shows how far a model has grown: on a terminal in a bar, else a line."""
    if not verbose:
        yield lambda growth: None
        return
    # Imported only where it is needed, as it is slow.
    from rich.console import Console

    console = Console()
    if console.is_terminal or console.is_jupyter:
        with _bar(console, limits) as show:
            yield show
    else:
        yield lambda growth: print(_line(growth), flush=True)


@contextmanager
def _bar(console: Console, limits: Limits) -> Iterator[Report]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    by_complexity = limits.max_complexity is not None
    columns = (
        TextColumn("complexity" if by_complexity else "rule"),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[summary]}"),
        TimeElapsedColumn(),
    )
    total = limits.max_complexity if by_complexity else limits.max_rules
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("growth", total=total, summary="")

        def show(growth: Growth) -> None:
            done = growth.model.complexity if by_complexity else len(growth.model.terms)
            bar.update(task, completed=done, summary=_summary(growth))

        yield show


@contextmanager
def show_fits(
    verbose: int, count: int, what: str = "cross-validation, fit"
) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of several fits: on a terminal, a bar moves."""
    if not verbose:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = Console()
    columns = (TextColumn(what), MofNCompleteColumn(), BarColumn(), TimeLeft())
    watched = console.is_terminal or console.is_jupyter
    with Progress(*columns, console=console, transient=True, disable=not watched) as bar:
        task = bar.add_task("fits", total=count)
        yield lambda: bar.advance(task)


def _summary(growth: Growth) -> str:
    return f"complexity {growth.model.complexity}, training risk {growth.model.risk:.4g}"


def _line(growth: Growth) -> str:
    return f"rule {len(growth.model.terms)}: {_summary(growth)}, {growth.seconds:.1f} s"
