"""The columns of a lazy frame to learn from, and what the options say about them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import narwhals as nw

from sorb.cli.arguments import require_names, split_names
from sorb.cli.asked_table import AskedTable
from sorb.cli.column_constraints import read_constraints
from sorb.cli.feature_columns import (
    AUTO,
    FeatureColumns,
    Options,
    how_to,
    read_units,
    require_columns,
)
from sorb.tables.lazy_left_out import find_left_out
from sorb.tables.quoting import quote_argument

__all__ = ["TEXTS", "choose_lazy_columns", "require_known_types"]

TEXTS = (nw.String, nw.Categorical, nw.Enum)


def choose_lazy_columns(
    table: AskedTable,
    others: Sequence[str],
    ignored: Sequence[str],
    weight: str | None,
    options: Options,
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
    weight : str, optional
        The column of weights.
    options : mapping
        The values of the options about columns, such as ``--categories`` and ``--units``.
    """
    types, where = table.cells.types, table.source.where
    known = [*types, *ignored]
    categories = split_names(options["--categories"], known)
    require_names(categories, known, where, "--categories")
    present = [name for name in types if name not in others]
    undeclared = [name for name in present if name not in categories]
    left_out = find_left_out(table.frame, table.cells, undeclared, weight, how_to, table.locate)
    columns = [name for name in present if name not in left_out]
    require_columns(columns, left_out, where, others)
    parameters: dict[str, Any] = {}
    if named := [name for name in columns if name in categories or types[name] in TEXTS]:
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
