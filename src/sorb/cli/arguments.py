"""What the commands have in common: arguments, lists of column names, examples in help texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from sorb.tables.files import STANDARD_INPUT
from sorb.tables.quoting import quote_some

__all__ = [
    "MOST_JOBS",
    "ExposureOption",
    "GroupOption",
    "JsonOption",
    "LargeTableArgument",
    "MemoryOption",
    "ModelArgument",
    "OutOption",
    "OutcomeOption",
    "TableArgument",
    "TableNameOption",
    "TargetOption",
    "WeightOption",
    "examples",
    "refuse_standard_input",
    "require_names",
    "split_names",
    "split_pairs",
]

ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file, as written by 'sorb fit'.")
]
TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, .xlsx or Parquet file, or - for standard input. CSV may be separated by "
        "commas, semicolons, tabs or |; files may be compressed or in a zip archive.",
    ),
]
LargeTableArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="A CSV, .xlsx or Parquet file, or - for standard input. CSV may be separated by "
        "commas, semicolons, tabs or |; files may be compressed or in a zip archive. Also several "
        "files, such as data/*.csv; or a DuckDB or SQLite file, or an address such as "
        "postgresql://host/database, with --table.",
    ),
]


OutcomeOption = Annotated[str, typer.Option(metavar="COLUMN", help="The column of the outcomes.")]
TargetOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of the outcomes.")
]
WeightOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column of sample weights, one per row.")
]
ExposureOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column with what the outcomes accumulated over, such as years: the model is "
        "then about rates per unit of it.",
    ),
]
GroupOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that says which rows belong together, such as the patient of each "
        "visit: they are never divided between training, validation and test rows, and "
        "intervals allow for them.",
    ),
]
TableNameOption = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table to read, if TABLE is a database."),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="The memory that may be used in all, such as 500MB or 2GB; the table may be larger.",
    ),
]
OutOption = Annotated[Path | None, typer.Option(metavar="FILE", help="The file to write.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]


# More processes than any machine has processors for.
MOST_JOBS = 1000


def examples(*lines: str) -> str:
    """Format the examples at the end of a help text, each on its own line."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def split_names(values: Sequence[str] | None, known: Collection[str] = ()) -> list[str]:
    """Split lists of names at their commas, except for names that contain commas themselves.

    Examples
    --------
    >>> split_names(["id,name", "height, m"], known=["id", "name", "height, m"])
    ['id', 'name', 'height, m']
    """
    return [name for value in values or () for name in _parts(value, set(known))]


def _parts(value: str, known: Collection[str]) -> list[str]:
    if value in known:
        return [value]
    return [part.strip() for part in value.split(",") if part.strip()]


def split_pairs(
    values: Sequence[str] | None, option: str, example: str, known: Collection[str] = ()
) -> dict[str, str]:
    """Read pairs such as ``weight=kg,height=m``.

    Examples
    --------
    >>> split_pairs(["weight=kg,height=m"], "--units", "weight=kg")
    {'weight': 'kg', 'height': 'm'}
    >>> split_pairs(["height, m=m"], "--units", "weight=kg", known=["height, m"])
    {'height, m': 'm'}
    """
    found: dict[str, str] = {}
    for value in values or ():
        whole = value.rpartition("=")[0] in known
        for part in [value] if whole else _parts(value, ()):
            name, _, meaning = part.rpartition("=")
            if not (name and meaning):
                raise typer.BadParameter(f"{option} needs pairs such as {example}, found {part!r}")
            if name.strip() in found:
                raise typer.BadParameter(f"{option} names {name.strip()!r} twice")
            found[name.strip()] = meaning.strip()
    return found


def refuse_standard_input(sources: Sequence[str], table: str | None) -> None:
    """Refuse to read standard input in pieces, or as a database."""
    if [*sources] != [STANDARD_INPUT]:
        return
    if table is not None:
        raise typer.BadParameter("--table names a table of a database, but standard input is none")
    raise typer.BadParameter("--memory needs a file, as standard input is read as a whole")


def require_names(
    requested: Iterable[str], known: Collection[str], where: str, option: str
) -> None:
    """Refuse a column that is not there, and suggest one that is."""
    for name in requested:
        if name not in known:
            raise ValueError(f"{where} has no column {name!r} for {option}; {_hint(name, known)}")


def _hint(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"it has the columns {quote_some(known)}"
