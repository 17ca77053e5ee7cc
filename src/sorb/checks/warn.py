"""Warnings of what is likely to spoil a model, from within a fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from sorb._kernels import SparseTable
from sorb.checks.check_table import CAN_BE_SERIOUS, findings
from sorb.checks.checked_table import CheckedTable, Column, Outcome, Size
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed
from sorb.tables.training import TrainingData

__all__ = ["TableWarning", "warn_of_serious_findings"]

# A fit should not take noticeably longer.
_SIZE = Size(rows=5000, cells=500_000)
_MORE = (
    "sorb.check(X, y) says what to do about it; "
    "warnings.simplefilter('ignore', sorb.TableWarning) silences such warnings"
)


class TableWarning(UserWarning):
    """Something about a table is likely to spoil a model that is learned from it.

    Examples
    --------
    >>> import warnings
    >>> import sorb
    >>> warnings.simplefilter("ignore", sorb.TableWarning)
    """


def warn_of_serious_findings(data: TrainingData, stacklevel: int) -> None:
    """Warn of what is serious, once for each kind; nothing is said about sparse matrices."""
    if isinstance(data.X, SparseTable):
        return
    kinds: dict[str, list[Finding]] = {}
    for finding in findings(_checked(data), CAN_BE_SERIOUS):
        if finding.severity is Severity.serious:
            kinds.setdefault(finding.kind, []).append(finding)
    for found in kinds.values():
        warnings.warn(f"{_short(found)}. {_MORE}", TableWarning, stacklevel=stacklevel + 1)


def _short(found: list[Finding]) -> str:
    """The first finding, and the columns of which the same holds."""
    others = [name for finding in found[1:] for name in finding.columns]
    return found[0].what + (f"; the same holds for {listed(others)}" if others else "")


def _checked(data: TrainingData) -> CheckedTable:
    """The rows that have any weight, as the checks see them."""
    X: Any = data.array  # float32 or float64; the columns of a sample are float64
    rows = np.flatnonzero(data.weight > 0)
    whole = len(rows) == len(data.weight)
    columns = [
        Column(name, X[:, j] if whole else X[rows, j], labels)
        for j, (name, labels) in enumerate(zip(data.columns, data.schema.categories, strict=True))
    ]
    classes = None if data.classes is None else tuple(data.classes.tolist())
    y = data.y[rows]
    if classes is not None:
        y = np.minimum(y, len(classes) - 1)  # a single class has the index 1
    return CheckedTable.of(columns, Outcome(y, classes), rows, _SIZE)
