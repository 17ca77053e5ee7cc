"""The columns of a lazy frame to learn from, and what the options say about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw

from sorb.cli.arguments import require_names, split_names
from sorb.cli.asked_table import AskedTable, count_beyond, is_whole
from sorb.cli.column_constraints import read_constraints
from sorb.cli.feature_columns import (
    AUTO,
    DATES_HAVE_NO_UNIT,
    IDENTIFIERS,
    FeatureColumns,
    Options,
    read_units,
    text_options,
)
from sorb.cli.lazy_texts import TEXTS, check_texts
from sorb.tables.cells import MOST_CATEGORIES
from sorb.tables.lazy import ask
from sorb.tables.quoting import quote_argument

__all__ = ["choose_lazy_columns", "require_known_types"]


def choose_lazy_columns(
    table: AskedTable, others: Sequence[str], ignored: Sequence[str], options: Options
) -> FeatureColumns:
    """Choose the columns to learn from, as `choose_feature_columns` does for a table in memory.

    Parameters
    ----------
    table : AskedTable
        The rows.
    others : sequence of str
        The columns of outcomes and weights.
    ignored : sequence of str
        The columns that are not in the table, which the options may name all the same.
    options : mapping
        The values of the options about columns, such as ``--categories`` and ``--units``.
    """
    types, where = table.cells.types, table.source.where
    known = [*types, *ignored]
    categories = split_names(options["--categories"], known)
    require_names(categories, known, where, "--categories")
    present = [name for name in types if name not in others]
    left_out = dict(_unsuitable(table, [name for name in present if name not in categories]))
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
    parameters |= read_constraints(where, columns, known, options)
    return FeatureColumns(tuple(columns), parameters, left_out)


def require_known_types(types: Mapping[str, Any], others: Collection[str], where: str) -> None:
    """Refuse columns of other types than text, number or date; `others` cannot be left out."""
    for name, dtype in types.items():
        if dtype.is_numeric() or dtype.is_temporal() or dtype in (nw.Boolean, *TEXTS):
            continue
        kind = "another type" if dtype == nw.Unknown else f"the type {dtype}"
        advice = "" if name in others else f"; --ignore {quote_argument(name)} leaves it out"
        raise ValueError(
            f"{where}, column {name!r}: expected numbers, texts or dates, found {kind}{advice}"
        )


def _unsuitable(table: AskedTable, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Find the columns that no rule could use, and say why."""
    types = table.cells.types
    identifiers = _beyond(table, [name for name in columns if is_whole(types[name])])
    for name in columns:
        if types[name].is_temporal():
            yield name, DATES_HAVE_NO_UNIT
        elif types[name] in TEXTS and check_texts(table, name, text_options(name)):
            yield name, f"more than {MOST_CATEGORIES} different texts are too many for categories"
        elif name in identifiers:
            yield name, IDENTIFIERS


def _beyond(table: AskedTable, columns: Sequence[str]) -> set[str]:
    """Find the columns with whole numbers that a float does not hold."""
    if not columns:
        return set()
    asked = {name: count_beyond(name) for name in columns}
    found = ask(table.frame, "look for identifiers", asked)
    return {name for name in columns if found[name]}
