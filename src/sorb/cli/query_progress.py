"""What an engine is being asked, and how many rows it reads in a second, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["QueryProgress", "show_queries"]


@dataclass(slots=True)
class QueryProgress:
    """What is known about the table: how many rows it has, once they are counted.

    Attributes
    ----------
    share : gives the share of the rows that have been read, or a negative number if unknown.
    """

    share: Callable[[], float]
    n_rows: int | None = None

    def line(self, seconds: float) -> str:
        """Say how far a question has got, and how fast.

        Examples
        --------
        >>> QueryProgress(lambda: 0.5, 8_000_000).line(2.0)
        '4,000,000 of 8,000,000 rows, 2,000,000 rows/s'
        """
        if self.n_rows is None:
            return ""
        share = self.share()
        if not share > 0 or seconds <= 0:
            return f"{self.n_rows:,} rows"
        done = int(min(share, 1.0) * self.n_rows)
        return f"{done:,} of {self.n_rows:,} rows, {int(done / seconds):,} rows/s"


@contextmanager
def show_queries(progress: QueryProgress) -> Iterator[None]:
    """Show each question while it is asked, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    from sorb.tables.engine import watching

    class Speed(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(progress.line(time.perf_counter() - task.fields["started"]))

    columns = (SpinnerColumn(), TextColumn("{task.description}"), Speed(), TimeElapsedColumn())
    console = Console(stderr=True)

    @contextmanager
    def watch(question: str) -> Iterator[None]:
        with Progress(*columns, console=console, transient=True) as bar:
            bar.add_task(question, total=None, started=time.perf_counter())
            yield

    with watching(watch):
        yield
