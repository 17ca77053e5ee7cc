"""Tables that need not fit in memory: several files, or a table of a database."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sorb.tables.duckdb_engine import Engine
from sorb.tables.files import STANDARD_INPUT
from sorb.tables.reading import FIND_OUT, Reading

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CsvCells", "LargeTable", "is_database", "is_large", "open_large"]

_SQLITE, _DUCKDB, _DUCKDB_START = b"SQLite format 3\0", b"DUCK", 8


@dataclass(frozen=True, slots=True)
class CsvCells:
    """How cells of CSV are understood; other tables know what they hold.

    Attributes
    ----------
    as_text : columns that hold texts, even if these look like numbers.
    as_written : columns whose cells are kept as they are written, even if they look missing.
    """

    as_text: Collection[str] = ()
    as_written: Collection[str] = ()


class LargeTable(Protocol):
    """A table that is asked, or read in pieces.

    Attributes
    ----------
    where : str
        What to call it in messages.
    columns : list of str
        The names of its columns.
    left_out : dict from str to str
        Columns that are left out because they have no name, with the reason.
    """

    where: str
    columns: list[str]
    left_out: dict[str, str]

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame."""

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece, as in `sorb.tables.files.TableFile`."""


def is_large(sources: Sequence[str]) -> bool:
    """Whether a table is never read as a whole: several files, a pattern, a database, its address.

    Examples
    --------
    >>> [is_large([source]) for source in ("rows.csv", "data/*.csv", "postgresql://host/clinic")]
    [False, True, True]
    """
    if len(sources) > 1:
        return True
    [source] = sources
    if source == STANDARD_INPUT:
        return False
    return is_database(source) or (has_magic(source) and not Path(source).exists())


def is_database(source: str) -> bool:
    """Whether a source is a database or its address."""
    return "://" in source or _file_kind(source) is not None


def open_large(
    sources: Sequence[str], table: str | None, engine: Engine, reading: Reading = FIND_OUT
) -> LargeTable:
    """Open files, or a table of a database.

    Parameters
    ----------
    sources : sequence of str
        Files and patterns such as ``data/*.csv``; or only a DuckDB or SQLite file, or the address
        of a database.
    table : str or None
        The table of the database.
    engine : Engine
        What answers questions about files.
    reading : Reading
        How CSV is read.
    """
    found = _open(sources, table, engine, reading)
    marks = reading.missing
    marks.require_columns(found.columns, found.where)
    if not marks.everywhere and not marks.of_columns:
        return found
    from sorb.tables.marked_table import MarkedTable

    return MarkedTable(found, marks)


def _open(
    sources: Sequence[str], table: str | None, engine: Engine, reading: Reading
) -> LargeTable:
    from sorb.tables import databases
    from sorb.tables.lazy_files import open_files

    source, *others = sources
    for name in sources if others else ():
        if name == STANDARD_INPUT or is_database(name):
            what = "standard input" if name == STANDARD_INPUT else f"{name}, a database,"
            raise ValueError(f"{what} is read alone: name no other table")
    if "://" in source:
        return databases.open_address(source, table, engine)
    kind = _file_kind(source)
    if kind is not None:
        return databases.open_database(kind, source, table, engine)
    if table is not None:
        raise ValueError(f"--table names a table of a database, but {source} is none")
    return open_files(sources, engine, reading)


def _file_kind(source: str) -> str | None:
    """Say which database a file holds, by its first bytes."""
    if not Path(source).is_file():
        return None
    with Path(source).open("rb") as file:
        start = file.read(len(_SQLITE))
    if start == _SQLITE:
        return "sqlite"
    return "duckdb" if start[_DUCKDB_START:].startswith(_DUCKDB) else None
