"""What the commands have in common: arguments of the same kind, lists of names, help."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AsJson",
    "Decimal",
    "DecimalSign",
    "Model",
    "Out",
    "Table",
    "Target",
    "Weight",
    "examples",
    "known_names",
    "names",
    "pairs",
    "require_folder",
    "require_names",
]

# More names than this are not read by anybody.
MOST_NAMES = 8

Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file, as 'sorb fit' writes.")]
Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV or Parquet file, or - for standard input. CSV may be separated by commas, "
        "semicolons or tabs, and compressed.",
    ),
]


class DecimalSign(str, Enum):
    """What stands before the decimals of a number."""

    point = "point"
    comma = "comma"


Decimal = Annotated[
    DecimalSign | None,
    typer.Option(
        help="Whether 25,3 is a number in CSV, as 25.3 is. If not given, it is one where "
        "semicolons or tabs separate the cells."
    ),
]
Target = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with the outcomes.")]
Weight = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with the weights of the rows.")
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="The file to write.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for other programs.")]


def examples(*lines: str) -> str:
    """Write the examples at the end of a help text, each on its own line."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def names(values: Sequence[str] | None, known: Collection[str] = ()) -> list[str]:
    """Take a list apart at its commas, but for names that hold commas themselves.

    Examples
    --------
    >>> names(["id,name", "height, m"], known=["id", "name", "height, m"])
    ['id', 'name', 'height, m']
    """
    return [name for value in values or () for name in _parts(value, set(known))]


def _parts(value: str, known: Collection[str]) -> list[str]:
    if value in known:
        return [value]
    return [part.strip() for part in value.split(",") if part.strip()]


def pairs(
    values: Sequence[str] | None, option: str, example: str, known: Collection[str] = ()
) -> dict[str, str]:
    """Read pairs such as ``weight=kg,height=m``.

    Examples
    --------
    >>> pairs(["weight=kg,height=m"], "--units", "weight=kg")
    {'weight': 'kg', 'height': 'm'}
    >>> pairs(["height, m=m"], "--units", "weight=kg", known=["height, m"])
    {'height, m': 'm'}
    """
    found: dict[str, str] = {}
    for value in values or ():
        whole = value.rpartition("=")[0] in known
        for part in [value] if whole else _parts(value, ()):
            name, _, meaning = part.rpartition("=")
            if not (name and meaning):
                raise typer.BadParameter(f"{option} wants pairs such as {example}, found {part!r}")
            found[name.strip()] = meaning.strip()
    return found


def require_folder(out: Path | None) -> None:
    """Raise an error before any work is done, if its result could not be written."""
    if out is not None and out.is_dir():
        raise IsADirectoryError(f"{out} is a folder: name a file to write")
    if out is not None and not out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {out.parent} for {out.name}")


def require_names(asked: Iterable[str], known: Collection[str], where: str, option: str) -> None:
    """Raise an error that helps, if a column that was asked for is not there."""
    for name in asked:
        if name not in known:
            raise ValueError(f"{where} has no column {name!r} for {option}{_hint(name, known)}")


def _hint(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; it has {known_names(known)}"


def known_names(known: Collection[str]) -> str:
    """List some of the columns of a table, which may have thousands.

    Examples
    --------
    >>> known_names(["age", "bmi"])
    "the columns 'age', 'bmi'"
    >>> known_names([f"x{k}" for k in range(3000)])
    "3000 columns: 'x0', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6', 'x7', …"
    """
    shown = ", ".join(map(repr, list(known)[:MOST_NAMES]))
    if len(known) > MOST_NAMES:
        return f"{len(known)} columns: {shown}, …"
    return f"the columns {shown}"
