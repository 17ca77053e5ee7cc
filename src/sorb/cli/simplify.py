"""``sorb simplify``: the same model in fewer digits, with a certificate."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    JsonOption,
    ModelArgument,
    OutOption,
    TableArgument,
    TargetOption,
    WeightOption,
    examples,
)
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.simplify import Simplified

__all__ = ["EXAMPLES", "simplify"]

EXAMPLES = examples(
    "sorb simplify model.json patients.csv --target diabetes --out simple.json",
    "sorb simplify model.json patients.csv --changed-rows 3 --vote-loss 0",
    "sorb simplify model.json patients.csv --json | jq .certificate.digits_after",
)


@reads_tables
def simplify(
    model: ModelArgument,
    table: TableArgument,
    target: TargetOption = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    changed_rows: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="The number of rows that may change sides in a proposition, or change class when "
            "votes are rounded.",
        ),
    ] = 0,
    vote_loss: Annotated[
        float,
        typer.Option(
            min=0, metavar="SHARE",
            help="What rounding the votes may cost: the largest increase of the loss, "
            "or without --target the largest change of a score, as a share. 0 keeps the votes.",
        ),
    ] = 0.001,
    reading: Reading = FIND_OUT,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:  # fmt: skip
    """Write a model in fewer digits, so that no row changes sides.

    Prints the simpler model with all its digits, and a certificate of what changed and what did
    not. Rows are counted from 0. Rows whose target is missing are left out.
    """
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.model_tables import read_model_table
    from sorb.cli.printing import print_json, print_text
    from sorb.rules import RuleEnsemble
    from sorb.simplify import simplify as simplify_model

    check_output(out, [model, *source_paths([table])])
    ensemble = RuleEnsemble.load(model)
    simplified = partial(simplify_model, ensemble, changed_rows=changed_rows, vote_loss=vote_loss)
    if target is None:
        for option, column in (("--weight", weight), ("--exposure", exposure)):
            if column is not None:
                raise typer.BadParameter(f"{option} needs --target: only the loss depends on it")
        found = simplified(read_model_table(table, ensemble, reading=reading))
    else:
        rows = read_labelled_rows(table, [ensemble], target, weight, reading, exposure)
        found = simplified(rows.table, rows.y, rows.weight, exposure=rows.exposure)
    if out:
        found.ensemble.save(out)
    if as_json:
        print_json(_document(found, out))
    else:
        print_text(_text(found, out))


def _document(found: Simplified, out: Path | None) -> dict[str, Any]:
    return {
        "model": json.loads(found.ensemble.to_json()),
        "certificate": found.certificate.to_dict(),
        "out": None if out is None else str(out),
    }


def _text(found: Simplified, out: Path | None) -> str:
    parts = [found.ensemble.describe(None), str(found.certificate)]
    return "\n\n".join([*parts, f"The model is in {out}."] if out else parts)
