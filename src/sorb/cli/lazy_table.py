"""A table that is asked, not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw

from sorb.tables.expressions import Columns
from sorb.tables.large_table import LargeTable

__all__ = ["LazyTable"]


@dataclass(frozen=True, slots=True, eq=False)
class LazyTable:
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
