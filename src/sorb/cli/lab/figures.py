"""``sorb lab figures``: the figures of the paper, and a few more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sorb.cli.arguments import examples, split_names
from sorb.cli.lab.results import RunFolder, choose, make_each, open_results

__all__ = ["EXAMPLES", "figures"]

EXAMPLES = examples("sorb lab figures", "sorb lab figures results/paper --out paper/figures")


def figures(
    folder: RunFolder = None,
    figure: Annotated[
        list[str] | None, typer.Option(help="Only these figures, separated by commas.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files; DIR/figures if not given.")
    ] = None,
) -> None:
    """Draw figures, each as a PNG, an SVG and a PDF file."""
    from sorb.cli.figure_files import tell_warnings
    from sorb.cli.lab.progress import show_progress
    from sorb.cli.printing import print_text
    from sorb.lab.figures import FIGURES

    chosen = choose(FIGURES, split_names(figure), "figure")
    results = open_results(folder)
    paths: list[Path] = []
    with tell_warnings(), show_progress("figures") as progress:
        for done, drawn in enumerate(make_each(chosen, results.table(), bool(figure)), start=1):
            paths += drawn.save(out or results.folder / "figures")
            progress(done, len(chosen))
    for path in paths:
        print_text(str(path))
