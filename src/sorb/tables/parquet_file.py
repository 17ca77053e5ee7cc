"""A table in a Parquet file."""

from __future__ import annotations

from collections.abc import Collection
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from sorb.tables.arrow import require_known_types
from sorb.tables.file_columns import choose_columns, named_columns, require_rows, shorten

__all__ = ["ParquetFile"]


class ParquetFile:
    """A table in a Parquet file, as described in `sorb.tables.files.TableFile`."""

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self.where = where
        try:
            self._file = pq.ParquetFile(stream)
        except pa.ArrowException as error:
            raise ValueError(f"{where}: {shorten(error)}") from None
        self.columns = named_columns(self._file.schema_arrow.names)

    def read(
        self,
        columns: Collection[str] | None = None,
        *,
        as_text: Collection[str] = (),
        as_written: Collection[str] = (),
        commas: bool | None = None,
    ) -> pa.Table:
        """Read some columns, or all that have a name, with the types that the file gives them."""
        chosen = choose_columns(self.columns, columns, self.where)
        try:
            table = self._file.read(columns=chosen).select(chosen)
        except pa.ArrowException as error:
            raise ValueError(f"{self.where}: {shorten(error)}") from None
        require_rows(table.num_rows, self.where)
        return require_known_types(table, self.where)
