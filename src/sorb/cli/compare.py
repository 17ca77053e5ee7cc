"""``sorb compare``: models side by side on the same rows."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import AsJson, Decimal, Table, Weight, examples

if TYPE_CHECKING:
    from sorb.cli.known_rows import KnownRows
    from sorb.cli.measures import Measures
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "compare"]

MOST_BESIDE = 4
EXAMPLES = examples(
    "sorb compare model.json simple.json new_patients.csv --target diabetes",
    "sorb compare models/*.json test.parquet --target price --json",
)


def compare(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Model files, one or more.")
    ],
    table: Table,
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the outcomes.")],
    weight: Weight = None,
    decimal: Decimal = None,
    as_json: AsJson = False,
) -> None:
    """Compare models on the rows whose outcome is known.

    The risk is the mean loss; the error the share of wrong classes; R² the share of the variance
    that is explained; the calibration error the mean difference between what is expected and what
    occurs. Of risk, error and calibration error less is better.
    """
    from sorb.cli.known_rows import known_rows
    from sorb.cli.measures import Measures
    from sorb.cli.messages import print_json
    from sorb.cli.models import load_model

    ensembles = [load_model(path) for path in models]
    _require_same_question(models, ensembles)
    rows = known_rows(table, ensembles, target, weight, decimal)
    found = [Measures.of(e, e(rows.table), rows.y, rows.weight) for e in ensembles]
    if as_json:
        entries = [_entry(*three) for three in zip(models, ensembles, found, strict=True)]
        document = {
            "target": target,
            "rows": {"judged": len(rows.y), "without_target": rows.left_out},
            "models": entries,
        }
        print_json(document)
        return
    typer.echo(_text(models, ensembles, found, rows, target))


def _require_same_question(paths: list[Path], ensembles: list[RuleEnsemble]) -> None:
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
        **asdict(found),
    }


def _text(
    paths: list[Path],
    ensembles: list[RuleEnsemble],
    found: list[Measures],
    rows: KnownRows,
    target: str,
) -> str:
    from sorb.cli.measures import measure_lines
    from sorb.cli.terminal import aligned

    lines = [
        ["", *map(str, paths)],
        *measure_lines(found),
        ["rules", *(str(len(ensemble)) for ensemble in ensembles)],
        ["complexity", *(str(ensemble.complexity) for ensemble in ensembles)],
    ]
    # A model to a line once they are too many to stand beside each other.
    if len(paths) > MOST_BESIDE:
        lines = [list(line) for line in zip(*lines, strict=True)]
    losses = {ensemble.loss.name for ensemble in ensembles}
    notes = [f"On {len(rows.y)} rows."]
    if rows.left_out:
        notes.append(f"Left out {rows.left_out} without {target}.")
    if len(losses) > 1:
        notes.append(f"Risks of different losses ({', '.join(sorted(losses))}) do not compare.")
    return f"{aligned(lines)}\n\n{' '.join(notes)}"
