"""The different texts of a column of a lazy frame, unless they are many."""

from __future__ import annotations

import narwhals as nw

from sorb.cli.asked_table import AskedTable
from sorb.tables.cells import MOST_CATEGORIES
from sorb.tables.engine import collect
from sorb.tables.large_table import CsvCells
from sorb.tables.number_texts import require_no_numbers

__all__ = ["TEXTS", "check_texts"]

TEXTS = (nw.String, nw.Categorical, nw.Enum)
# So many rows are looked at first: if they hold too many texts, all rows do.
FIRST_ROWS = 100_000


def check_texts(table: AskedTable, name: str, options: str) -> bool:
    """Refuse texts that are unreadable numbers; say whether there are too many for categories.

    `options` are those that say that the texts of the column are meant as texts.
    """
    label = table.cells.label(name).alias("label")
    for first in (FIRST_ROWS, None):
        found = collect(
            table.frame,
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
    pieces = (piece[name] for piece in table.source.pieces([name], CsvCells(as_text=[name])))
    require_no_numbers(texts.to_arrow(), name, options, pieces, are_some=are_many)
    return are_many
