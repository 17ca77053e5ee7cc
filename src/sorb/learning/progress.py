"""Progress shown to the user while rules are being learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from sorb.learning.stages import Stage

if TYPE_CHECKING:
    from rich.console import Console

Report: TypeAlias = Callable[[Stage], None]


@contextmanager
def show_rules(verbose: int, max_rules: int) -> Iterator[Report]:
    """Give a function that shows each stage: on a terminal in a bar, elsewhere on a line."""
    if not verbose:
        yield lambda stage: None
        return
    # Imported only where it is needed, as it is slow.
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
        TextColumn("{task.fields[summary]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("rules", total=max_rules, summary="")

        def show(stage: Stage) -> None:
            bar.update(task, completed=len(stage.ensemble), summary=_summary(stage))

        yield show


@contextmanager
def show_fits(verbose: int, count: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after each fit of a cross-validation: on a terminal, a bar moves."""
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


def _summary(stage: Stage) -> str:
    # The model without rules was not validated.
    risk = f", validation risk {stage.validation_risk:.4g}" if len(stage.ensemble) else ""
    return f"complexity {stage.ensemble.complexity}{risk}"


def _line(stage: Stage) -> str:
    return f"rule {len(stage.ensemble)}: {_summary(stage)}, {stage.seconds:.1f} s"
