"""``sorb predict``: what a model says about the rows of a table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sorb.cli.arguments import Decimal, Model, Out, Table, examples, require_folder

__all__ = ["EXAMPLES", "predict"]

EXAMPLES = examples(
    "sorb predict model.json patients.csv --id patient",
    "sorb predict model.json patients.parquet --proba --out predictions.parquet",
    "zcat patients.csv.gz | sorb predict model.json - | head",
)


def predict(
    model: Model,
    table: Table,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    id: Annotated[  # noqa: A002
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to pass on; may be given several times."),
    ] = None,
    decimal: Decimal = None,
    out: Out = None,
) -> None:
    """Predict the outcome of each row of a table, in its order.

    Writes CSV with a column 'prediction', to standard output if no file is given; Parquet if the
    file is called so. With --proba there are also columns 'probability_CLASS'.
    """
    from sorb.cli.models import class_labels, load_model, predictions, table_for
    from sorb.cli.tables import cells, write_table
    from sorb.rules.prediction import class_probabilities

    require_folder(out)
    ensemble = load_model(model)
    labels = class_labels(ensemble)
    if proba and not labels:
        raise typer.BadParameter(f"{model} predicts numbers, which have no probabilities: --proba")
    kept = list(dict.fromkeys(id or ()))
    passed_on = tuple(name for name in kept if name not in ensemble.used_columns)
    others = dict.fromkeys(kept, "--id")
    rows = table_for(table, ensemble, others=others, passed_on=passed_on, decimal=decimal)
    values = ensemble(rows)
    answers: dict[str, Any] = {"prediction": predictions(ensemble, values)}
    if proba:
        shares = class_probabilities(ensemble.loss, ensemble.classes, values).T.tolist()
        answers |= {f"probability_{label}": s for label, s in zip(labels, shares, strict=True)}
    for name in kept:
        if name in answers:
            raise ValueError(f"the column {name!r} is called like an answer: rename it in {table}")
    write_table({**{name: cells(rows, name) for name in kept}, **answers}, out)
