"""The different texts of a column of a lazy frame, unless they are many."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from sorb.tables.cells import MOST_CATEGORIES
from sorb.tables.engine import collect
from sorb.tables.expressions import Columns
from sorb.tables.large_table import LargeTable
from sorb.tables.number_texts import require_no_numbers

__all__ = ["TEXTS", "check_texts"]

TEXTS = (nw.String, nw.Categorical, nw.Enum)
# So many rows are looked at first: if they hold too many texts, all rows do.
FIRST_ROWS = 100_000


def check_texts(
    frame: nw.LazyFrame[Any], cells: Columns, source: LargeTable, name: str, options: str
) -> bool:
    """Refuse texts that are unreadable numbers; say whether there are too many for categories.

    Parameters
    ----------
    frame : LazyFrame
        The rows.
    cells : Columns
        Its columns as expressions.
    source : LargeTable
        Where the rows come from.
    name : str
        The name of the column.
    options : str
        The options that say that the texts are meant as texts.
    """
    label = cells.label(name).alias("label")
    for first in (FIRST_ROWS, None):
        found = collect(
            frame,
            f"count the texts of column {name!r}",
            lambda rows, first=first: (  # type: ignore[misc]
                (rows if first is None else rows.head(first))
                .select(label)
                .unique()
                .head(MOST_CATEGORIES + 2)
            ),
        )
        texts = found["label"].drop_nulls()
        are_many = len(texts) > MOST_CATEGORIES
        if are_many:
            break
    pieces = (piece[name] for piece in source.pieces([name], as_text=[name]))
    require_no_numbers(texts.to_arrow(), name, options, pieces, are_some=are_many)
    return are_many
