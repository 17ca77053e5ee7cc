"""Columns of data frames whose types do not say that they hold categories: what they hold."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from sorb._types import Bool, Float
from sorb.rules import Label
from sorb.rules.numbers import is_missing
from sorb.tables import cells
from sorb.tables.cells import Coded, Column
from sorb.tables.column_policy import (
    IN_PYTHON,
    LARGEST_WHOLE,
    describe_bad_numbers,
    is_whole,
    why_dates_are_left_out,
    why_identifiers_are_left_out,
    why_texts_are_left_out,
    write_date,
)
from sorb.tables.text_kinds import recognise_texts

__all__ = ["read_column", "why_left_out"]

# Numbers, or the codes of categories and these.
Read: TypeAlias = "tuple[Float, tuple[Label, ...] | None]"


def read_column(column: Column, name: str, copies: Float, texts_are_categories: bool) -> Read | str:
    """Read a column as numbers or categories, or say why it is left out; refuse anything else.

    `copies` says how many copies each row stands for, 0 if it does not count.
    """
    if cells.holds_dates(column):
        return why_dates_are_left_out(_example(column), IN_PYTHON)
    if cells.is_text(column):
        coded = cells.categories(column, name)
        reason = why_left_out(column, name, coded, copies)
        if reason or texts_are_categories:
            return reason or coded
    elif is_whole(column.dtype):
        present = column if copies.all() else column.filter((copies > 0).tolist())
        extremes = (value for value in (present.min(), present.max()) if not is_missing(value))
        beyond = [int(value) for value in extremes if abs(int(value)) > LARGEST_WHOLE]
        if beyond:
            return why_identifiers_are_left_out(beyond[0])
    return cells.numbers(column, name), None


def why_left_out(column: Column, name: str, coded: Coded, copies: Float) -> str | None:
    """Say why texts are left out, None if they are categories; refuse what is nearly a number."""
    codes, labels = coded
    known = ~np.isnan(codes)
    counts = np.bincount(codes[known].astype(np.intp), copies[known], len(labels))
    texts = [str(label) for label in labels]
    present = [text for text, count in zip(texts, counts, strict=True) if count]
    found = recognise_texts(present, counts.sum())
    if found.kind.is_nearly_numbers:
        row = _first_row(codes, np.array([found.shows(text) for text in texts], bool), copies)
        raise ValueError(
            f"column {name!r} "
            + describe_bad_numbers(found, column[row], f" in row {row}", IN_PYTHON)
        )
    return why_texts_are_left_out(found, counts.sum(), IN_PYTHON)


def _first_row(codes: Float, chosen: Bool, copies: Float) -> int:
    """The first row that counts whose category is one of those chosen."""
    return int(np.flatnonzero(np.isin(codes, np.flatnonzero(chosen)) & (copies > 0))[0])


def _example(column: Column) -> str | None:
    """Write the first date or time, if it can be written."""
    try:
        known = [value for value in column.drop_nulls().to_list() if not is_missing(value)]
        return write_date(min(known))
    except (TypeError, ValueError, OverflowError):
        return None
