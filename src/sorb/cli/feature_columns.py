"""The columns to learn from, and what the options say about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import typer

from sorb._types import Float
from sorb.cli.arguments import require_names, split_names, split_pairs
from sorb.cli.column_constraints import read_constraints
from sorb.cli.labelled_rows import LabelledRows
from sorb.tables.arrow import is_text
from sorb.tables.column_policy import (
    LARGEST_WHOLE,
    HowTo,
    describe_bad_numbers,
    why_dates_are_left_out,
    why_identifiers_are_left_out,
    why_texts_are_left_out,
    write_date,
)
from sorb.tables.quoting import quote_argument, quote_marks
from sorb.tables.text_kinds import Texts, recognise_texts
from sorb.tables.weights import copy_counts

__all__ = [
    "AS_CLASSES",
    "FeatureColumns",
    "choose_feature_columns",
    "count_texts",
    "how_to",
    "read_units",
    "require_columns",
    "require_no_numbers",
]

# The values of options by name, as the user gave them.
Options: TypeAlias = Mapping[str, Sequence[str] | None]

AUTO = "auto"
# How to say that outcomes are classes.
AS_CLASSES = HowTo("", "", "use --decimal comma", ", or use --task classification")


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
    require_columns(columns, left_out, where, others)
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


def require_columns(
    columns: Sequence[str], left_out: Mapping[str, str], where: str, others: Sequence[str]
) -> None:
    """Refuse a table without any column to learn from."""
    if not columns:
        reasons = "".join(f"; column {name!r}: {reason}" for name, reason in left_out.items())
        raise ValueError(
            f"{where} has no column to learn from besides {', '.join(others)}{reasons}"
        )


def _categorical(table: pa.Table, columns: list[str], categories: list[str]) -> dict[str, Any]:
    """Name the columns of categories, as the training rows alone might look like other ones."""
    named = [name for name in columns if name in categories or is_text(table, name)]
    return {"categorical_features": named} if named else {}


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
    """Find the columns that no rule could use, and say why; refuse what is nearly numbers."""
    table = rows.table
    copies = copy_counts(rows.weight)
    for name in columns:
        kind = table.schema.field(name).type
        reason = None
        if pa.types.is_temporal(kind):
            reason = why_dates_are_left_out(_first_date(table[name]), how_to(name))
        elif is_text(table, name) and not pa.types.is_dictionary(kind):
            rows_of = count_texts(table[name], copies)
            texts = require_no_numbers(rows_of, whole[name], name, how_to(name))
            reason = why_texts_are_left_out(texts, sum(rows_of.values()), how_to(name))
        elif pa.types.is_integer(kind) or _is_whole_decimal(kind):
            reason = _why_no_quantities(table, name)
        if reason:
            yield name, reason


def _first_date(column: pa.ChunkedArray) -> str | None:
    """Write the first date or time, if it can be written."""
    try:
        return write_date(pc.min(column).as_py())
    except (pa.ArrowException, OverflowError, ValueError, KeyError):
        return None


def _is_whole_decimal(kind: pa.DataType) -> bool:
    return bool(pa.types.is_decimal(kind) and kind.scale == 0)


def how_to(name: str) -> HowTo:
    """How to say on the command line what a column holds, to be pasted into a command."""
    quoted = quote_argument(name)
    return HowTo(
        f"--dates {quote_argument(f'{name}=year,month')} makes numbers of them",
        f"use --categories {quoted}",
        "use --decimal comma",
        f", or use --categories {quoted} or --ignore {quoted}",
        lambda text: (
            f" ({quote_marks(name, [text])}, or for all columns --missing {quote_argument(text)})"
        ),
    )


def count_texts(column: pa.ChunkedArray, copies: Float) -> dict[str, float]:
    """Count the rows of each text, copies as well.

    Examples
    --------
    >>> import numpy as np
    >>> count_texts(pa.chunked_array([["a", None, "b", "a"]]), np.ones(4))
    {'a': 2.0, 'b': 1.0}
    """
    texts = pa.table({"text": column.cast(pa.string()), "n": copies})
    found = texts.group_by("text").aggregate([("n", "sum")]).to_pydict()
    pairs = zip(found["text"], found["n_sum"], strict=True)
    return {text: n for text, n in pairs if text is not None}


def require_no_numbers(
    rows: Mapping[str, float], whole: pa.ChunkedArray, name: str, how: HowTo
) -> Texts:
    """Recognise texts, given the rows of each; refuse what is nearly numbers, in the whole file."""
    texts = recognise_texts(list(rows), sum(rows.values()))
    if texts.kind.is_nearly_numbers:
        shows = pa.array([text for text in rows if texts.shows(text)], pa.string())
        row = pc.index(pc.is_in(whole.cast(pa.string()), shows), True).as_py()
        what = describe_bad_numbers(texts, whole[row].as_py(), f" in row {row}", how)
        raise ValueError(f"column {name!r} {what}")
    return texts


def _why_no_quantities(table: pa.Table, name: str) -> str | None:
    extremes = pc.min_max(table[name]).as_py().values()
    beyond = [int(value) for value in extremes if value is not None and abs(value) > LARGEST_WHOLE]
    return why_identifiers_are_left_out(beyond[0]) if beyond else None


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
