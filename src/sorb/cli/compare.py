"""``sorb compare``: models side by side on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    ExposureOption,
    JsonOption,
    TableArgument,
    WeightOption,
    examples,
)
from sorb.cli.reading_options import reads_tables
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.measures.measures import Measures
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "compare"]

MOST_SIDE_BY_SIDE = 4
EXAMPLES = examples(
    "sorb compare model.json simple.json new_patients.csv --target diabetes",
    "sorb compare models/*.json test.parquet --target price --json",
)


@reads_tables
def compare(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Model files, one or more.")
    ],
    table: TableArgument,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column of the outcomes.")],
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    reading: Reading = FIND_OUT,
    as_json: JsonOption = False,
) -> None:
    """Compare models on the rows whose outcome is known.

    The AUC is the probability that a row of the second class has a higher score than one of the
    first; R² is the share of the variance that is explained; the calibration error is the mean
    difference between what is expected and what occurs. Of losses and errors, less is better.
    """
    from sorb.cli.labelled_rows import read_labelled_rows
    from sorb.cli.printing import print_json, print_text
    from sorb.measures.measures import Measures
    from sorb.rules import RuleEnsemble
    from sorb.tables.targets import Outcomes

    ensembles = [RuleEnsemble.load(path) for path in models]
    _require_same_outcome(models, ensembles)
    rows = read_labelled_rows(table, ensembles, target, weight, reading, exposure)
    known = (rows.y, rows.weight, rows.exposure)
    found = [
        Measures.of(ensemble, ensemble(rows.table), Outcomes.of(ensemble, *known))
        for ensemble in ensembles
    ]
    if as_json:
        entries = [_entry(*three) for three in zip(models, ensembles, found, strict=True)]
        document = {
            "target": target,
            "rows": {"compared": len(rows.y), "without_target": rows.left_out},
            "models": entries,
        }
        print_json(document)
        return
    print_text(_text(models, ensembles, found, rows, target))


def _require_same_outcome(paths: list[Path], ensembles: list[RuleEnsemble]) -> None:
    from sorb.cli.models import class_labels

    first = set(class_labels(ensembles[0]))
    for path, ensemble in zip(paths, ensembles, strict=True):
        if set(class_labels(ensemble)) != first:
            raise ValueError(
                f"{paths[0]} and {path} cannot be compared: one predicts "
                f"{_outcome(ensembles[0])}, the other {_outcome(ensemble)}"
            )


def _outcome(ensemble: RuleEnsemble) -> str:
    from sorb.cli.models import class_labels

    labels = class_labels(ensemble)
    return f"the classes {', '.join(map(repr, labels))}" if labels else "numbers"


def _entry(path: Path, ensemble: RuleEnsemble, found: Measures) -> dict[str, Any]:
    return {
        "model": str(path),
        "loss": ensemble.loss.name,
        "rules": len(ensemble),
        "complexity": ensemble.complexity,
        **found.to_dict(),
    }


def _text(
    paths: list[Path],
    ensembles: list[RuleEnsemble],
    found: list[Measures],
    rows: LabelledRows,
    target: str,
) -> str:
    from sorb.measures.table import align, measure_lines
    from sorb.rules import notation

    measures = {ensemble.loss.measure for ensemble in ensembles}
    measured = measure_lines(found, ensembles[0].loss)
    lines = [
        ["", *map(str, paths)],
        # Of different losses, only the other measures can be compared.
        *(line for line in measured if len(measures) == 1 or line[0] not in measures),
        ["rules", *(str(len(ensemble)) for ensemble in ensembles)],
        ["complexity", *(str(ensemble.complexity) for ensemble in ensembles)],
    ]
    # One line for each model if there are too many to fit side by side.
    if len(paths) > MOST_SIDE_BY_SIDE:
        lines = [list(line) for line in zip(*lines, strict=True)]
    notes = [f"On {notation.count(len(rows.y), 'row')}."]
    if rows.left_out:
        left_out = notation.count(rows.left_out, "row")
        notes.append(f"Left out {left_out} without {notation.name(target)}.")
    if len(measures) > 1:
        notes.append(f"The {' and the '.join(sorted(measures))} cannot be compared.")
    return f"{align(lines)}\n\n{' '.join(notes)}"
