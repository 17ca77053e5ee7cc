"""Rows that occur several times, with the same outcome or with another one."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log

import numpy as np

from sorb._types import Bool, Int
from sorb.checks.checked_table import CheckedTable
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed, percent
from sorb.rules import notation

__all__ = ["find_duplicates"]

# Fewer copies, or a smaller share of them, do no harm.
_FEWEST, _SHARE = 5, 0.01
# Copies are natural in a coarse table: more than so many times what chance would make are not.
_BEYOND_CHANCE = 10.0


def find_duplicates(table: CheckedTable) -> Iterator[Finding]:
    """Find copies of rows, beyond those that a coarse table must have."""
    if not table.columns or table.n_checked < 2:
        return
    group = table.copies
    sizes = np.bincount(group)
    n_copies = int((sizes - 1).sum())
    pairs = float((sizes * (sizes - 1.0) / 2).sum())
    least = max(_FEWEST, _SHARE * table.n_checked)
    if n_copies < least or pairs < _BEYOND_CHANCE * _chance_pairs(table):
        return
    rows = _first_of(table, group, sizes > 1)
    share = percent(n_copies / table.n_checked)
    yield Finding(
        "duplicates",
        Severity.look,
        f"{notation.count(n_copies, 'row')} ({share}) are copies of another row in all columns, "
        f"such as rows {listed(rows)}",
        "a model may be tested on what it was learned from, and copies count as more evidence than "
        "they are",
        "keep one of each, unless they are different cases that happen to be equal",
        rows=rows,
    )
    yield from _contradictions(table, group, least)


def _contradictions(table: CheckedTable, group: Int, least: float) -> Iterator[Finding]:
    outcome = table.outcome
    if outcome is None or outcome.classes is None:
        return
    n_classes = len(outcome.classes)
    cells = group * n_classes + outcome.y.astype(np.int64)
    counts = np.bincount(cells, minlength=(int(group.max()) + 1) * n_classes)
    wrong = counts.reshape(-1, n_classes)
    n_wrong = int((wrong.sum(axis=1) - wrong.max(axis=1)).sum())
    if n_wrong < least:
        return
    rows = _first_of(table, group, (wrong > 0).sum(axis=1) > 1)
    yield Finding(
        "contradictions",
        Severity.look,
        f"rows with the same values have different outcomes, such as rows {listed(rows)}: no model "
        f"can be right in more than {percent(1 - n_wrong / table.n_checked)} of the rows",
        "what looks like error of the model is in the table",
        "look for a column that tells these rows apart, or for mistakes in joining tables",
        rows=rows,
    )


def _first_of(table: CheckedTable, group: Int, wanted: Bool) -> tuple[int, ...]:
    """The rows of the first group that is wanted."""
    first = group[np.argmax(wanted[group])]
    return tuple(int(row) for row in table.places[group == first])


def _chance_pairs(table: CheckedTable) -> float:
    """How many pairs of rows would be equal if the columns knew nothing of each other."""
    log_pairs = 2 * log(table.n_checked) - log(2)
    for column in table.columns:
        _, counts = column.distinct
        shares = np.append(counts, len(column.values) - len(column.known)) / len(column.values)
        log_pairs += log(float((shares**2).sum()))
    return exp(min(log_pairs, 700.0))
