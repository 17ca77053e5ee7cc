"""Values that probably mark missing ones: −99, 9999, "unknown"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sorb._types import Float, Int
from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.unusable_columns import is_nearly_numbers
from sorb.checks.wording import listed, missing_option
from sorb.rules import notation

__all__ = ["find_sentinels"]

# What people write for "unknown", "refused" and the like.
_MARK = re.compile(r"-1|-?(9+|8+|7+)|-?9+[78]|-6+")
_TEXTS = frozenset([
    "", "-", "--", "---", ".", "?", "#n/a", "n.a.", "n/a", "n/k", "na", "nan", "nil", "none",
    "null", "unk", "unknown", "not known", "not available", "not recorded", "no data", "missing",
    "undefined", "unspecified", "not specified",
])  # fmt: skip
# Fewer other values are codes, whose smallest or largest may well be −1 or 9.
_FEWEST_OTHERS = 5
# How often a mark must occur.
_FEWEST_ROWS = 2
# The gap between 0 and the other values, as a share of their range, that makes 0 suspicious.
_GAP_ABOVE_ZERO, _VALUES_ABOVE_ZERO = 0.2, 10
_EFFECT = (
    "it counts as a measurement: thresholds and weighted sums are about the mark, not the quantity"
)


def find_sentinels(table: CheckedTable) -> Iterator[Finding]:
    """Find marks of missing values among numbers, categories and classes."""
    for column in table.columns:
        if column.labels is not None:
            yield from _text_marks(table, column)
        elif column.is_number:
            yield from _number_marks(column)
    if table.outcome is not None and table.outcome.classes is not None:
        marks = _marks_among(table.outcome.classes)
        if marks:
            yield Finding(
                "sentinel",
                Severity.look,
                f"the outcome has the class {listed(marks)}, which may mean that it is not known",
                "the model learns to tell for whom the outcome was not recorded",
                "leave out these rows, if so, or empty the outcome there",
                classes=tuple(marks),
            )


def _number_marks(column: Column) -> Iterator[Finding]:
    values, counts = column.distinct
    found = _end_marks(values, counts)
    if not found:
        return
    marks = [value for value, _ in found]
    far = any(is_far for _, is_far in found)
    rows = int(counts[np.isin(values, marks)].sum())
    written = [notation.plain_number(value, None) for value in marks]
    rest = values[~np.isin(values, marks)]
    low, high = (notation.number(float(end), 4) for end in (rest[0], rest[-1]))
    shown = " and ".join(notation.number(value, None) for value in marks)
    name = notation.name(column.name)
    yield Finding(
        "sentinel",
        Severity.serious if far else Severity.look,
        f"{name} is {shown} in {notation.count(rows, 'row')}, and from {low} to {high} otherwise",
        _EFFECT,
        _mark_as_missing(column.name, written),
        (column.name,),
    )


def _end_marks(values: Float, counts: Int) -> list[tuple[float, bool]]:
    """The smallest and largest values that look like marks, and whether each is far from others."""
    found: list[tuple[float, bool]] = []
    low, high = 0, len(values)
    while high - low > 1:
        for place, rest in ((low, slice(low + 1, high)), (high - 1, slice(low, high - 1))):
            far = _is_mark(float(values[place]), int(counts[place]), values[rest], counts[rest])
            if far is not None:
                found.append((float(values[place]), far))
                low, high = rest.start, rest.stop
                break
        else:
            break
    return found


def _is_mark(value: float, count: int, others: Float, counts: Int) -> bool | None:
    """Whether a value at an end marks missing ones: True if it is far away, None if it does not."""
    if count < _FEWEST_ROWS or len(others) < 2:
        return None
    width = float(others[-1] - others[0])
    gap = float(max(others[0] - value, value - others[-1]))
    if value == 0:
        # Where most values are 0, as in discounts and amounts, 0 is one of them.
        few = count < counts.sum()
        enough = few and len(others) >= _VALUES_ABOVE_ZERO and others[0] > 0
        return False if enough and gap >= _GAP_ABOVE_ZERO * width else None
    if not value.is_integer() or not _MARK.fullmatch(str(int(value))):
        return None
    if gap > width:
        return len(others) >= _FEWEST_OTHERS
    alone = value < 0 <= others[0] and len(others) >= _FEWEST_OTHERS
    # Where it is one of many neighbouring values, it must be unusually frequent.
    return False if alone and count > 2 * float(np.median(counts)) else None


def _text_marks(table: CheckedTable, column: Column) -> Iterator[Finding]:
    marks = _marks_among(column.labels or ())
    if not marks or len(marks) == len(column.labels or ()) or is_nearly_numbers(table, column):
        return
    codes = [(column.labels or ()).index(mark) for mark in marks]
    rows = int(np.isin(column.known, codes).sum())
    name = notation.name(column.name)
    yield Finding(
        "sentinel",
        Severity.look,
        f"{name} is {' or '.join(map(repr, marks))} in {notation.count(rows, 'row')}",
        "it counts as a category of its own, which is right only if it means something",
        _mark_as_missing(column.name, marks),
        (column.name,),
        tuple(marks),
    )


def _marks_among(labels: Sequence[Any]) -> list[str]:
    return [
        label for label in labels if isinstance(label, str) and label.strip().casefold() in _TEXTS
    ]


def _mark_as_missing(name: str, marks: Sequence[str]) -> str:
    return f"if it means that the value is not known, say so: {missing_option(name, marks)}"
