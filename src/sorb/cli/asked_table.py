"""A table that is asked, not read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw

from sorb.tables.changes import changed_table
from sorb.tables.column_policy import LARGEST_WHOLE
from sorb.tables.expressions import Columns
from sorb.tables.large_table import CsvCells, LargeTable
from sorb.tables.lazy import Aggregate, count_outside
from sorb.tables.row_keys import Range

__all__ = ["AskedTable", "count_beyond"]


def count_beyond(name: str) -> Aggregate:
    """Count the whole numbers of a column that are beyond those that a float64 holds."""
    # Of the column itself: as a float, the first number beyond is the largest one within.
    return count_outside(nw.col(name), Range(-LARGEST_WHOLE, LARGEST_WHOLE))


@dataclass(frozen=True, slots=True, eq=False)
class AskedTable:
    """The rows of a table as a lazy frame.

    Attributes
    ----------
    source : where they come from.
    frame : the rows.
    cells : its columns as expressions.
    """

    source: LargeTable
    frame: nw.LazyFrame[Any]
    cells: Columns

    def locate(self, name: str, shows: Callable[[str], bool]) -> tuple[str, int]:
        """Find the first text of a column that shows something, and its row."""
        first_row = 0
        for piece in self.source.pieces([name], CsvCells(as_text=[name])):
            texts = piece[name].to_pylist()
            for row, text in enumerate(texts, start=first_row):
                if text is not None and shows(str(text)):
                    return str(text), row
            first_row += len(texts)
        raise changed_table()
