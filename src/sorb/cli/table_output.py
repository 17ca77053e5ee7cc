"""Tables written as CSV or Parquet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sorb.cli.printing import print_data, print_message
from sorb.rules.atomic_files import replace_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_table"]

LONGEST = 60  # of a text in a warning
# How a formula starts: at the beginning of a text, or where a spreadsheet may split it.
FORMULA = re.compile(r"(?:^|[\t\r\n,;])[\" ]*[=+\-@＝＋－＠]")


def write_table(columns: Mapping[str, Sequence[Any]], out: Path | None) -> None:
    """Write columns of equal length to a Parquet or CSV file, or as CSV to standard output."""
    if out is not None and out.suffix.lower() in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({name: _arrow(column) for name, column in columns.items()}), sink)
        replace_file(out, sink.getvalue().to_pybytes())
        return
    _warn_of_formulas(columns)
    text = io.StringIO(newline="")
    writer = csv.writer(_Lines(text), lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(_numbers_as_texts, columns.values()), strict=True))
    if out is None:
        print_data(text.getvalue())
    else:
        replace_file(out, text.getvalue().encode())


def _arrow(column: Sequence[Any]) -> pa.Array:
    """Give a column a type that holds all its values; if there is none, they become texts."""
    import pyarrow as pa

    are_whole = all(value is None or type(value) is int for value in column)
    for kind in (None, pa.uint64()) if are_whole else (None,):
        with suppress(pa.ArrowException, OverflowError):
            return pa.array(column, kind)
    return pa.array([None if value is None else str(value) for value in column])


def _warn_of_formulas(columns: Mapping[str, Sequence[Any]]) -> None:
    """Warn of texts that a spreadsheet may run; they are data, and so they are not changed."""
    for name, column in columns.items():
        texts = (value for value in (name, *dict.fromkeys(column)) if isinstance(value, str))
        found = next(filter(_calls_something, texts), None)
        if found is not None:
            print_message(
                f"a spreadsheet may run {found[:LONGEST]!r} in column {name[:LONGEST]!r} as a "
                "formula: import this column as text"
            )


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
    if not isinstance(column[0], float):
        return column
    texts = {value: None if value is None else repr(value) for value in set(column)}
    return [texts[value] for value in column]
