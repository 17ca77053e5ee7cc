"""The columns to learn from, and what the options say about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import typer

from sorb.cli.arguments import require_names, split_names, split_pairs
from sorb.cli.column_constraints import read_constraints
from sorb.cli.labelled_rows import LabelledRows
from sorb.tables.arrow import is_text
from sorb.tables.cells import MOST_CATEGORIES
from sorb.tables.number_texts import require_no_numbers
from sorb.tables.quoting import quote_argument

__all__ = ["FeatureColumns", "choose_feature_columns", "read_units", "text_options"]

# The values of options by name, as the user gave them.
Options: TypeAlias = Mapping[str, Sequence[str] | None]

AUTO = "auto"
# Beyond this, a float64 does not hold every whole number.
LARGEST_WHOLE = 2**53
# Why columns are left out.
DATES_HAVE_NO_UNIT = "dates and times have no unit to weigh them in"
IDENTIFIERS = f"whole numbers beyond {LARGEST_WHOLE} are taken for identifiers"


@dataclass(frozen=True, slots=True, eq=False)
class FeatureColumns:
    """The columns to learn from.

    Attributes
    ----------
    names : tuple of str
        Their names.
    parameters : dict
        The parameters of the estimator that concern them.
    left_out : dict from str to str
        Columns that no rule could use and that the user did not leave out, with the reason.
    """

    names: tuple[str, ...]
    parameters: dict[str, Any]
    left_out: dict[str, str]

    def also_without(self, columns: Mapping[str, str]) -> FeatureColumns:
        """Add columns that were left out before, with the reason."""
        return replace(self, left_out={**columns, **self.left_out})


def choose_feature_columns(
    rows: LabelledRows,
    whole: pa.Table,
    where: str,
    others: Sequence[str],
    ignored: Sequence[str],
    options: Options,
) -> FeatureColumns:
    """Choose the columns to learn from.

    Parameters
    ----------
    rows : LabelledRows
        The rows to learn from, which decide.
    whole : pyarrow.Table
        All rows of the file.
    where : str
        What to call the table in messages.
    others : sequence of str
        The columns of outcomes and weights.
    ignored : sequence of str
        The columns of the file that were not read, which the options may name all the same.
    options : mapping
        The values of the options about columns, such as ``--categories`` and ``--units``.
    """
    table = rows.table
    known = [*table.column_names, *ignored]
    categories = split_names(options.get("--categories"), known)
    require_names(categories, known, where, "--categories")
    present = [name for name in table.column_names if name not in others]
    left_out = dict(_unsuitable(rows, whole, [n for n in present if n not in categories]))
    columns = [name for name in present if name not in left_out]
    if not columns:
        raise ValueError(f"{where} has no column to learn from besides {', '.join(others)}")
    for name in columns:
        _require_finite(rows, name)
        _require_no_dates(table, name)
    parameters = {
        **_categorical(table, columns, categories),
        **_logarithms(rows, where, columns, left_out, options),
        **read_units(where, columns, known, options),
        **read_constraints(where, columns, known, options),
    }
    return FeatureColumns(tuple(columns), parameters, left_out)


def _categorical(table: pa.Table, columns: list[str], categories: list[str]) -> dict[str, Any]:
    if not categories:
        return {}
    named = [name for name in columns if name in categories or is_text(table, name)]
    return {"categorical_features": named}


def _logarithms(
    rows: LabelledRows,
    where: str,
    columns: list[str],
    left_out: Mapping[str, str],
    options: Options,
) -> dict[str, Any]:
    logarithms = split_names(options.get("--log-columns"), rows.table.column_names)
    if not logarithms:
        return {}
    if logarithms == [AUTO]:
        return {"log_columns": AUTO}
    for name in logarithms:
        if name in left_out:
            raise ValueError(f"column {name!r}, named in --log-columns: {left_out[name]}")
    require_names(logarithms, columns, where, "--log-columns")
    for name in logarithms:
        _require_positive(rows, name)
    return {"log_columns": logarithms}


def read_units(
    where: str, columns: Sequence[str], known: Sequence[str], options: Options
) -> dict[str, Any]:
    """Read the option ``--units`` as a parameter of the estimator."""
    units = split_pairs(options.get("--units"), "--units", "weight=kg", known)
    require_names(units, known, where, "--units")
    if not units:
        return {}
    for name, unit in units.items():
        if not unit.isprintable():
            raise typer.BadParameter(
                f"--units must be printable, found {unit!r} for column {name!r}"
            )
    return {"units": {name: unit for name, unit in units.items() if name in columns}}


def _unsuitable(
    rows: LabelledRows, whole: pa.Table, columns: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Find the columns that no rule could use, and say why."""
    table = rows.table
    for name in columns:
        kind = table.schema.field(name).type
        reason = None
        if pa.types.is_temporal(kind):
            reason = DATES_HAVE_NO_UNIT
        elif is_text(table, name):
            reason = _why_no_categories(table[name], whole[name], name)
        elif pa.types.is_integer(kind) or _is_whole_decimal(kind):
            reason = _why_no_quantities(table, name)
        if reason:
            yield name, reason


def _is_whole_decimal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(kind) and kind.scale == 0)


def text_options(name: str) -> str:
    """Name the options that say what to do with a column of texts, to be pasted into a command."""
    quoted = quote_argument(name)
    return f"--categories {quoted} or --ignore {quoted}"


def _why_no_categories(texts: pa.ChunkedArray, whole: pa.ChunkedArray, name: str) -> str | None:
    require_no_numbers(texts, name, text_options(name), [whole])
    count = pc.count_distinct(texts.cast(pa.string())).as_py()
    too_many = f"{count} different texts are too many for categories"
    return too_many if count > MOST_CATEGORIES else None


def _why_no_quantities(table: pa.Table, name: str) -> str | None:
    extremes = pc.min_max(table[name]).as_py().values()
    if any(value is not None and abs(value) > LARGEST_WHOLE for value in extremes):
        return IDENTIFIERS
    return None


def _require_finite(rows: LabelledRows, name: str) -> None:
    column = rows.table[name]
    row = pc.index(pc.is_inf(column), True).as_py() if pa.types.is_floating(column.type) else -1
    if row >= 0:
        raise ValueError(
            f"column {name!r} is infinite in row {rows.places[row]}: correct it, or empty it"
        )


def _require_no_dates(table: pa.Table, name: str) -> None:
    if pa.types.is_temporal(table.schema.field(name).type):
        raise ValueError(
            f"column {name!r}, named in --categories, holds dates or times: turn them into texts"
        )


def _require_positive(rows: LabelledRows, name: str) -> None:
    table = rows.table
    if is_text(table, name):
        raise ValueError(f"column {name!r}, named in --log-columns, holds texts, not numbers")
    row = pc.index(pc.less_equal(table[name].cast(pa.float64()), 0.0), True).as_py()
    if row >= 0:
        raise ValueError(
            f"column {name!r}, named in --log-columns, is {table[name][row]} in row "
            f"{rows.places[row]}: only positive numbers have a logarithm"
        )
