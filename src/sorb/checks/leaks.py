"""Columns that tell the outcome almost alone, by their values or by being missing."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np

from sorb._types import Bool
from sorb.checks.checked_table import CheckedTable, Column, Outcome
from sorb.checks.finding import Finding, Severity
from sorb.checks.spellings import join_spellings
from sorb.checks.univariate import Told, group_means, measure, told_by
from sorb.checks.wording import option, percent
from sorb.rules import notation

__all__ = ["find_leaks"]

# The share of the variance of the outcome that is nearly all of it, and that is worth a look.
_ALL, _MOST = 0.98, 0.9
# Chance must be less likely than this, for all columns together.
_LOG_CHANCE = log(1e-4)
# A side of a column, known or missing, that has only one class: at least so many rows, and
# serious if it holds this share of the class.
_FEWEST, _MUCH_OF_CLASS = 10, 0.5
_EFFECT = (
    "if it is recorded after the outcome, or because of it, the model looks excellent here and "
    "fails where the outcome is not yet known"
)


def find_leaks(table: CheckedTable) -> Iterator[Finding]:
    """Find columns that tell the outcome almost alone."""
    if table.outcome is None:
        return
    outcome = join_spellings(table.outcome)
    if not outcome.varies:
        return
    unlikely = _LOG_CHANCE - log(max(len(table.columns), 1))
    for column in table.columns:
        missing = np.isnan(column.values)
        mixed = bool(missing.any()) and not missing.all()
        found = _by_being_missing(column, missing, outcome, unlikely) if mixed else None
        found = found or _by_value(column, outcome, table.half, unlikely)
        if found is not None:
            yield found


def _by_value(column: Column, outcome: Outcome, half: Bool, unlikely: float) -> Finding | None:
    told = told_by(column, outcome, half)
    if told.share < _MOST or told.log_chance > unlikely:
        return None
    name = notation.name(column.name)
    return Finding(
        "leak",
        Severity.serious if told.share >= _ALL else Severity.look,
        f"{name} tells the outcome almost alone: {_how_much(told, outcome)}",
        f"{_EFFECT}; a real measurement is seldom this good",
        f"find out when {name} is recorded: unless that is before the outcome, leave it out "
        f"({option([column.name])})",
        (column.name,),
    )


def _by_being_missing(
    column: Column, missing: Bool, outcome: Outcome, unlikely: float
) -> Finding | None:
    groups = missing.astype(np.intp)
    told = measure(group_means(groups, outcome.targets), outcome)
    name = notation.name(column.name)
    if told.share >= _MOST and told.log_chance <= unlikely:
        what = f"whether {name} is missing tells the outcome: {_how_much(told, outcome)}"
        severity = Severity.serious
    else:
        pure = _pure_side(missing, outcome, unlikely)
        if pure is None:
            return None
        side, n_rows, code, of_class = pure
        assert outcome.classes is not None
        label = notation.label(outcome.classes[code])
        what = (
            f"{name} is {side} in {notation.count(n_rows, 'row')}, all of them of the class {label}"
        )
        severity = Severity.serious if of_class >= _MUCH_OF_CLASS else Severity.look
    return Finding(
        "missing-leak",
        severity,
        what,
        f"it seems to be recorded for some outcomes only; {_EFFECT}",
        f"leave it out ({option([column.name])}), unless it is missing or known before the outcome",
        (column.name,),
    )


def _pure_side(
    missing: Bool, outcome: Outcome, unlikely: float
) -> tuple[str, int, int, float] | None:
    """The rows where a column is known, or missing, if all are of one class, beyond chance."""
    if outcome.classes is None:
        return None
    for side, rows in (("known", ~missing), ("missing", missing)):
        y = outcome.y[rows]
        code = int(y[0])
        share = float((outcome.y == code).mean())
        if len(y) < _FEWEST or (y != code).any() or len(y) * log(share) > unlikely:
            continue
        return side, len(y), code, len(y) / (share * len(outcome.y))
    return None


def _how_much(told: Told, outcome: Outcome) -> str:
    if told.right is None:
        return f"it explains {percent(told.share)} of the variance of its ranks"
    counts = np.bincount(outcome.y.astype(np.intp))
    usual = float(counts.max() / counts.sum())
    return (
        f"it gives the right class in {percent(told.right)} of the rows, where the most frequent "
        f"class is right in {percent(usual)}"
    )
