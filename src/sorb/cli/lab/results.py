"""The results of a run, and what is made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    import pandas as pd

    from sorb.lab.results import Results

__all__ = ["RESULTS", "RunFolder", "choose", "make_each", "open_results"]

RESULTS = Path("results")
Made = TypeVar("Made")

RunFolder = Annotated[
    Path | None,
    typer.Argument(metavar="DIR", help="Folder of a run; the newest in results/ if not given."),
]


def open_results(folder: Path | None) -> Results:
    """Open the results in a folder, or those of the newest run."""
    from sorb.lab.results import Results

    return Results(folder or _newest_run())


def _newest_run() -> Path:
    runs = [path.parent for path in RESULTS.glob("*/run.json")]
    if not runs:
        raise FileNotFoundError(
            f"there is no run in {RESULTS}/: name its folder, or start one with 'sorb lab run'"
        )
    return max(runs, key=lambda run: (run / "run.json").stat().st_mtime)


def choose(known: Mapping[str, Made], names: Sequence[str], what: str) -> dict[str, Made]:
    """Choose what is named, or everything if nothing is."""
    for name in names:
        if name not in known:
            raise typer.BadParameter(
                f"there is no {what} {name!r}; choose from {', '.join(known)}."
            )
    return {name: make for name, make in known.items() if not names or name in names}


def make_each(
    makers: Mapping[str, Callable[[pd.DataFrame], Made]], rows: pd.DataFrame, required: bool
) -> Iterator[Made]:
    """Make each from the rows of a run; what lacks results is left out, unless it is required."""
    from sorb.cli.printing import print_message
    from sorb.lab.curves import MissingResults

    for name, make in makers.items():
        try:
            made = make(rows)
        except MissingResults as reason:
            if required:
                raise
            print_message(f"left out {name}: {reason}")
            continue
        yield made
