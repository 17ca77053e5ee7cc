"""What a user sees while rules are being learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from sorb.learning.boosting import Stage

if TYPE_CHECKING:
    from rich.console import Console

Report: TypeAlias = Callable[[Stage], None]


@contextmanager
def progress(verbose: int, max_rules: int) -> Iterator[Report]:
    """Give a function that shows each stage: a bar on a terminal, elsewhere a line for each."""
    if not verbose:
        yield lambda stage: None
        return
    # Whoever trains in silence does not pay for this import.
    from rich.console import Console

    console = Console()
    if console.is_terminal or console.is_jupyter:
        with _bar(console, max_rules) as show:
            yield show
    else:
        yield lambda stage: print(_line(stage), flush=True)


@contextmanager
def _bar(console: Console, max_rules: int) -> Iterator[Report]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("rule"),
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[news]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("rules", total=max_rules, news="")

        def show(stage: Stage) -> None:
            bar.update(task, completed=len(stage.ensemble), news=_news(stage))

        yield show


@contextmanager
def fits(verbose: int, count: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each fit of a cross-validation; a terminal shows a bar."""
    if not verbose:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = Console()
    columns = (TextColumn("cross-validation, fit"), MofNCompleteColumn(), BarColumn(), TimeLeft())
    watched = console.is_terminal or console.is_jupyter
    with Progress(*columns, console=console, transient=True, disable=not watched) as bar:
        task = bar.add_task("fits", total=count)
        yield lambda: bar.advance(task)


def _news(stage: Stage) -> str:
    # Without rules there were no candidates, and nothing was validated.
    risk = f", validation risk {stage.validation_risk:.4g}" if len(stage.ensemble) else ""
    return f"complexity {stage.ensemble.complexity}{risk}"


def _line(stage: Stage) -> str:
    return f"rule {len(stage.ensemble)}: {_news(stage)}, {stage.seconds:.1f} s"
