"""Columns of texts and dates that no rule could use: fit leaves them out, or refuses the table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import missing_option
from sorb.rules import notation
from sorb.tables.column_policy import HowTo, bad_numbers
from sorb.tables.quoting import quote_argument
from sorb.tables.text_kinds import TextKind, Texts, recognise_texts

__all__ = ["find_unusable_columns", "is_nearly_numbers"]

_REFUSED = "fit refuses such a table, as a mistake in the data is better mended"
_LEFT_OUT = "it is left out, as {}"


def find_unusable_columns(table: CheckedTable) -> Iterator[Finding]:
    """Find texts that are nearly numbers, that are dates, or too many for categories."""
    for column in table.columns:
        if column.is_date:
            yield _dates(column, "")
        elif column.labels is not None and not column.is_declared:
            yield from _odd_texts(table, column)


def is_nearly_numbers(table: CheckedTable, column: Column) -> bool:
    """Whether a column holds texts that fit refuses, as they are nearly numbers."""
    texts = None if column.is_declared else _texts(table, column)
    return texts is not None and texts.kind.is_nearly_numbers


def _texts(table: CheckedTable, column: Column) -> Texts | None:
    assert column.labels is not None
    codes, counts = column.distinct
    labels = [column.labels[int(code)] for code in codes]
    if not any(isinstance(label, str) for label in labels):
        return None
    return recognise_texts(list(map(str, labels)), counts.sum(), whole=not table.sampled)


def _odd_texts(table: CheckedTable, column: Column) -> Iterator[Finding]:
    assert column.labels is not None
    found = _texts(table, column)
    if found is None:
        return
    if found.kind is TextKind.DATES:
        yield _dates(column, f", such as {found.example!r}")
    elif found.kind is TextKind.TOO_MANY:
        yield Finding(
            "left-out",
            Severity.look,
            f"{notation.name(column.name)} holds {found.count} different texts, such as "
            f"{found.example!r}",
            _LEFT_OUT.format("these are too many for categories"),
            f"join those that mean nearly the same; or {_how_to(column.name).keep}",
            (column.name,),
        )
    elif found.kind.is_nearly_numbers:
        codes, _ = column.distinct
        shown = codes[[found.shows(str(column.labels[int(code)])) for code in codes]]
        place = int(np.flatnonzero(np.isin(column.values, shown))[0])
        row, value = int(table.places[place]), column.labels[int(column.values[place])]
        what, advice = bad_numbers(found, value, f" in row {row}", _how_to(column.name))
        yield Finding(
            "bad-numbers",
            Severity.serious,
            f"{notation.name(column.name)} {what}",
            _REFUSED,
            advice,
            (column.name,),
            (value,) if found.kind is TextKind.STRAY else (),
            rows=(row,),
        )


def _dates(column: Column, such: str) -> Finding:
    return Finding(
        "left-out",
        Severity.look,
        f"{notation.name(column.name)} holds dates or times{such}",
        _LEFT_OUT.format("these have no unit to weigh them in"),
        _how_to(column.name).use_dates,
        (column.name,),
    )


def _how_to(name: str) -> HowTo:
    """How to say what a column holds, on the command line and in Python."""
    categories = (
        f"if these are categories, say so: --categories {quote_argument(name)} on the command "
        "line, categorical_features in Python"
    )
    return HowTo(
        "make numbers of them, such as the year or the days since a day: --dates "
        f"{quote_argument(f'{name}=year,month')} on the command line, sorb.date_columns in Python",
        categories,
        "write a decimal point (or use --decimal comma on the command line)",
        f"; {categories}",
        lambda text: f": {missing_option(name, [text])}",
    )
