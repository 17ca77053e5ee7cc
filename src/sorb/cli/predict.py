"""``sorb predict``: what a model says about the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import (
    LargeTableArgument,
    MemoryOption,
    ModelArgument,
    OutOption,
    TableNameOption,
    examples,
)
from sorb.cli.output_file import check_output
from sorb.cli.reading_options import reads_tables
from sorb.tables.files import require_pyarrow
from sorb.tables.large_table import is_large
from sorb.tables.reading import FIND_OUT, Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "predict"]

EXAMPLES = examples(
    "sorb predict model.json patients.csv --id patient",
    "sorb predict model.json patients.parquet --proba --out predictions.parquet",
    "sorb predict model.json patients.csv --strict",
    "sorb predict model.json data/*.parquet --id patient --memory 1GB --out predictions.parquet",
    "sorb predict model.json clinic.duckdb --table patients --out predictions.csv",
    "zcat patients.csv.gz | sorb predict model.json - | head",
)


@reads_tables
def predict(
    model: ModelArgument,
    table: LargeTableArgument,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class.")
    ] = False,
    id: Annotated[  # noqa: A002
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="A column to copy into the result; may be given several times."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse a table with a row that is unlike the training."),
    ] = False,
    reading: Reading = FIND_OUT,
    out: OutOption = None,
    table_name: TableNameOption = None,
    memory: MemoryOption = None,
) -> None:
    """Predict the outcome of each row of a table, in the order of the rows.

    Writes CSV with a column 'prediction' to standard output or to a file; a file that ends in
    .parquet or .pq is Parquet. With --proba there are also columns 'probability_CLASS'.

    The last column, 'outside_training', names the columns of a row whose value is unlike all that
    the model was trained on: a new category, a number outside of the range, a missing value where
    there was none. It is empty where there are none, and for a model that remembers no training.

    With --memory, and from several files or a database, the table is read in pieces, so it need not
    fit in memory. The rows of several files come in the order in which they are named.
    """
    from sorb.cli.answers import find_answers, require_other_names
    from sorb.cli.model_tables import read_model_table
    from sorb.cli.outside_rows import OutsideRows
    from sorb.cli.table_output import write_table
    from sorb.rules import RuleEnsemble

    check_output(out, [model, *source_paths(table)])
    ensemble = RuleEnsemble.load(model)
    _require_probabilities(ensemble, model, proba)
    outside = OutsideRows(ensemble, model, strict)
    copied = list(dict.fromkeys(id or ()))
    if memory is not None or table_name is not None or is_large(table):
        require_pyarrow()
        from sorb.cli.predict_in_pieces import PieceOptions, predict_in_pieces

        options = PieceOptions(table, table_name, memory, copied, proba, reading)
        predict_in_pieces(ensemble, options, outside, out)
        outside.print_summary()
        return
    as_written = tuple(name for name in copied if name not in ensemble.used_columns)
    [source] = table
    rows = read_model_table(
        source,
        ensemble,
        others=dict.fromkeys(copied, "--id"),
        as_written=as_written,
        reading=reading,
    )
    unlike = outside.find(rows)
    answers = {**find_answers(ensemble, ensemble(rows), proba), **unlike}
    require_other_names(copied, answers, source)
    from sorb.tables.arrow import cells

    write_table({**{name: cells(rows, name) for name in copied}, **answers}, out)
    outside.print_summary()


def _require_probabilities(ensemble: RuleEnsemble, model: Path, proba: bool) -> None:
    from sorb.cli.models import class_labels

    if proba and not class_labels(ensemble):
        raise typer.BadParameter(f"--proba needs classes, but {model} predicts numbers")
