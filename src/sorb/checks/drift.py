"""Outcomes and columns that change along the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
from scipy.stats import f as f_distribution
from scipy.stats import rankdata

from sorb._types import Float, Int
from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.repeats import repeated_column
from sorb.checks.wording import listed, percent

__all__ = ["find_drift"]

_BLOCKS, _FEWEST_ROWS = 10, 60
# The share of the variance between blocks of rows that is worth a look, and that sorting makes.
_WORTH_A_LOOK, _SORTED = 0.1, 0.8
_LOG_CHANCE = log(1e-5)
# Columns with more categories say little about blocks.
_MOST_CATEGORIES = 20


def find_drift(table: CheckedTable) -> Iterator[Finding]:
    """Find an outcome that changes along the rows or else, since these follow it, columns."""
    rows, columns = _independent(table)
    if len(rows) < _FEWEST_ROWS:
        return
    block = np.arange(len(rows)) * _BLOCKS // len(rows)
    unlikely = _LOG_CHANCE - log(len(columns) + 1)
    outcome = None if table.outcome is None else table.outcome.take(rows)
    if outcome is not None and outcome.varies:
        share = _between(outcome.targets, block, unlikely)
        if share >= _WORTH_A_LOOK:
            yield _drift_of_outcome(share)
            return
    shares = [(_of_column(column, block, unlikely), column.name) for column in columns]
    drifting = sorted((pair for pair in shares if pair[0] >= _WORTH_A_LOOK), reverse=True)
    if drifting:
        yield _drift_of_columns([name for _, name in drifting], drifting[0][0])


def _independent(table: CheckedTable) -> tuple[Int, list[Column]]:
    """One row of each patient, without the number of the patient; all of them if none recurs.

    A few patients who are in a block with all their visits would look like a change.
    """
    repeated = repeated_column(table)
    if repeated is None:
        return np.arange(table.n_checked), list(table.columns)
    whose, _ = repeated
    rows = np.sort(np.unique(whose.values, return_index=True)[1])
    return rows, [column.take(rows) for column in table.columns if column is not whose]


def _drift_of_outcome(share: float) -> Finding:
    what = (
        "the rows are sorted by the outcome"
        if share >= _SORTED
        else "the outcome changes along the order of the rows, which explains "
        f"{percent(share)} of it"
    )
    return Finding(
        "drift",
        Severity.look,
        what,
        "splits that do not shuffle, such as KFold(), see other outcomes in training than in "
        "testing; if the order is time, rows drawn at random flatter the model",
        "shuffle if the file was merely sorted; if the order is time, test on the last rows",
    )


def _drift_of_columns(names: list[str], share: float) -> Finding:
    verb = "changes" if len(names) == 1 else "change"
    return Finding(
        "drift",
        Severity.look,
        f"{listed(names)} {verb} along the order of the rows, which explains up to "
        f"{percent(share)} of the variance",
        "if the order is time, later rows differ from those that the model was learned from, and "
        "test rows drawn at random do not show it",
        "if the order is time, test on the last rows; if the file is merely sorted, nothing is "
        "wrong",
        tuple(names),
    )


def _of_column(column: Column, block: Int, unlikely: float) -> float:
    known = ~np.isnan(column.values)
    values = column.values[known]
    if known.sum() < _FEWEST_ROWS or (values == values[0]).all():
        return 0.0
    steps = np.diff(values)
    if (steps > 0).all() or (steps < 0).all():  # it numbers the rows
        return 0.0
    if column.labels is None:
        targets = rankdata(values)[:, None]
    elif len(column.labels) <= _MOST_CATEGORIES:
        targets = (values[:, None] == np.arange(len(column.labels))).astype(np.float64)
    else:
        return 0.0
    return _between(targets, block[known], unlikely)


def _between(targets: Float, block: Int, unlikely: float) -> float:
    """The share of the variance between blocks; 0 if chance could make it."""
    count = np.bincount(block, minlength=_BLOCKS)
    present = count > 0
    total = float(((targets - targets.mean(axis=0)) ** 2).sum())
    sums = np.column_stack([np.bincount(block, t, _BLOCKS) for t in targets.T])[present]
    means = sums / count[present, None] - targets.mean(axis=0)
    share = float((means**2 * count[present, None]).sum()) / total
    between, within = int(present.sum()) - 1, len(block) - int(present.sum())
    if between < 1 or within < 1:
        return 0.0
    ratio = (share / between) / max((1 - share) / within, 1e-300)
    return share if f_distribution.logsf(ratio, between, within) < unlikely else 0.0
