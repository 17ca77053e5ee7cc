"""Columns that say nothing: constant, or nearly empty."""

from __future__ import annotations

from collections.abc import Iterator

from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed, percent
from sorb.rules import notation

__all__ = ["find_empty_columns"]

# Known in fewer rows than this share, a column is nearly empty.
_KNOWN = 0.05


def find_empty_columns(table: CheckedTable) -> Iterator[Finding]:
    """Find columns with a single value, and those that are missing in nearly all rows."""
    if table.n_checked < 2:
        return
    constant, only_known, empty = [], [], []
    for column in table.columns:
        share = len(column.known) / table.n_checked
        if share in (0, 1) and len(column.distinct[0]) < 2:
            constant.append(column)
        elif len(column.distinct[0]) == 1:
            only_known.append(column)
        elif share < _KNOWN:
            empty.append(column)
    if constant:
        yield _constant(constant)
    if only_known:
        yield _only_known(only_known)
    if empty:
        yield _nearly_empty(empty, table.n_checked)


def _constant(columns: list[Column]) -> Finding:
    names = tuple(column.name for column in columns)
    what = f"{listed(names)} have the same value in all rows, or none"
    if len(columns) == 1:
        what = f"{listed(names)} is {_only_value(columns[0])} in all rows"
    return Finding(
        "constant", Severity.look, what, "no rule can use it",
        "leave it out, and see whether a join or a filter went wrong", names,
    )  # fmt: skip


def _only_known(columns: list[Column]) -> Finding:
    names = tuple(column.name for column in columns)
    what = f"{listed(names)} have a single value each where they are known"
    if len(columns) == 1:
        what = f"{listed(names)} is {_only_value(columns[0])} wherever it is known"
    return Finding(
        "constant", Severity.look, what, "all that rules can use is whether it is missing",
        "if an empty cell means no, write that; otherwise leave it out", names,
    )  # fmt: skip


def _nearly_empty(columns: list[Column], n_rows: int) -> Finding:
    names = tuple(column.name for column in columns)
    least = min(len(column.known) for column in columns)
    are = "is known" if len(names) == 1 else "are known"
    what = f"{listed(names)} {are} in few rows: {least} of {n_rows}, {percent(least / n_rows)}"
    return Finding(
        "nearly-empty", Severity.look, what,
        "rules on it rest on these rows, or on what made them known",
        "leave it out, unless being known means something by itself", names,
    )  # fmt: skip


def _only_value(column: Column) -> str:
    if not len(column.known):
        return "missing"
    value = float(column.known[0])
    if column.is_date:
        return "the same date"
    return (
        notation.number(value, None)
        if column.labels is None
        else notation.label(column.labels[int(value)])
    )
