"""``sorb export``: a model in other languages."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sorb.cli.arguments import Model, examples, names, pairs, require_folder

if TYPE_CHECKING:
    from sorb.rules import RuleEnsemble

__all__ = ["EXAMPLES", "export"]

EXAMPLES = examples(
    "sorb export model.json --to sql --dialect postgres > expression.sql",
    "sorb export model.json --to sql --kind view --table patients --view risks --keep id",
    "sorb export model.json --to python --output probability --out risk.py",
    "sorb export model.json --to excel --cells age=A2,weight=B2,height=C2",
    "sorb export model.json --to onnx --out model.onnx",
)


class Language(str, Enum):
    """What a model can be written in."""

    sql = "sql"
    onnx = "onnx"
    python = "python"
    r = "r"
    c = "c"
    javascript = "javascript"
    excel = "excel"
    json = "json"


class Kind(str, Enum):
    """What kind of SQL."""

    expression = "expression"
    select = "select"
    view = "view"


class Output(str, Enum):
    """What is computed."""

    score = "score"
    prediction = "prediction"
    probability = "probability"


CODE = (Language.python, Language.r, Language.c, Language.javascript)
WRITTEN = (Language.sql, *CODE, Language.excel)
# Which option is for which language.
FOR = {
    "--dialect": (Language.sql,),
    "--kind": (Language.sql,),
    "--table": (Language.sql,),
    "--view": (Language.sql,),
    "--keep": (Language.sql,),
    "--name": CODE,
    "--cells": (Language.excel,),
    "--output": WRITTEN,
    "--contributions": (*WRITTEN, Language.onnx),
}
# Which option is for which kind of SQL; what is not kept may be left out.
FOR_KINDS = {
    "--table": (Kind.select, Kind.view),
    "--keep": (Kind.select, Kind.view),
    "--view": (Kind.view,),
}


def export(
    model: Model,
    to: Annotated[Language, typer.Option(help="What to write the model in.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write; standard output if not given."),
    ] = None,
    output: Annotated[
        Output | None,
        typer.Option(help="What is computed; the prediction if not given. (Not for onnx, json.)"),
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
        Kind | None, typer.Option(help="For sql: what to write; an expression if not given.")
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
        typer.Option(metavar="COLUMNS", help="For sql: columns to pass on, separated by commas."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For python, r, c, javascript: of the function; predict if not given, in R "
            "predict_rows.",
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
) -> None:
    """Write a model in another language, with the same answers.

    What is written for sql, python, r, c, javascript and excel is text, for json the model file,
    for onnx a binary file.
    """
    from sorb.cli.models import load_model

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
    }
    wishes = {option: value for option, value in given.items() if value}
    for option in wishes:
        if to not in FOR[option]:
            known = ", ".join(language.value for language in FOR[option])
            raise typer.BadParameter(f"{option} is for --to {known}")
    if to is Language.sql:
        _require_fitting(kind or Kind.expression, wishes)
    if to is Language.onnx and out is None and sys.stdout.isatty():
        raise typer.BadParameter("ONNX is not for reading: name a file with --out")
    require_folder(out)
    content = WRITERS[to](load_model(model), wishes)
    if out is not None:
        out.write_bytes(content)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


Wishes = Mapping[str, Any]


def _require_fitting(kind: Kind, wishes: Wishes) -> None:
    for option, kinds in FOR_KINDS.items():
        if option in wishes and kind not in kinds:
            known = " and ".join(f"--kind {known.value}" for known in kinds)
            raise typer.BadParameter(f"{option} is for {known}")
        if option not in wishes and kind in kinds and option != "--keep":
            raise typer.BadParameter(f"--kind {kind.value} needs {option}")


def _sql(ensemble: RuleEnsemble, wishes: Wishes) -> bytes:
    from sorb.export import to_sql

    return _text(
        to_sql(
            ensemble,
            wishes.get("--dialect", "postgres"),
            table=_parts(wishes.get("--table")),
            kind=wishes.get("--kind", Kind.expression).value,
            keep=names(wishes.get("--keep"), ensemble.columns),
            view=_parts(wishes.get("--view")),
            **_common(wishes),
        )
    )


def _function(language: str) -> Writer:
    def write(ensemble: RuleEnsemble, wishes: Wishes) -> bytes:
        from sorb import export

        written = getattr(export, language)
        name = {"name": wishes["--name"]} if "--name" in wishes else {}
        return _text(written(ensemble, **name, **_common(wishes)))

    return write


def _excel(ensemble: RuleEnsemble, wishes: Wishes) -> bytes:
    from sorb.export import to_excel

    cells = pairs(wishes.get("--cells"), "--cells", "age=A2", ensemble.columns)
    formulas = to_excel(ensemble, cells, **_common(wishes))
    return _text("\n".join(f"{name}\t{formula}" for name, formula in formulas.items()))


def _onnx(ensemble: RuleEnsemble, wishes: Wishes) -> bytes:
    from sorb.export import to_onnx

    model = to_onnx(ensemble, contributions="--contributions" in wishes)
    return bytes(model.SerializeToString())


def _json(ensemble: RuleEnsemble, wishes: Wishes) -> bytes:
    return _text(ensemble.to_json())


def _common(wishes: Wishes) -> dict[str, Any]:
    return {
        "output": wishes.get("--output", Output.prediction).value,
        "contributions": "--contributions" in wishes,
    }


def _parts(name: str | None) -> list[str] | None:
    """Take a name apart at its points, but for those within quotes."""
    return next(csv.reader([name], delimiter=".")) if name else None


def _text(written: str) -> bytes:
    return (written.rstrip("\n") + "\n").encode("utf-8")


Writer = Callable[[Any, Wishes], bytes]
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
