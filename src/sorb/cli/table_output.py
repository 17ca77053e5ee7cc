"""Tables written as CSV or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sorb.cli.printing import print_data
from sorb.rules.atomic_files import replace_file

__all__ = ["write_table"]


def write_table(columns: Mapping[str, Sequence[Any]], out: Path | None) -> None:
    """Write columns of equal length to a Parquet or CSV file, or as CSV to standard output."""
    if out is not None and out.suffix.lower() in (".parquet", ".pq"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), sink)
        replace_file(out, sink.getvalue().to_pybytes())
        return
    text = io.StringIO(newline="")
    writer = csv.writer(_Lines(text), lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows(zip(*map(_numbers_as_texts, columns.values()), strict=True))
    if out is None:
        print_data(text.getvalue())
    else:
        replace_file(out, text.getvalue().encode())


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
