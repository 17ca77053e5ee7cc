"""``sorb predict``: what a model says about the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import (
    DecimalOption,
    ModelArgument,
    OutOption,
    TableArgument,
    examples,
    require_folder,
)

if TYPE_CHECKING:
    from sorb._types import Float
    from sorb.rules import Label, RuleEnsemble

__all__ = ["EXAMPLES", "predict"]

EXAMPLES = examples(
    "sorb predict model.json patients.csv --id patient",
    "sorb predict model.json patients.parquet --proba --out predictions.parquet",
    "zcat patients.csv.gz | sorb predict model.json - | head",
)


def predict(
    model: ModelArgument,
    table: TableArgument,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    id: Annotated[  # noqa: A002
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to copy; may be given several times."),
    ] = None,
    decimal: DecimalOption = None,
    out: OutOption = None,
) -> None:
    """Predict the outcome of each row of a table, in the order of the rows.

    Writes CSV with a column 'prediction' to standard output or to a file; a file that ends in
    .parquet or .pq is Parquet. With --proba there are also columns 'probability_CLASS'.
    """
    from sorb.cli.model_tables import read_model_table
    from sorb.cli.table_output import write_table
    from sorb.rules import RuleEnsemble

    require_folder(out)
    ensemble = RuleEnsemble.load(model)
    _require_probabilities(ensemble, model, proba)
    copied = list(dict.fromkeys(id or ()))
    as_written = tuple(name for name in copied if name not in ensemble.used_columns)
    rows = read_model_table(
        table,
        ensemble,
        others=dict.fromkeys(copied, "--id"),
        as_written=as_written,
        decimal=decimal,
    )
    answers = _answers(ensemble, ensemble(rows), proba)
    for name in copied:
        if name in answers:
            raise ValueError(
                f"column {name!r} has the name of a column of the result: rename it in {table}"
            )
    from sorb.tables.arrow import cells

    write_table({**{name: cells(rows, name) for name in copied}, **answers}, out)


def _require_probabilities(ensemble: RuleEnsemble, model: Path, proba: bool) -> None:
    from sorb.cli.models import class_labels

    if proba and not class_labels(ensemble):
        raise typer.BadParameter(f"--proba needs classes, but {model} predicts numbers")


def _answers(ensemble: RuleEnsemble, scores: Float, proba: bool) -> dict[str, Any]:
    from sorb.cli.models import class_labels, predictions
    from sorb.rules.prediction import class_probabilities

    answers: dict[str, Any] = {"prediction": predictions(ensemble, scores)}
    if proba:
        columns = class_probabilities(ensemble.loss, ensemble.classes, scores).T.tolist()
        names = _probability_names(class_labels(ensemble))
        answers.update(zip(names, columns, strict=True))
    return answers


def _probability_names(labels: tuple[Label, ...]) -> list[str]:
    """Name the column of each class; two classes may differ in their type only."""
    names = {f"probability_{label}": label for label in labels}
    for label in labels:
        other = names[f"probability_{label}"]
        if other != label:
            raise ValueError(
                f"the classes {label!r} and {other!r} would share the column 'probability_{label}' "
                "of --proba: rename one of them in the model"
            )
    return list(names)
