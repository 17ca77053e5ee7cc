"""Which rows stay together in validation: those of a group, with copies and near-copies of them.

Copies of a row in different groups are one observation, which unites these groups, unless the table
is so coarse there that they must be different observations. Groups of a single row are no groups.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sorb._types import Bool, Float, Int
from sorb.learning.bags import observation_counts
from sorb.learning.rows import Rows, distinct_numbers
from sorb.tables.training import TrainingData

__all__ = ["keep_together"]


def keep_together(
    data: TrainingData, rows: Rows, near: Int | None, deadline: float = math.inf
) -> tuple[TrainingData, Rows]:
    """Unite the groups of the data that hold the same observations, and put the rows in groups.

    Parameters
    ----------
    data : the training data.
    rows : their distinct rows, not in groups yet.
    near : for each of these, the number of its group of near-copies, if they stay together.
    deadline : then, `OutOfTimeError` is raised.
    """
    if data.group is None and near is None:
        return data, rows
    number = _numbers(data, rows)
    present = np.flatnonzero(number >= 0)
    place = number[present]
    if data.group is None:
        assert near is not None
        group = near[place]
    else:
        group = np.unique(data.group[present], return_inverse=True)[1]
        linked = observation_counts(rows) == 1
        group = _unite(group, place, linked, near)
        copies = np.bincount(group, data.count[present] if data.count is not None else None)
        if _are_single(group, place, linked, copies):
            return replace(data, group=None), rows
    of_table = np.zeros(len(number), dtype=np.intp)
    of_table[present] = group
    data = replace(data, group=of_table)
    if _n_different(group, place) == len(rows):
        return data, rows.in_groups(of_table[rows.origin])
    return data, Rows.of(data, deadline=deadline)


def _numbers(data: TrainingData, rows: Rows) -> Int:
    """For each row of the table, the number of its distinct row; -1 for rows of weight zero."""
    if len(rows) < np.count_nonzero(data.weight > 0):
        return distinct_numbers(replace(data, group=None))
    number = np.full(len(data.y), -1, dtype=np.intp)
    number[rows.origin] = np.arange(len(rows))
    return number


def _unite(group: Int, place: Int, linked: Bool, near: Int | None) -> Int:
    """Number the groups anew: those with the same linked row, or with near-copies, are one."""
    label = np.arange(len(linked))
    if near is not None:
        label = np.unique(near, return_inverse=True)[1]
        linked = linked | (np.bincount(label)[label] > 1)
    if _n_different(group, label[place]) == len(np.unique(label)):
        return group  # each is in a single group
    # They are slow to import.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_groups, here = int(group.max()) + 1, linked[place]
    n = n_groups + len(linked)
    # Older versions of SciPy take no other integers.
    links = np.stack((group[here], n_groups + label[place[here]])).astype(np.int32)
    graph = coo_array((np.ones(links.shape[1]), links), shape=(n, n))
    component = connected_components(graph, directed=False)[1][:n_groups]
    return np.asarray(np.unique(component, return_inverse=True)[1][group], dtype=np.intp)


def _are_single(group: Int, place: Int, linked: Bool, copies: Float | Int) -> bool:
    """Whether each group is one observation: copies of one row that are linked, or one row."""
    if _n_different(group, place) > len(copies):
        return False
    return bool((linked[place] | (copies[group] <= 1)).all())


def _n_different(group: Int, place: Int) -> int:
    """How many different pairs there are."""
    return len(np.unique(group * (int(place.max()) + 1) + place))
