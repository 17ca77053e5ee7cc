"""``sorb check``: what looks odd about a table, before a model is learned from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import (
    ExposureOption,
    JsonOption,
    LargeTableArgument,
    TableNameOption,
    TargetOption,
    WeightOption,
    examples,
    require_names,
    split_names,
)
from sorb.cli.reading_options import reads_tables
from sorb.cli.task import Task
from sorb.tables.files import require_pyarrow
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.checks import TableReport

__all__ = ["EXAMPLES", "check"]

EXAMPLES = examples(
    "sorb check patients.csv --target diabetes",
    "sorb check patients.csv --target diabetes --ignore id --strict && sorb fit patients.csv …",
    "sorb check data/*.parquet --target ill",
    "sorb check clinic.duckdb --table patients --target ill",
    "sorb check patients.parquet --json | jq '.findings[].columns'",
)


@reads_tables
def check(
    table: LargeTableArgument,
    target: TargetOption = None,
    task: Annotated[
        Task | None, typer.Option(help="The kind of outcome, if it is not the one that fit takes.")
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Columns of numbers that are categories."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Columns not to look at.")
    ] = None,
    weight: WeightOption = None,
    exposure: ExposureOption = None,
    reading: Reading = FIND_OUT,
    table_name: TableNameOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if something is serious.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what looks odd about a table, what it may do to a model, and how to act.

    Among others: columns that tell the outcome almost alone, or number the rows; marks of missing
    values such as -99; classes that differ only by case or spaces; copies of rows; very few rows.
    Without --target, only the columns are checked. Of more than 20,000 rows, a sample is looked at;
    all rows are read into memory, also those of several files or of a database.

    COLUMNS are separated by commas, or the option is given several times.
    """
    from sorb.cli.printing import print_json, print_text

    others = {"--target": target, "--weight": weight, "--exposure": exposure}
    named = {name: column for name, column in others.items() if column is not None}
    if target is None and named:
        raise typer.BadParameter(f"{', '.join(named)} needs --target")
    require_pyarrow()
    from sorb.cli.read_table import read_whole_table

    rows, ignored = read_whole_table(table, table_name, named, categories, ignore, reading)
    known = [*rows.column_names, *ignored]
    chosen = split_names(categories, known)
    require_names(chosen, known, ", ".join(table), "--categories")
    report = _report(rows, named, task, [name for name in chosen if name in rows.column_names])
    print_json(report.to_dict()) if as_json else print_text(str(report))
    if strict and report.serious:
        raise typer.Exit(1)


def _report(
    rows: pa.Table, others: dict[str, str], task: Task | None, categories: list[str]
) -> TableReport:
    from sorb.checks import check as check_columns
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.cli.odd_table import check_rows
    from sorb.cli.task import detect_task

    columns = [name for name in rows.column_names if name not in others.values()]
    target, weight = others.get("--target"), others.get("--weight")
    if target is None:
        return check_columns(rows, categorical_features=categories)
    labelled = LabelledRows.of(rows, target, weight, others.get("--exposure"))
    detected = detect_task(target, labelled.y, task)
    categories = [name for name in categories if name in columns]
    return check_rows(rows, columns, target, labelled, detected.task, weight, categories)
