"""A whole table from files or a database, without the columns that the user leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from sorb.cli.arguments import refuse_standard_input, require_names, split_names
from sorb.cli.date_option import compute_dates
from sorb.rules.columns import wrap_frame
from sorb.tables.arrow import is_text, replace_columns
from sorb.tables.files import open_file
from sorb.tables.large_table import CsvCells, is_large, open_large
from sorb.tables.number_texts import drop_point_zero
from sorb.tables.reading import Reading

__all__ = ["read_table", "read_whole_table"]


def read_whole_table(
    sources: Sequence[str],
    table: str | None,
    others: Mapping[str, str],
    categories: Sequence[str] | None,
    ignore: Sequence[str] | None,
    reading: Reading,
) -> tuple[pa.Table, list[str]]:
    """Read a table from a file as `read_table` does; or from several files or a database.

    Also names the columns that were ignored.
    """
    if table is None and not is_large(sources):
        [source] = sources
        rows, ignored, _ = read_table(source, others, categories, ignore, reading)
        return rows, ignored
    refuse_standard_input(sources, table)
    from sorb.tables.duckdb_engine import open_engine

    with open_engine() as engine:
        found = open_large(sources, table, engine, reading)
        columns, ignored = _chosen_columns(found.columns, found.where, others, ignore)
        requested = [name for name in split_names(categories, found.columns) if name in columns]
        pieces = found.pieces(columns, CsvCells(as_text=requested))
        filled = [piece for piece in pieces if piece.num_rows]
    if not filled:
        raise ValueError(f"{found.where} has no rows")
    rows = pa.concat_tables(filled, promote_options="permissive")
    return _spell(rows, requested), ignored


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
        columns, ignored = _chosen_columns(file.columns, file.where, others, ignore)
        requested = [name for name in split_names(categories, file.columns) if name in columns]
        rows, unnamed = file.read(columns, as_text=requested), file.left_out
    frame = compute_dates(wrap_frame(rows), dates, others, file.where, reading.day_first)
    return _spell(frame.to_native(), requested), ignored, unnamed


def _chosen_columns(
    known: Sequence[str], where: str, others: Mapping[str, str], ignore: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Give the columns to read, and those to ignore; refuse names that are no columns."""
    for option, name in others.items():
        require_names([name], known, where, option)
    ignored = split_names(ignore, known)
    require_names(ignored, known, where, "--ignore")
    return [name for name in known if name not in {*ignored} - {*others.values()}], ignored


def _spell(rows: pa.Table, categories: Sequence[str]) -> pa.Table:
    """Write whole numbers among the texts of categories without ".0"."""
    codes = [name for name in categories if is_text(rows, name)]
    return replace_columns(rows, {name: drop_point_zero(rows[name]) for name in codes})
