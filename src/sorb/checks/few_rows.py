"""Tables of very few rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from sorb.checks.checked_table import CheckedTable
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import percent
from sorb.rules import notation

__all__ = ["find_few_rows"]

_TOO_FEW, _FEW = 30, 100
_PER_CLASS = 10
# The share of test rows, and the errors of a model, that the uncertainty is computed for.
_TESTED, _ERROR = 0.25, 0.2


def find_few_rows(table: CheckedTable) -> Iterator[Finding]:
    """Find tables of so few rows that rules are luck."""
    n_rows, n_columns = table.n_rows, len(table.columns)
    classes = None if table.outcome is None else table.outcome.classes
    n_classes = 1 if classes is None else len(classes)
    too_few = n_rows < _TOO_FEW or n_rows < _PER_CLASS * n_classes
    if not (too_few or n_rows < _FEW or n_rows < n_columns):
        return
    there_are = f"there are only {notation.count(n_rows, 'row')}"
    if n_rows < n_columns:
        there_are += f" for {notation.count(n_columns, 'column')}"
    if classes is not None and n_rows < _PER_CLASS * n_classes:
        there_are += f" in {n_classes} class{'' if n_classes == 1 else 'es'}"
    tested = max(1, round(_TESTED * n_rows))
    spread = 1.96 * sqrt(_ERROR * (1 - _ERROR) / tested)
    yield Finding(
        "few-rows",
        Severity.serious if too_few else Severity.look,
        there_are,
        f"rules may be luck, and so may be what says that they are good: an error of "
        f"{percent(_ERROR)} on {notation.count(tested, 'test row')} is uncertain by "
        f"±{percent(round(spread, 2))}",
        "take the rules for ideas to be tested on other rows; allow few of them (max_rules=2), "
        "and few columns",
    )
