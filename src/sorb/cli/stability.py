"""``sorb stability``: which rules are found again when the rows are others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sorb.cli.arguments import (
    ExposureOption,
    GroupOption,
    JsonOption,
    ModelArgument,
    OutcomeOption,
    TableArgument,
    WeightOption,
    examples,
)
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading

__all__ = ["EXAMPLES", "stability"]

EXAMPLES = examples(
    "sorb stability model.json patients.csv --target ill",
    "sorb stability model.json visits.csv --target ill --group patient --resamples 100",
    "sorb stability model.json patients.csv --target ill --picture stability.png",
)


@reads_tables
def stability(
    model: ModelArgument,
    table: TableArgument,
    target: OutcomeOption,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    group: GroupOption = None,
    resamples: Annotated[
        int,
        typer.Option(min=2, metavar="N", help="How often the model is learned again."),
    ] = 40,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The seed of the resamples.")] = 0,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file to draw the result to: .png, .svg, .pdf, …"),
    ] = None,
    reading: Reading = FIND_OUT,
    as_json: JsonOption = False,
) -> None:
    """Learn a model again from resamples of its rows, and count which rules are found again.

    TABLE holds the rows that the model was learned from; test rows of sorb fit are left out again.
    Models of the same complexity are learned from resamples, which draw as many rows with
    replacement, with the settings that the model file notes. For each rule of the model, prints how
    often a rule that decides alike was found, how often with the same columns, and the votes and
    thresholds between which 90 % of them lie.
    """
    from sorb.cli.figure_files import require_figure_file, save_figure
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.parts_of_fit import take_training_part
    from sorb.cli.printing import print_json, print_text
    from sorb.resampling import stability
    from sorb.rules import RuleEnsemble

    if picture is not None:
        require_figure_file(picture)
    ensemble = RuleEnsemble.load(model)
    rows = read_labelled_rows(
        table, [ensemble], target, weight, reading, exposure, group, unused=True
    )
    rows = take_training_part(rows, ensemble)
    found = stability(
        ensemble,
        rows.table,
        rows.y,
        rows.weight,
        groups=rows.group,
        exposure=rows.exposure,
        n_resamples=resamples,
        random_state=seed,
        verbose=not as_json,
    )
    if picture is not None:
        from sorb.render.plots import plot_stability

        save_figure(lambda: plot_stability(found, ensemble), picture)
    if as_json:
        print_json({**found.to_dict(), "picture": None if picture is None else str(picture)})
    else:
        drawn = [f"The picture is in {picture}."] if picture is not None else []
        print_text("\n\n".join([str(found), *drawn]))
