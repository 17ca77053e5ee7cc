"""A table that is asked, not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from sorb.cli.feature_columns import LARGEST_WHOLE
from sorb.tables.expressions import Columns
from sorb.tables.large_table import LargeTable
from sorb.tables.lazy import Aggregate, count_outside
from sorb.tables.row_keys import Range

__all__ = ["AskedTable", "count_beyond", "is_whole"]

_WIDE = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)


def is_whole(dtype: Any) -> bool:
    """Whether a type holds only whole numbers, and among them such that a float64 does not hold."""
    # The oldest narwhals do not tell how many decimals there are.
    return dtype in _WIDE or (dtype == nw.Decimal and getattr(dtype, "scale", None) == 0)


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
