"""Columns that number the rows, or tell each row from all others."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from sorb._types import Float
from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.unusable_columns import is_nearly_numbers
from sorb.checks.wording import option
from sorb.rules import notation

__all__ = ["find_ids"]

_FEWEST_ROWS = 20
# So many pairs of equal numbers are expected by chance: there is no chance of none.
_PAIRS = 10.0
# Whole numbers of so many digits each, all different, look like codes.
_CODE_DIGITS = 8
# Texts of which so many are different are names or codes.
_DIFFERENT_TEXTS = 0.95
_NAME = re.compile(r"(?i)(^|[\W_])(id|ids|index|key|nr|uuid|guid|serial|rownum)$|^unnamed")


def find_ids(table: CheckedTable) -> Iterator[Finding]:
    """Find columns that number the rows, and those whose values are all different."""
    for column in table.columns:
        if len(column.known) < _FEWEST_ROWS or column.is_date:
            continue
        if column.labels is not None:
            yield from _different_texts(table, column)
        elif len(column.known) == len(column.values):
            yield from _numbered(column)


def _numbered(column: Column) -> Iterator[Finding]:
    steps = np.diff(column.values)
    if not len(steps) or not ((steps > 0).all() or (steps < 0).all()):
        yield from _different_numbers(column)
        return
    constant = np.ptp(steps) <= 1e-9 * abs(float(steps.mean()))
    if not (constant or column.is_whole):
        return
    name, direction = notation.name(column.name), "up" if steps[0] > 0 else "down"
    if constant:
        how = f"by {notation.number(abs(float(steps[0])), 4)} from row to row"
    else:
        how = "in whole steps from row to row"
    is_number = constant or _expected_pairs(column.values) >= _PAIRS
    yield Finding(
        "row-number",
        Severity.serious if is_number else Severity.look,
        f"{name} numbers the rows: it goes {direction} {how}",
        "a rule on it tells early rows from late ones, and nothing about new rows",
        f"leave it out ({option([column.name])}); if it stands for time, see whether the outcome "
        "changes with it",
        (column.name,),
    )


def _different_numbers(column: Column) -> Iterator[Finding]:
    values, counts = column.distinct
    if not column.is_whole or counts.max() > 1:
        return
    pairs = _expected_pairs(values)
    if pairs >= _PAIRS:
        low, high = (notation.number(float(end), None) for end in (values[0], values[-1]))
        reason = f"between {low} and {high}, where chance would repeat some {round(pairs)} times"
        yield _id(column, Severity.serious, f"is a different whole number in each row, {reason}")
    elif values[0] >= 10 ** (_CODE_DIGITS - 1) and len(str(int(values[0]))) == len(
        str(int(values[-1]))
    ):
        digits = len(str(int(values[0])))
        yield _id(column, Severity.look, f"is a different number of {digits} digits in each row")
    elif _NAME.search(column.name):
        yield _id(
            column, Severity.look, "is a different whole number in each row, and named like an id"
        )


def _different_texts(table: CheckedTable, column: Column) -> Iterator[Finding]:
    n_different, n_rows = len(column.distinct[0]), len(column.known)
    if n_different < _DIFFERENT_TEXTS * n_rows or is_nearly_numbers(table, column):
        return
    what = f"holds {n_different} different texts in {n_rows} rows"
    if n_different == n_rows:
        what = f"is a different text in each of {n_rows} rows"
    yield _id(column, Severity.serious, what)


def _id(column: Column, severity: Severity, what: str) -> Finding:
    return Finding(
        "id",
        severity,
        f"{notation.name(column.name)} {what}",
        "a rule on it names the rows that it was learned from, and is luck for all others",
        f"leave it out ({option([column.name])})",
        (column.name,),
    )


def _expected_pairs(values: Float) -> float:
    """How many pairs would be equal, if numbers were drawn evenly from their range.

    Any other distribution would repeat more of them.
    """
    whole = values.astype(np.float64)
    unit = _common_unit(whole)
    places = (float(whole.max()) - float(whole.min())) / unit + 1
    return len(whole) * (len(whole) - 1) / (2 * places)


def _common_unit(whole: Float) -> float:
    """The largest number that all differences are multiples of."""
    if abs(whole).max() > 2**53:
        return 1.0
    return float(max(1, np.gcd.reduce(np.diff(np.sort(whole)).astype(np.int64))))
