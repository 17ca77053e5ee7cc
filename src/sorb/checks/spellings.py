"""Classes and categories that differ only by case or spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sorb.checks.checked_table import CheckedTable, Outcome
from sorb.checks.finding import Finding, Severity
from sorb.rules import notation

__all__ = ["find_spellings", "join_spellings"]

_MOST_SHOWN = 3


def find_spellings(table: CheckedTable) -> Iterator[Finding]:
    """Find labels that are probably meant to be the same."""
    if table.outcome is not None and table.outcome.classes is not None:
        groups = _same_spelled(table.outcome.classes)
        if groups:
            yield Finding(
                "spelling",
                Severity.serious,
                f"classes differ only by case or spaces: {_shown(groups)}",
                "they are learned as different outcomes, and errors count the wrong spelling",
                "write each class in one way, for example in lower case and without spaces around",
                classes=tuple(label for group in groups for label in group),
            )
    for column in table.columns:
        groups = _same_spelled(column.labels or ())
        if groups:
            yield Finding(
                "spelling",
                Severity.look,
                f"categories of {notation.name(column.name)} differ only by case or spaces: "
                f"{_shown(groups)}",
                "rules treat them as different, and may be about how they are written",
                "write each category in one way",
                (column.name,),
                tuple(label for group in groups for label in group),
            )


def join_spellings(outcome: Outcome) -> Outcome:
    """The outcome with one class for all spellings: what it is meant to be.

    Examples
    --------
    >>> import numpy as np
    >>> join_spellings(Outcome(np.array([0.0, 1.0, 2.0]), ("Pos", "neg", "pos "))).classes
    ('pos', 'neg')
    """
    if outcome.classes is None or not _same_spelled(outcome.classes):
        return outcome
    plain = [_plain(label) for label in outcome.classes]
    classes = tuple(dict.fromkeys(plain))
    code = np.array([classes.index(label) for label in plain], dtype=np.float64)
    return Outcome(code[outcome.y.astype(np.intp)], classes)


def _same_spelled(labels: Sequence[Any]) -> list[list[str]]:
    """Group the texts that only case, spaces or forms of the same characters tell apart."""
    groups: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            groups.setdefault(_plain(label), []).append(label)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _plain(label: Any) -> Any:
    if not isinstance(label, str):
        return label
    return " ".join(unicodedata.normalize("NFKC", label).casefold().split())


def _shown(groups: list[list[str]]) -> str:
    """Quote the labels, so that spaces show."""
    shown = [", ".join(map(repr, group)) for group in groups[:_MOST_SHOWN]]
    more = len(groups) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
