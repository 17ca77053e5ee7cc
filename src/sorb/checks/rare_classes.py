"""Classes of which there are hardly any rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sorb.checks.checked_table import CheckedTable
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed
from sorb.rules import notation

__all__ = ["find_rare_classes"]

# Fewer rows cannot be divided into folds, and fewer tell hardly anything.
_TOO_FEW, _FEW = 5, 20


def find_rare_classes(table: CheckedTable) -> Iterator[Finding]:
    """Find classes of fewer than 20 rows."""
    known = None if table.outcome is None else table.outcome.classes
    if known is None:
        return
    counts = table.class_counts
    rare = [int(k) for k in np.argsort(counts, kind="stable") if counts[k] < _FEW]
    if not rare or len(rare) == len(known):  # of so few rows in all, another check speaks
        return
    classes = tuple(known[k] for k in rare)
    least = int(counts[rare[0]])
    if len(rare) == 1:
        what = f"the class {listed(classes)} has only {notation.count(least, 'row')}"
    else:
        what = (
            f"{len(rare)} classes have fewer than {_FEW} rows each: {listed(classes)}; the rarest "
            f"has {least}"
        )
    yield Finding(
        "rare-class",
        Severity.serious if least < _TOO_FEW else Severity.look,
        what,
        "rules for it rest on these few rows, and so does every figure about it",
        "collect more, join it with a class that means nearly the same, or leave it out",
        classes=classes,
    )
