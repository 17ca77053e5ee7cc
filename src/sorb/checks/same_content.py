"""Columns that hold the same in other units, words or directions."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
from scipy.stats import rankdata

from sorb._types import Float
from sorb.checks.checked_table import CheckedTable, Column
from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed, option

__all__ = ["find_same_content"]

# The correlation of ranks that only rounding keeps from 1.
_SAME = 0.9999
# Pairs that agree by chance must be less likely than this.
_LOG_CHANCE = log(1e-4)
# More columns are too many to compare each with each; more rows add nothing.
_MOST_COLUMNS, _MOST_ROWS = 2000, 2000


def find_same_content(table: CheckedTable) -> Iterator[Finding]:
    """Find columns of which one can be computed from the other, value by value."""
    if len(table.columns) < 2:
        return
    different = np.sort(np.unique(table.copies, return_index=True)[1])[:_MOST_ROWS]
    candidates = [column.take(different) for column in table.columns]
    enough = _LOG_CHANCE - 2 * log(max(len(candidates), 1))
    varied = [column for column in candidates if -_information(column) < enough]
    if not 1 < len(varied) <= _MOST_COLUMNS:
        return
    for group in _join(_same_order(varied) + _same_partition(varied)):
        names = tuple(column.name for column in table.columns if column.name in group)
        yield Finding(
            "same-content",
            Severity.look,
            f"{listed(names)} hold the same, in other units or words",
            "which of them a rule uses is chance, so models that mean the same look different",
            f"keep the one that you would rather read about ({option(names[1:])})",
            names,
        )


def _information(column: Column) -> float:
    """The entropy of a column over all rows: minus the log probability of its order by chance."""
    _, counts = column.distinct
    n_rows = len(column.values)
    shares = np.append(counts, n_rows - len(column.known)) / n_rows
    shares = shares[shares > 0]
    return float(-n_rows * (shares * np.log(shares)).sum())


def _same_order(columns: list[Column]) -> list[set[str]]:
    """Pairs of numbers that rise, or fall, together."""
    numbers = [c for c in columns if c.labels is None or len(c.distinct[0]) == 2]
    if len(numbers) < 2:
        return []
    ranks = np.column_stack([_ranks(column.values) for column in numbers])
    pairs = np.argwhere(np.triu(abs(ranks.T @ ranks) >= _SAME, 1))
    return [{numbers[j].name, numbers[k].name} for j, k in pairs]


def _ranks(values: Float) -> Float:
    """Ranks of mean 0 and length 1; 0 where a value is missing."""
    known = ~np.isnan(values)
    found = np.zeros(len(values))
    found[known] = rankdata(values[known])
    found[known] -= found[known].mean()
    return found / max(float(np.sqrt((found**2).sum())), 1.0)


def _same_partition(columns: list[Column]) -> list[set[str]]:
    """Columns that divide the rows alike, whatever the values are called, if these repeat."""
    found: dict[bytes, set[str]] = {}
    for column in columns:
        n_values = len(column.distinct[0])
        if 2 * n_values > len(column.known):
            continue
        codes = np.where(np.isnan(column.values), np.inf, column.values)
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        found.setdefault(order[inverse.reshape(-1)].tobytes(), set()).add(column.name)
    return [names for names in found.values() if len(names) > 1]


def _join(groups: list[set[str]]) -> list[set[str]]:
    """Join the groups that have a column in common."""
    joined: list[set[str]] = []
    for group in groups:
        touching = [other for other in joined if other & group]
        joined = [other for other in joined if not other & group]
        joined.append(group.union(*touching))
    return joined
