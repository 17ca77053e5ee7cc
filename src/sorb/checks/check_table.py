"""Ask all checks about a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from sorb._types import Float, Int
from sorb.checks.checked_table import CheckedTable, Column, Outcome, Size
from sorb.checks.drift import find_drift
from sorb.checks.duplicates import find_duplicates
from sorb.checks.empty_columns import find_empty_columns
from sorb.checks.few_rows import find_few_rows
from sorb.checks.finding import Finding, Severity
from sorb.checks.ids import find_ids
from sorb.checks.leaks import find_leaks
from sorb.checks.rare_classes import find_rare_classes
from sorb.checks.read_table import read_columns, read_outcome
from sorb.checks.repeats import find_repeats
from sorb.checks.report import TableReport
from sorb.checks.same_content import find_same_content
from sorb.checks.sentinels import find_sentinels
from sorb.checks.spellings import find_spellings
from sorb.checks.unusable_columns import find_unusable_columns
from sorb.checks.weights import find_odd_weights
from sorb.tables.exposure import row_exposure
from sorb.tables.weights import row_weights

__all__ = ["CAN_BE_SERIOUS", "check", "check_columns", "findings"]

Check: TypeAlias = Callable[[CheckedTable], Iterator[Finding]]

# What can be serious, in columns that fit takes, is fast enough to run in each fit.
CAN_BE_SERIOUS: tuple[Check, ...] = (
    find_leaks,
    find_ids,
    find_spellings,
    find_sentinels,
    find_rare_classes,
    find_few_rows,
)
_CHECKS: tuple[Check, ...] = (
    *CAN_BE_SERIOUS,
    find_unusable_columns,
    find_duplicates,
    find_repeats,
    find_same_content,
    find_empty_columns,
    find_drift,
    find_odd_weights,
)
_SIZE = Size(rows=20_000, cells=4_000_000)
_TASKS = ("classification", "regression")


def check(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    exposure: Any = None,
    task: str | None = None,
    categorical_features: Any = "from_dtype",
) -> TableReport:
    """Say what looks odd about a table, before a model is learned from it.

    Nothing is changed, and nothing is refused for what the table holds.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The table: an array, or a DataFrame of pandas, polars or pyarrow. Of more than 20,000 rows,
        a sample is looked at, drawn by what the rows hold.
    y : array-like of shape (n_samples,) or None, default=None
        The outcomes: class labels or numbers. Rows without one are left out. Without `y`, only the
        columns are checked.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        The weights of the rows; those of weight 0 are left out.
    exposure : array-like of shape (n_samples,) or None, default=None
        What the outcomes accumulated over, such as years.
    task : {"classification", "regression"} or None, default=None
        What `y` is. By default texts, booleans and at most 20 different integers are classes.
    categorical_features : "from_dtype", array-like of str, int or bool, or None, \
            default="from_dtype"
        The columns that hold categories, as for the estimators.

    Returns
    -------
    report : TableReport
        The findings, serious ones first; `print` shows them.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import sorb
    >>> random = np.random.default_rng(0)
    >>> X = pd.DataFrame({"id": range(1, 201), "age": random.normal(50, 15, 200)})
    >>> report = sorb.check(X, random.choice(["ill", "well"], 200))
    >>> [(finding.kind, finding.columns) for finding in report]
    [('row-number', ('id',))]
    """
    if task is not None and task not in _TASKS:
        raise ValueError(f"task must be one of {', '.join(map(repr, _TASKS))}, found {task!r}")
    columns = read_columns(X, categorical_features)
    return check_columns(columns, y, sample_weight, exposure, task)


def check_columns(
    columns: Sequence[Column],
    y: Any,
    sample_weight: Any,
    exposure: Any,
    task: str | None,
    numbers: Int | None = None,
) -> TableReport:
    """Check columns that were read; `numbers` are those that the user knows the rows by."""
    n_rows = len(columns[0].values) if columns else 0
    if not n_rows:
        raise ValueError("expected at least one row and one column")
    weight = row_weights(sample_weight, n_rows)
    units = None if exposure is None else row_exposure(exposure, n_rows)
    outcome = None if y is None else read_outcome(y, n_rows, task)
    used = weight > 0
    if outcome is not None:
        used &= ~np.isnan(outcome.y)
    rows = np.flatnonzero(used)
    table = CheckedTable.of(
        columns if used.all() else [column.take(rows) for column in columns],
        None if outcome is None else _per_exposure(outcome, units).take(rows),
        rows if numbers is None else numbers[rows],
        _SIZE,
        None if sample_weight is None else weight[rows],
        None if units is None else units[rows],
    )
    found = findings(table, _CHECKS)
    return TableReport(found, len(rows), len(columns), table.n_checked, n_rows - len(rows))


def _per_exposure(outcome: Outcome, exposure: Float | None) -> Outcome:
    """The rates, if numbers accumulate over an exposure."""
    if exposure is None or outcome.classes is not None:
        return outcome
    return Outcome(outcome.y / exposure, None)


def findings(table: CheckedTable, checks: Iterable[Check]) -> tuple[Finding, ...]:
    """Collect what checks find, serious findings first."""
    with np.errstate(all="ignore"):  # of numbers at the ends of the floats
        found = [finding for each in checks for finding in each(table)]
    return tuple(sorted(found, key=lambda finding: finding.severity is not Severity.serious))
