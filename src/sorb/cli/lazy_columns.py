"""The columns of a lazy frame to learn from, and what the options say about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw

from sorb.cli.arguments import require_names, split_names
from sorb.cli.feature_columns import (
    AUTO,
    DATES_HAVE_NO_UNIT,
    IDENTIFIERS,
    LARGEST_WHOLE,
    FeatureColumns,
    Options,
    read_units,
)
from sorb.cli.lazy_texts import TEXTS, check_texts
from sorb.tables.cells import MOST_CATEGORIES
from sorb.tables.expressions import Columns
from sorb.tables.large_table import LargeTable
from sorb.tables.lazy import ask, count_outside
from sorb.tables.row_keys import Range

__all__ = ["choose_lazy_columns"]


def choose_lazy_columns(
    frame: nw.LazyFrame[Any],
    cells: Columns,
    source: LargeTable,
    others: Sequence[str],
    ignored: Sequence[str],
    options: Options,
) -> FeatureColumns:
    """Choose the columns to learn from, as `choose_feature_columns` does for a table in memory.

    Parameters
    ----------
    frame : LazyFrame
        The rows.
    cells : Columns
        Its columns as expressions.
    source : LargeTable
        Where the rows come from.
    others : sequence of str
        The columns of outcomes and weights.
    ignored : sequence of str
        The columns that are not in the frame, which the options may name all the same.
    options : mapping
        The values of the options ``--categories``, ``--log-columns`` and ``--units``.
    """
    types, where = cells.types, source.where
    known = [*types, *ignored]
    categories = split_names(options["--categories"], known)
    require_names(categories, known, where, "--categories")
    present = [name for name in types if name not in others]
    left_out = dict(_unsuitable(frame, cells, source, [n for n in present if n not in categories]))
    columns = [name for name in present if name not in left_out]
    if not columns:
        raise ValueError(f"{where} has no column to learn from besides {', '.join(others)}")
    parameters: dict[str, Any] = {}
    if categories:
        named = [n for n in columns if n in categories or types[n] in TEXTS]
        parameters["categorical_features"] = named
    logarithms = split_names(options["--log-columns"], known)
    if logarithms and logarithms != [AUTO]:
        require_names(logarithms, columns, where, "--log-columns")
    if logarithms:
        parameters["log_columns"] = AUTO if logarithms == [AUTO] else logarithms
    parameters |= read_units(where, columns, known, options)
    return FeatureColumns(tuple(columns), parameters, left_out)


def _unsuitable(
    frame: nw.LazyFrame[Any], cells: Columns, source: LargeTable, columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Find the columns that no rule could use, and say why."""
    types = cells.types
    wide = [name for name in columns if types[name] in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)]
    identifiers = _beyond(frame, cells, wide)
    for name in columns:
        if types[name].is_temporal():
            yield name, DATES_HAVE_NO_UNIT
        elif types[name] in TEXTS and check_texts(
            frame, cells, source, name, f"--categories {name} or --ignore {name}"
        ):
            yield name, f"more than {MOST_CATEGORIES} different texts are too many for categories"
        elif name in identifiers:
            yield name, IDENTIFIERS


def _beyond(frame: nw.LazyFrame[Any], cells: Columns, columns: Sequence[str]) -> set[str]:
    """Find the columns with whole numbers that a float does not hold."""
    if not columns:
        return set()
    largest = Range(-LARGEST_WHOLE, LARGEST_WHOLE, 0.0)
    asked = {name: count_outside(cells.number(name), largest) for name in columns}
    found = ask(frame, "look for identifiers", asked)
    return {name for name in columns if found[name]}
