"""Tables written as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sorb.cli.printing import print_data, print_message
from sorb.rules.atomic_files import open_replacement, replace_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_pieces", "write_table"]

PARQUET = (".parquet", ".pq")
LONGEST = 60  # of a text in a warning
# How a formula starts: at the beginning of a text, or where a spreadsheet may split it.
FORMULA = re.compile(r"(?:^|[\t\r\n,;])[\" ]*[=+\-@＝＋－＠]")


def write_table(columns: Mapping[str, Sequence[Any]], out: Path | None) -> None:
    """Write columns of equal length to a Parquet or CSV file, or as CSV to standard output."""
    if out is not None and out.suffix.lower() in PARQUET:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({name: _arrow(column) for name, column in columns.items()}), sink)
        replace_file(out, sink.getvalue().to_pybytes())
        return
    _warn_of_formulas(columns)
    text = _csv_text(columns, header=True)
    if out is None:
        print_data(text)
    else:
        replace_file(out, text.encode())


def write_pieces(pieces: Iterator[pa.Table], out: Path | None) -> None:
    """Write the pieces of a table with the same columns, one after the other, as `write_table`."""
    if out is not None and out.suffix.lower() in PARQUET:
        import pyarrow.parquet as pq

        first = next(pieces)
        with open_replacement(out) as file, pq.ParquetWriter(file, first.schema) as writer:
            for piece in chain([first], pieces):
                writer.write_table(piece)
        return
    if out is None:
        for text in _csv_pieces(pieces):
            print_data(text)
        return
    with open_replacement(out) as file:
        for text in _csv_pieces(pieces):
            file.write(text.encode())


def _csv_pieces(pieces: Iterator[pa.Table]) -> Iterator[str]:
    from sorb.tables.arrow import cells

    warned: set[str] = set()
    for number, piece in enumerate(pieces):
        columns = {name: cells(piece, name) for name in piece.column_names}
        warned |= _warn_of_formulas({n: c for n, c in columns.items() if n not in warned})
        yield _csv_text(columns, header=number == 0)


def _csv_text(columns: Mapping[str, Sequence[Any]], header: bool) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(_Lines(text), lineterminator="\r\n")
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*map(_numbers_as_texts, columns.values()), strict=True))
    return text.getvalue()


def _arrow(column: Sequence[Any]) -> pa.Array:
    """Give a column a type that holds all its values; if there is none, they become texts."""
    import pyarrow as pa

    are_whole = all(value is None or type(value) is int for value in column)
    for kind in (None, pa.uint64()) if are_whole else (None,):
        with suppress(pa.ArrowException, OverflowError):
            return pa.array(column, kind)
    return pa.array([None if value is None else str(value) for value in column])


def _warn_of_formulas(columns: Mapping[str, Sequence[Any]]) -> set[str]:
    """Warn of texts that a spreadsheet may run, which are not changed, and name their columns."""
    warned = set()
    for name, column in columns.items():
        texts = (value for value in (name, *dict.fromkeys(column)) if isinstance(value, str))
        found = next(filter(_calls_something, texts), None)
        if found is not None:
            warned.add(name)
            print_message(
                f"a spreadsheet may run {found[:LONGEST]!r} in column {name[:LONGEST]!r} as a "
                "formula: import this column as text"
            )
    return warned


def _calls_something(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula that calls a function or a program."""
    start = FORMULA.search(text)
    return start is not None and max(text.rfind("("), text.rfind("|")) >= start.end()


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines that end in a line feed alone, though the writer quotes carriage returns as well."""

    text: io.StringIO

    def write(self, line: str) -> None:
        """Write a line."""
        self.text.write(f"{line[:-2]}\n")


def _numbers_as_texts(column: Sequence[Any]) -> Sequence[Any]:
    """Format each distinct number once: rules give the same one to many rows."""
    if not any(isinstance(value, float) for value in column[:1]):
        return column
    texts = {value: None if value is None else repr(value) for value in set(column)}
    return [texts[value] for value in column]
