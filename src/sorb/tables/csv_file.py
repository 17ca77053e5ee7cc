"""A table in a CSV file: its numbers, texts, dates and missing values."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

import pyarrow as pa
from pyarrow import csv

from sorb.tables.arrow import replace_columns, require_known_types
from sorb.tables.csv_format import CsvFormat, find_fault, find_record
from sorb.tables.csv_header import has_header
from sorb.tables.csv_kinds import find_kinds, read_piece
from sorb.tables.file_columns import choose_columns, name_columns, require_rows, shorten
from sorb.tables.missing_marks import MISSING, empty_exact, empty_marked, empty_missing
from sorb.tables.number_texts import is_beyond_64_bits, read_large_integers, read_numbers
from sorb.tables.reading import Reading
from sorb.tables.text_encoding import (
    ADVICE,
    ASSUMED,
    UTF_8,
    RecodedStream,
    find_encoding,
    first_foreign_word,
    is_binary,
)

__all__ = ["CsvFile"]

BLOCK = 1 << 20
PIECE = 1 << 22
LONGEST_LINE = 1 << 24  # characters; a million columns fit


class CsvFile:
    """A table in a CSV file, as described in `sorb.tables.files.TableFile`.

    Attributes
    ----------
    has_decimal_commas : bool
        Whether numbers may have a decimal comma: if not said, as the separator suggests.
    settled : Reading
        How to read it again without finding out, asking or telling anything.
    """

    def __init__(self, stream: IO[bytes], where: str, reading: Reading) -> None:
        self.where = where
        self._marks = reading.missing
        encoding = _choose_encoding(stream, where, reading)
        self._stream = _in_utf_8(stream, encoding, where)
        try:
            with self._lines() as lines:
                self._format = CsvFormat.of(lines)
        except UnicodeDecodeError:
            raise ValueError(f"{where} is not text in {UTF_8}: {ADVICE}") from None
        if not self._format.columns:
            raise ValueError(self._why_no_columns())
        if not has_header(self._format.sample, where, reading):
            self._format = self._format.without_header()
        header, *rows = self._format.sample
        empty = [k for k in range(len(header)) if not any("".join(row[k : k + 1]) for row in rows)]
        self._names, self.left_out = name_columns(self._format.columns, empty)
        self.columns = [name for name in self._names if name not in self.left_out]
        commas = reading.decimal_commas
        self.settled = replace(reading, encoding=encoding, header=self._format.has_header)
        self.has_decimal_commas = self._format.separator != "," if commas is None else commas

    def _why_no_columns(self) -> str:
        with self._lines(errors="replace") as lines:
            if not any(map(str.strip, lines)):
                return f"{self.where} is empty"
        return (
            f"{self.where}, line {self._format.before + 1}: the header has a quote that is not "
            "closed, or text after one that is"
        )

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
    ) -> pa.Table:
        """Read some columns, or all."""
        chosen = choose_columns(self.columns, columns, self.where)
        texts = {*as_text, *as_written}
        own = [name for name in chosen if name in self._marks.of_columns and name not in texts]
        table = self._parse(chosen, {*texts, *own})
        require_rows(table.num_rows, self.where)
        commas = self.has_decimal_commas
        if own:
            kinds = find_kinds([table.select(own)], (), commas, marks=self._marks)
            found = read_piece(table, kinds, commas, self._marks)
            table = replace_columns(table, {name: found[name] for name in own})
        table = self._keep_large_integers(table)
        changed = {}
        for name in chosen:
            if pa.types.is_string(table[name].type):
                if name in as_written:
                    changed[name] = empty_exact(table[name])
                    continue
                known = empty_missing(table[name], (*MISSING, *self._marks.texts(name)))
                changed[name] = known if name in texts else read_numbers(known, commas)
        read = empty_marked(replace_columns(table, changed), self._marks, kept=as_written)
        return require_known_types(read, self.where)

    def locate(self, row: int, column: str) -> tuple[int, str]:
        """Find the line of a row in the file, and how its cell in a column is written."""
        with self._lines() as lines:
            line, record = find_record(lines, self._format, row)
        return line, record[self._names.index(column)]

    def _keep_large_integers(self, table: pa.Table) -> pa.Table:
        """Read integers beyond 64 bits as decimals, as floats they would lose their last digits."""
        large = [name for name in table.column_names if is_beyond_64_bits(table[name])]
        if not large:
            return table
        texts = self._parse(large, large)
        found = {
            name: read_large_integers(
                empty_missing(texts[name], (*MISSING, *self._marks.texts(name)))
            )
            for name in large
        }
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
        named_by_file = self._format.has_header and self._names == list(self._format.columns)
        return (
            csv.ReadOptions(
                skip_rows=self._format.before,
                column_names=None if named_by_file else self._names,
                skip_rows_after_names=int(self._format.has_header and not named_by_file),
                block_size=block,
            ),
            csv.ParseOptions(
                delimiter=self._format.separator,
                newlines_in_values=True,
                ignore_empty_lines=not self._format.empty_lines_are_rows,
            ),
            csv.ConvertOptions(
                include_columns=columns,
                column_types={name: pa.string() for name in columns if name in texts},
                null_values=[*MISSING, *self._marks.everywhere],
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


def _choose_encoding(stream: IO[bytes], where: str, reading: Reading) -> str:
    encoding = reading.encoding or find_encoding(stream)
    if reading.encoding or encoding != ASSUMED:
        return encoding
    if is_binary(stream):
        raise ValueError(
            f"{where} is a binary file, and none that is known here: save the table as CSV, "
            ".xlsx or Parquet"
        )
    word = first_foreign_word(_in_utf_8(stream, ASSUMED, where))
    stream.seek(0)
    reading.tell(
        f"{where} is not in UTF-8, so it is read as Windows-1252, in which it says {word!r}: if "
        "that is wrong, name its encoding with --encoding"
    )
    return ASSUMED


def _in_utf_8(stream: IO[bytes], encoding: str, where: str) -> IO[bytes]:
    if encoding == UTF_8:
        return stream
    return io.BufferedReader(RecodedStream(stream, encoding, where))
