"""Groups with few rows, which a site does not tell apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sorb._types import Bool, Int
from sorb.learning.source import Sums


def merge_small_groups(sums: Sums, min_rows: int) -> Sums:
    """Add the rows of each small group to the most similar group that is large enough.

    A group is what the same conditions cover, whatever the classes of its rows. The most similar
    one differs in the fewest conditions; of several, it is the one with the most rows. If no group
    is large enough, all rows become one; if even these are too few, nothing is told.

    Examples
    --------
    >>> covered = np.array([[False, False], [True, False], [True, True]])
    >>> sums = Sums(covered, None, np.array([50, 30, 2]), np.ones(3), np.arange(3.0), 0.0)
    >>> merge_small_groups(sums, 5).n_rows.tolist()
    [50, 32]
    """
    if min_rows == 1:
        return sums
    groups, index = np.unique(sums.covered, axis=0, return_inverse=True)
    index = index.reshape(-1)
    n_rows = np.bincount(index, sums.n_rows, len(groups))
    if n_rows.sum() < min_rows:
        return _nothing(sums)
    large = np.flatnonzero(n_rows >= min_rows)
    if not len(large):
        large = np.array([np.argmax(n_rows)])
    large = large[np.argsort(-n_rows[large], kind="stable")]
    target = np.arange(len(groups))
    for small in np.setdiff1d(target, large):
        distance = np.count_nonzero(groups[large] != groups[small], axis=1)
        target[small] = large[np.argmin(distance)]
    hidden = int(n_rows[target != np.arange(len(groups))].sum())
    return replace(_add_up(sums, groups, target[index]), hidden=hidden)


def _add_up(sums: Sums, groups: Bool, index: Int) -> Sums:
    """Add up what belongs to the same group and class."""
    labels = [None] * len(index) if sums.labels is None else sums.labels
    place: dict[tuple[int, Any], int] = {}
    keys = zip(index.tolist(), labels, strict=True)
    new = np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.intp)
    n_rows, weight, outcome = (
        np.bincount(new, values, len(place)).astype(np.float64)
        for values in (sums.n_rows, sums.weight, sums.outcome)
    )
    return Sums(
        groups[[group for group, _ in place]],
        None if sums.labels is None else [label for _, label in place],
        n_rows.astype(np.int64),
        weight,
        outcome,
        sums.constant,
    )


def _nothing(sums: Sums) -> Sums:
    return Sums(
        sums.covered[:0],
        None if sums.labels is None else [],
        sums.n_rows[:0],
        sums.weight[:0],
        sums.outcome[:0],
        0.0,
        int(sums.n_rows.sum()),
    )
