"""``sorb check``: what looks odd about a table, before a model is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from sorb.cli.arguments import (
    ExposureOption,
    JsonOption,
    TableArgument,
    TargetOption,
    WeightOption,
    examples,
    require_names,
    split_names,
)
from sorb.cli.reading_options import reads_tables
from sorb.cli.task import Task
from sorb.tables.files import open_file
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

    from sorb.checks import TableReport

__all__ = ["EXAMPLES", "check"]

EXAMPLES = examples(
    "sorb check patients.csv --target diabetes",
    "sorb check patients.csv --target diabetes --ignore id --strict && sorb fit patients.csv …",
    "sorb check patients.parquet --json | jq '.findings[].columns'",
)


@reads_tables
def check(
    table: TableArgument,
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
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if something is serious.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what looks odd about a table, what it may do to a model, and how to act.

    Among others: columns that tell the outcome almost alone, or number the rows; marks of missing
    values such as -99; classes that differ only by case or spaces; copies of rows; very few rows.
    Without --target, only the columns are checked. Of more than 20,000 rows, a sample is looked at.

    COLUMNS are separated by commas, or the option is given several times.
    """
    from sorb.cli.printing import print_json, print_text

    others = {"--target": target, "--weight": weight, "--exposure": exposure}
    named = {name: column for name, column in others.items() if column is not None}
    if target is None and named:
        raise typer.BadParameter(f"{', '.join(named)} needs --target")
    rows = _read(table, named, categories, ignore, reading)
    report = _report(rows, named, task)
    print_json(report.to_dict()) if as_json else print_text(str(report))
    if strict and report.serious:
        raise typer.Exit(1)


def _read(
    source: str,
    others: dict[str, str],
    categories: Sequence[str] | None,
    ignore: Sequence[str] | None,
    reading: Reading,
) -> pa.Table:
    with open_file(source, reading) as file:
        for option, name in others.items():
            require_names([name], file.columns, file.where, option)
        ignored = split_names(ignore, file.columns)
        as_text = split_names(categories, file.columns)
        require_names(ignored, file.columns, file.where, "--ignore")
        require_names(as_text, file.columns, file.where, "--categories")
        columns = [name for name in file.columns if name not in {*ignored} - {*others.values()}]
        return file.read(columns, as_text=as_text)


def _report(rows: pa.Table, others: dict[str, str], task: Task | None) -> TableReport:
    from sorb.checks import check as check_columns
    from sorb.cli.labelled_rows import LabelledRows
    from sorb.cli.odd_table import check_rows
    from sorb.cli.task import detect_task

    columns = [name for name in rows.column_names if name not in others.values()]
    target, weight = others.get("--target"), others.get("--weight")
    if target is None:
        return check_columns(rows)
    labelled = LabelledRows.of(rows, target, weight, others.get("--exposure"))
    detected = detect_task(target, labelled.y, task)
    return check_rows(rows, columns, target, labelled, detected.task, weight)
