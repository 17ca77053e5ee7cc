"""A table in a Parquet file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sorb.tables.arrow import TEXTS, replace_columns, require_known_types
from sorb.tables.file_columns import choose_columns, name_columns, require_rows, shorten
from sorb.tables.missing_marks import empty_marked
from sorb.tables.reading import FIND_OUT, MissingMarks

__all__ = ["ParquetFile"]

CELL = 8  # bytes of a number
PIECE = 1 << 16  # rows
UUID = "extension<arrow.uuid>"


class ParquetFile:
    """A table in a Parquet file, as described in `sorb.tables.files.TableFile`.

    A few bytes of Parquet can stand for billions of equal cells, so their size is checked before
    they fill the memory: `largest` bytes are allowed. Texts are read as the numbers of distinct
    texts, since only then it is known how large they are.
    """

    def __init__(
        self, stream: IO[bytes], where: str, largest: int, marks: MissingMarks = FIND_OUT.missing
    ) -> None:
        self.where = where
        self._marks = marks
        self._largest = largest
        try:
            plain = pq.ParquetFile(stream)
            self.schema = plain.schema_arrow
            texts = [field.name for field in self.schema if str(field.type) in TEXTS]
            self._file = pq.ParquetFile(
                stream,
                metadata=plain.metadata,
                read_dictionary=texts,
                pre_buffer=False,  # pieces would keep all that was read before
            )
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{where}: {shorten(error)}") from None
        named, self.left_out = name_columns(self.schema.names, range(len(self.schema)))
        self.columns = [name for name in named if name not in self.left_out]

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
    ) -> pa.Table:
        """Read some columns, or all, with the types that the file gives them."""
        chosen = choose_columns(self.columns, columns, self.where)
        require_known_types(self._decode(self.schema.empty_table().select(chosen)), self.where)
        self._require_size(max(self._unpacked(chosen), self._cells(chosen)))
        try:
            table = self._file.read(columns=chosen).select(chosen)
            self._require_size(sum(map(_size_of_texts, table.columns)))
            self._require_unicode(table)
            table = self._decode(table)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{self.where}: {shorten(error)}") from None
        require_rows(table.num_rows, self.where)
        return require_known_types(empty_marked(table, self._marks, kept=as_written), self.where)

    def pieces(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Read some columns in pieces of some thousand rows, with the types of the file."""
        chosen = choose_columns(self.columns, columns, self.where)
        try:
            for batch in self._file.iter_batches(PIECE, columns=chosen):
                yield self._decode(pa.table(batch).select(chosen))
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{self.where}: {shorten(error)}") from None

    def _cells(self, columns: Collection[str]) -> int:
        widths = (_width(self.schema.field(name).type) for name in columns)
        return int(self._file.metadata.num_rows) * sum(widths)

    def _unpacked(self, columns: Collection[str]) -> int:
        """Give the size of the decompressed columns, as far as the file tells the truth."""
        groups = map(self._file.metadata.row_group, range(self._file.metadata.num_row_groups))
        parts = (group.column(j) for group in groups for j in range(group.num_columns))
        return sum(part.total_uncompressed_size for part in parts if part.path_in_schema in columns)

    def _require_size(self, size: int) -> None:
        if size > self._largest:
            raise ValueError(
                f"{self.where} unpacks to more than {self._largest / 1e6:,.0f} MB, far more than "
                "its size: if it is a table, save it as CSV"
            )

    def _decode(self, table: pa.Table) -> pa.Table:
        """Give texts the type that they have in the file, and write UUIDs as texts."""
        changed = {}
        for name in table.column_names:
            kind = str(self.schema.field(name).type)
            if kind in TEXTS:
                changed[name] = table[name].cast(TEXTS[kind])
            elif kind == UUID:
                changed[name] = _uuid_texts(table[name])
        return replace_columns(table, changed)

    def _require_unicode(self, table: pa.Table) -> None:
        for name, column in zip(table.column_names, table.columns, strict=True):
            try:
                if pa.types.is_dictionary(column.type):
                    column.validate(full=True)
            except pa.ArrowInvalid:
                raise ValueError(f"{self.where}, column {name!r}: not text in UTF-8") from None


def _width(kind: pa.DataType) -> int:
    """Give the number of bytes of a cell; those of texts are counted when they are read."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    try:
        return max(CELL, int(value.bit_width) // 8)
    except ValueError:
        return CELL


def _uuid_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    chunks = (
        [None if value is None else str(value) for value in part.to_pylist()]
        for part in column.chunks
    )
    return pa.chunked_array(chunks, pa.string())


def _size_of_texts(column: pa.ChunkedArray) -> int:
    """Give the number of bytes of a column of texts that are stored once each."""
    kind = column.type
    if not pa.types.is_dictionary(kind) or str(kind.value_type) not in TEXTS:
        return 0
    lengths = (pc.take(pc.binary_length(part.dictionary), part.indices) for part in column.chunks)
    return sum(pc.sum(part).as_py() or 0 for part in lengths)
