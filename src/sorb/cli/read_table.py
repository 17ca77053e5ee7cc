"""A whole table from a file, without the columns that the user leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from sorb.cli.arguments import require_names, split_names
from sorb.cli.date_option import compute_dates
from sorb.rules.columns import wrap_frame
from sorb.tables.arrow import is_text, replace_columns
from sorb.tables.files import open_file
from sorb.tables.number_texts import drop_point_zero
from sorb.tables.reading import Reading

__all__ = ["read_table"]


def read_table(
    source: str,
    others: Mapping[str, str],
    categories: Sequence[str] | None,
    ignore: Sequence[str] | None,
    reading: Reading,
    dates: Sequence[str] | None = None,
) -> tuple[pa.Table, list[str], dict[str, str]]:
    """Read a table, categories as texts and dates as what is computed from them.

    Also names the columns that were ignored, or had no name.
    """
    with open_file(source, reading) as file:
        for option, name in others.items():
            require_names([name], file.columns, file.where, option)
        ignored = split_names(ignore, file.columns)
        require_names(ignored, file.columns, file.where, "--ignore")
        columns = [name for name in file.columns if name not in {*ignored} - {*others.values()}]
        requested = [name for name in split_names(categories, file.columns) if name in columns]
        rows, unnamed = file.read(columns, as_text=requested), file.left_out
    frame = compute_dates(wrap_frame(rows), dates, others, file.where, reading.day_first)
    rows = frame.to_native()
    codes = [name for name in requested if is_text(rows, name)]
    spelled = replace_columns(rows, {name: drop_point_zero(rows[name]) for name in codes})
    return spelled, ignored, unnamed
