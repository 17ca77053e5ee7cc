"""``sorb export``: a model in other languages."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import ModelArgument, examples, split_names, split_pairs
from sorb.cli.output_file import check_output
from sorb.cli.printing import print_bytes, print_data, print_message, print_text
from sorb.tables.reading import Reading
from sorb.tables.source_paths import source_paths

if TYPE_CHECKING:
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "export"]

EXAMPLES = examples(
    "sorb export model.json --to sql --dialect postgres > expression.sql",
    "sorb export model.json --to sql --kind view --table patients --view risks --keep id",
    "sorb export model.json --to python --output probability --out risk.py",
    "sorb export model.json --to excel --cells age=A2,weight=B2,height=C2",
    "sorb export model.json --rows patients.csv --out model.xlsx",
    "sorb export model.json --out model.onnx",
)


class Language(str, Enum):
    """The languages that a model can be written in."""

    sql = "sql"
    onnx = "onnx"
    python = "python"
    r = "r"
    c = "c"
    javascript = "javascript"
    excel = "excel"
    json = "json"


class SqlKind(str, Enum):
    """The kind of SQL."""

    expression = "expression"
    select = "select"
    view = "view"


class Output(str, Enum):
    """What is computed."""

    score = "score"
    prediction = "prediction"
    probability = "probability"


WORKBOOK = ".xlsx"
# The languages that the name of a file tells.
NAMED = {
    ".sql": Language.sql,
    ".onnx": Language.onnx,
    ".py": Language.python,
    ".r": Language.r,
    ".c": Language.c,
    ".js": Language.javascript,
    WORKBOOK: Language.excel,
    ".json": Language.json,
}
CODE = (Language.python, Language.r, Language.c, Language.javascript)
WRITTEN = (Language.sql, *CODE, Language.excel)
# The languages that each option is for.
FOR = {
    "--dialect": (Language.sql,),
    "--kind": (Language.sql,),
    "--table": (Language.sql,),
    "--view": (Language.sql,),
    "--keep": (Language.sql,),
    "--name": CODE,
    "--cells": (Language.excel,),
    "--rows": (Language.excel,),
    "--output": WRITTEN,
    "--contributions": (*WRITTEN, Language.onnx),
}
# The kinds of SQL that each option is for, and that need it, except for --keep.
FOR_KINDS = {
    "--table": (SqlKind.select, SqlKind.view),
    "--keep": (SqlKind.select, SqlKind.view),
    "--view": (SqlKind.view,),
}


def export(
    model: ModelArgument,
    to: Annotated[
        Language | None,
        typer.Option(
            help="The language to write the model in; by default as the name of --out says."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write; standard output if not given."),
    ] = None,
    output: Annotated[
        Output | None,
        typer.Option(help="What to compute; the prediction if not given. (Not for onnx, json.)"),
    ] = None,
    contributions: Annotated[
        bool, typer.Option("--contributions", help="Also what each rule adds. (Not for json.)")
    ] = False,
    dialect: Annotated[
        str | None,
        typer.Option(
            metavar="DATABASE",
            help="For sql: postgres (if not given), sqlite, duckdb, bigquery, snowflake, spark "
            "or tsql.",
        ),
    ] = None,
    kind: Annotated[
        SqlKind | None,
        typer.Option(help="For sql: what to write; an expression if not given."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help='For sql: the table, such as patients, clinic.patients or "a.b".'
        ),
    ] = None,
    view: Annotated[
        str | None, typer.Option(metavar="NAME", help="For sql: the name of the view.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="For sql: columns to copy, separated by commas."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For python, r, c, javascript: the name of the function; predict if not given, in "
            "R predict_rows.",
        ),
    ] = None,
    cells: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=CELL,…",
            help="For excel: the cell of each column, such as age=A2, and of parts of a formula "
            "that is too long, such as rule_0=F2.",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="For excel, if FILE ends in .xlsx: a table whose rows are filled in.",
        ),
    ] = None,
) -> None:
    """Write a model in another language, with the same predictions.

    For sql, python, r, c, javascript and excel the result is text, for json the model file, for
    onnx a binary file.
    """
    from sorb.rules import RuleEnsemble

    given = {
        "--output": output,
        "--contributions": contributions,
        "--dialect": dialect,
        "--kind": kind,
        "--table": table,
        "--view": view,
        "--keep": keep,
        "--name": name,
        "--cells": cells,
        "--rows": rows,
    }
    options = {option: value for option, value in given.items() if value}
    to = to or _named_language(out)
    _check_options(to, options)
    if to is Language.onnx and out is None and sys.stdout.isatty():
        raise typer.BadParameter("ONNX is a binary format: name a file with --out")
    check_output(out, [model, *source_paths([rows] if rows else [])])
    is_workbook = to is Language.excel and out is not None and out.suffix.lower() == WORKBOOK
    _check_workbook(options, is_workbook)
    write = _workbook if is_workbook else WRITERS[to]
    _write(write(RuleEnsemble.load(model), options), out)


Options = Mapping[str, Any]


def _named_language(out: Path | None) -> Language:
    """The language that the name of a file tells."""
    language = None if out is None else NAMED.get(out.suffix.lower())
    if language is None:
        known = ", ".join(NAMED)
        raise typer.BadParameter(f"name a language with --to, or a file whose name ends in {known}")
    return language


def _check_options(to: Language, options: Options) -> None:
    for option in options:
        if to not in FOR[option]:
            known = ", ".join(language.value for language in FOR[option])
            raise typer.BadParameter(f"{option} is for --to {known}")
    if to is Language.sql:
        _check_sql_options(options.get("--kind", SqlKind.expression), options)


def _check_workbook(options: Options, is_workbook: bool) -> None:
    """Refuse what is for formulas alone, or for a workbook alone."""
    if "--rows" in options and not is_workbook:
        raise typer.BadParameter(f"--rows needs a file that ends in {WORKBOOK}, named by --out")
    for option in ("--cells", "--output", "--contributions") if is_workbook else ():
        if option in options:
            raise typer.BadParameter(
                f"{option} is for formulas, but a workbook has cells for everything"
            )


def _check_sql_options(kind: SqlKind, options: Options) -> None:
    for option, kinds in FOR_KINDS.items():
        if option in options and kind not in kinds:
            known = " and ".join(f"--kind {known.value}" for known in kinds)
            raise typer.BadParameter(f"{option} is for {known}")
        if option not in options and kind in kinds and option != "--keep":
            raise typer.BadParameter(f"--kind {kind.value} needs {option}")


def _write(content: bytes, out: Path | None) -> None:
    if out is not None:
        from sorb.rules.atomic_files import replace_file

        replace_file(out, content)
        if out.is_file():  # what is written to a device or a pipe may be standard output
            print_text(f"The model is in {out}.")
        return
    if sys.stdout.isatty():
        print_data(content.decode())
        return
    print_bytes(content)


def _sql(ensemble: RuleEnsemble, options: Options) -> bytes:
    from sorb.export import to_sql

    return _text(
        to_sql(
            ensemble,
            options.get("--dialect", "postgres"),
            table=_parts(options, "--table"),
            kind=options.get("--kind", SqlKind.expression).value,
            keep=split_names(options.get("--keep"), ensemble.columns),
            view=_parts(options, "--view"),
            **_common(options),
        )
    )


def _function(language: str) -> Writer:
    def write(ensemble: RuleEnsemble, options: Options) -> bytes:
        from sorb import export

        written = getattr(export, language)
        name = {"name": options["--name"]} if "--name" in options else {}
        return _text(written(ensemble, **name, **_common(options)))

    return write


def _excel(ensemble: RuleEnsemble, options: Options) -> bytes:
    from sorb.export import to_excel

    cells = split_pairs(options.get("--cells"), "--cells", "age=A2", ensemble.columns)
    for name in ensemble.used_columns:
        if name not in cells:
            raise typer.BadParameter(
                f"--to excel needs the cell of column {name!r} in --cells, or a workbook to write: "
                "--out model.xlsx"
            )
    formulas = to_excel(ensemble, cells, **_common(options))
    return _text("\n".join(f"{name}\t{formula}" for name, formula in formulas.items()))


def _workbook(ensemble: RuleEnsemble, options: Options) -> bytes:
    from sorb.cli.model_tables import read_model_table
    from sorb.export import to_workbook

    if "--rows" not in options:
        return to_workbook(ensemble)
    table = read_model_table(options["--rows"], ensemble, reading=Reading(tell=print_message))
    return to_workbook(ensemble, table)


def _onnx(ensemble: RuleEnsemble, options: Options) -> bytes:
    from sorb.export import to_onnx

    model = to_onnx(ensemble, contributions="--contributions" in options)
    return bytes(model.SerializeToString())


def _json(ensemble: RuleEnsemble, options: Options) -> bytes:
    return _text(ensemble.to_json())


def _common(options: Options) -> dict[str, Any]:
    return {
        "output": options.get("--output", Output.prediction).value,
        "contributions": "--contributions" in options,
    }


def _parts(options: Options, option: str) -> list[str] | None:
    """Split a name at its dots, except for those within quotes."""
    name = options.get(option)
    if name is None:
        return None
    try:
        return next(csv.reader([name], delimiter="."))
    except csv.Error as error:
        raise typer.BadParameter(
            f'{option} must be a name such as patients, clinic.patients or "a.b", found {name!r}'
        ) from error


def _text(written: str) -> bytes:
    return (written.rstrip("\n") + "\n").encode("utf-8")


Writer = Callable[[Any, Options], bytes]
WRITERS: dict[Language, Writer] = {
    Language.sql: _sql,
    Language.onnx: _onnx,
    Language.python: _function("to_python"),
    Language.r: _function("to_r"),
    Language.c: _function("to_c"),
    Language.javascript: _function("to_javascript"),
    Language.excel: _excel,
    Language.json: _json,
}
