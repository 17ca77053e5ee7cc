"""A table in a CSV file: its numbers, texts, dates and missing values."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from sorb.tables.arrow import replace_columns, require_known_types
from sorb.tables.csv_format import CsvFormat, find_fault, find_record
from sorb.tables.file_columns import choose_columns, named_columns, require_rows, shorten
from sorb.tables.number_texts import read_large_integers, read_numbers

__all__ = ["MISSING", "CsvFile", "empty_missing", "is_beyond_64_bits"]

# How a missing value may be written; among numbers also "None".
MISSING = ("", "?", "NA", "<NA>", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")
BLOCK = 1 << 20
PIECE = 1 << 22
LONGEST_LINE = 1 << 24  # characters; a million columns fit


class CsvFile:
    """A table in a CSV file, as described in `sorb.tables.files.TableFile`."""

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self.where = where
        self._stream = stream
        try:
            with self._lines() as lines:
                self._format = CsvFormat.of(lines)
        except UnicodeDecodeError:
            raise ValueError(
                f"{where} is neither Parquet nor CSV in UTF-8: save it as one of them"
            ) from None
        if not self._format.columns:
            raise ValueError(self._why_no_columns())
        self.columns = named_columns(self._format.columns)

    def _why_no_columns(self) -> str:
        with self._lines(errors="replace") as lines:
            if not any(map(str.strip, lines)):
                return f"{self.where} is empty"
        return (
            f"{self.where}, line {self._format.before + 1}: the header has a quote that is not "
            "closed, or text after one that is"
        )

    @property
    def has_decimal_commas(self) -> bool:
        """Whether numbers may have a decimal comma, as the separator suggests."""
        return self._format.separator != ","

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
        commas: bool | None = None,
    ) -> pa.Table:
        """Read some columns, or all that have a name."""
        chosen = choose_columns(self.columns, columns, self.where)
        texts = {*as_text, *as_written}
        table = self._parse(chosen, texts)
        require_rows(table.num_rows, self.where)
        table = self._keep_large_integers(table)
        may_have_commas = self.has_decimal_commas if commas is None else commas
        changed = {}
        for name in chosen:
            if pa.types.is_string(table[name].type):
                known = empty_missing(table[name], ("",) if name in as_written else MISSING)
                changed[name] = known if name in texts else read_numbers(known, may_have_commas)
        return require_known_types(replace_columns(table, changed), self.where)

    def locate(self, row: int, column: str) -> tuple[int, str]:
        """Find the line of a row in the file, and how its cell in a column is written."""
        with self._lines() as lines:
            line, record = find_record(lines, self._format, row)
        return line, record[self._format.columns.index(column)]

    def _keep_large_integers(self, table: pa.Table) -> pa.Table:
        """Read integers beyond 64 bits as decimals, as floats they would lose their last digits."""
        large = [name for name in table.column_names if is_beyond_64_bits(table[name])]
        if not large:
            return table
        texts = self._parse(large, large)
        found = {name: read_large_integers(empty_missing(texts[name])) for name in large}
        return replace_columns(table, {name: new for name, new in found.items() if new is not None})

    def text_pieces(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Read some columns in pieces of a few megabytes, all cells as the texts in the file."""
        chosen = choose_columns(self.columns, columns, self.where)
        if self._format.empty_lines_are_rows:  # where only the end of the file tells which
            yield self._parse(chosen, chosen)
            return
        self._require_closed_quotes()
        with self._naming_faults():
            for batch in csv.open_csv(self._stream, *self._options(chosen, chosen, PIECE)):
                yield pa.table(batch)

    def _parse(self, columns: Sequence[str], texts: Collection[str]) -> pa.Table:
        self._require_closed_quotes()
        with self._naming_faults():
            table = csv.read_csv(self._stream, *self._options(columns, texts, LONGEST_LINE))
        if not self._format.empty_lines_are_rows:
            return table
        return table.slice(0, table.num_rows - self._empty_lines_at_the_end())

    def _options(
        self, columns: Sequence[str], texts: Collection[str], block: int
    ) -> tuple[csv.ReadOptions, csv.ParseOptions, csv.ConvertOptions]:
        return (
            csv.ReadOptions(skip_rows=self._format.before, block_size=block),
            csv.ParseOptions(
                delimiter=self._format.separator,
                newlines_in_values=True,
                ignore_empty_lines=not self._format.empty_lines_are_rows,
            ),
            csv.ConvertOptions(
                include_columns=columns,
                column_types={name: pa.string() for name in columns if name in texts},
                null_values=list(MISSING),
            ),
        )

    @contextmanager
    def _naming_faults(self) -> Iterator[None]:
        try:
            yield
        except pa.ArrowInvalid as error:
            self._raise_fault()
            raise ValueError(f"{self.where}: {shorten(error)}") from None

    def _empty_lines_at_the_end(self) -> int:
        self._stream.seek(0)
        end = b"\n"
        for part in iter(lambda: self._stream.read(BLOCK), b""):
            rest = part.rstrip(b"\r\n")
            end = part[len(rest) :] if rest else end + part
        self._stream.seek(0)
        return max(len(end.splitlines()) - 1, 0)

    def _require_closed_quotes(self) -> None:
        """Refuse a file in which everything after an open quote would be a single cell."""
        count = sum(part.count(b'"') for part in iter(lambda: self._stream.read(BLOCK), b""))
        self._stream.seek(0)
        if count % 2:
            self._raise_fault()

    def _raise_fault(self) -> None:
        """Name the line that is broken, if one is."""
        with self._lines(errors="replace") as lines:
            fault = find_fault(lines, self._format)
        if fault:
            raise ValueError(f"{self.where}, {fault}") from None

    @contextmanager
    def _lines(self, errors: str = "strict") -> Iterator[Iterator[str]]:
        self._stream.seek(0)
        lines = io.TextIOWrapper(self._stream, encoding="utf-8-sig", newline="", errors=errors)
        try:
            yield self._check_lengths(iter(lambda: lines.readline(LONGEST_LINE), ""))
        finally:
            lines.detach().seek(0)

    def _check_lengths(self, lines: Iterable[str]) -> Iterator[str]:
        for number, line in enumerate(lines, start=1):
            if len(line) == LONGEST_LINE:
                raise ValueError(
                    f"{self.where}, line {number}: too long for a table ({LONGEST_LINE:,} "
                    "characters or more)"
                )
            yield line


def is_beyond_64_bits(column: pa.ChunkedArray) -> bool:
    """Whether a column of numbers holds any that no integer of 64 bits could."""
    if not pa.types.is_floating(column.type):
        return False
    extremes = pc.min_max(column).as_py().values()
    return any(value is not None and abs(value) >= 2**63 for value in extremes)


def empty_missing(column: pa.ChunkedArray, marks: Sequence[str] = MISSING) -> pa.ChunkedArray:
    """Empty the cells of a column of texts that mark a missing value.

    Examples
    --------
    >>> import pyarrow as pa
    >>> empty_missing(pa.chunked_array([["x", "NA", "?"]])).to_pylist()
    ['x', None, None]
    """
    return pc.if_else(pc.is_in(column, pa.array(marks)), None, column)
