"""A table that need not fit in memory, in which further values mark missing ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from sorb.rules.columns import wrap_frame
from sorb.tables.large_table import CsvCells, LargeTable
from sorb.tables.missing_marks import empty_marked
from sorb.tables.reading import MissingMarks

if TYPE_CHECKING:
    from sorb.tables.expressions import Expr

__all__ = ["MarkedTable"]

_TEXTS = (nw.String, nw.Categorical, nw.Enum)


class MarkedTable:
    """The table without the marks, as described in `sorb.tables.large_table.LargeTable`."""

    def __init__(self, table: LargeTable, marks: MissingMarks) -> None:
        self.where, self.columns, self.left_out = table.where, table.columns, table.left_out
        self._table, self._marks = table, marks

    def frame(self, columns: Sequence[str], cells: CsvCells) -> Any:
        """Give some columns as a lazy frame."""
        frame = wrap_frame(self._table.frame(columns, cells))
        emptied = (self._empty(name, dtype) for name, dtype in frame.collect_schema().items())
        return frame.with_columns(*(column for column in emptied if column is not None)).to_native()

    def pieces(self, columns: Sequence[str], cells: CsvCells) -> Iterator[pa.Table]:
        """Read some columns piece by piece."""
        for piece in self._table.pieces(columns, cells):
            yield empty_marked(piece, self._marks, kept=cells.as_written)

    def _empty(self, name: str, dtype: Any) -> Expr | None:
        values: list[Any] = self._marks.numbers(name) if dtype.is_numeric() else []
        if dtype.is_integer():
            values = [int(value) for value in values if value.is_integer()]
        if dtype in _TEXTS:
            values = list(self._marks.texts(name))
        if not values:
            return None
        return nw.when(~nw.col(name).is_in(values)).then(nw.col(name)).alias(name)
