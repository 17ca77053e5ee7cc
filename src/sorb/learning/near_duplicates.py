"""Rows that are nearly equal, such as several visits of one patient, found without being told.

They are not independent of each other. If some trained and others validated, a rule could seem to
be worth something only because it recognises them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from sorb import _kernels
from sorb._types import Float, Int
from sorb.learning.rows import Rows
from sorb.tables.training import TrainingData

# Larger tables are not searched: distances between all rows would take too long.
_MOST_ROWS = 50_000
# The distances of so many rows to all others tell whether there are near-duplicates.
_SAMPLE, _AT_A_TIME = 512, 64
# A row has crowded surroundings if the ring around its neighbourhood holds more than this share of
# what the neighbourhood holds, or if that is more than this share of the table or number of rows.
_RING_SHARE, _LARGE_SHARE, _MOST_NEIGHBOURS = 0.5, 0.05, 200
# Of independent rows, about the square of the share that have neighbours have crowded surroundings,
# if they differ in one column, and more if they differ in several. It must be well below that.
_CROWDED = 0.5
# So many rows with crowded surroundings must be expected, so that it is not below it by chance.
_LEAST_EXPECTED = 64
# Nearly equal rows are at most this share of the typical distance apart.
_LARGEST_RADIUS = 0.25
# Radii grow by the eighth root of 2, from 2⁻³⁰ of the typical distance on. The ring reaches to more
# than twice the radius: rows that are on a grid have neighbours at one and at two steps.
_PER_OCTAVE, _OCTAVES = 8, 30
_RING = _PER_OCTAVE + 1
# With fewer groups, or with a class in fewer of them, there is too little to validate with.
_FEWEST_GROUPS, _FEWEST_OF_CLASS = 30, 5


def group_near_duplicates(data: TrainingData) -> TrainingData:
    """Put rows that are nearly equal into groups, if the table is full of them.

    It is, if a distance can be found within which rows have neighbours, while the ring around, up
    to twice that distance, is nearly empty. Independent rows are spread evenly enough for the ring
    to hold at least as many as the neighbourhood.
    """
    rows = Rows.of(data)
    present = np.flatnonzero(data.weight > 0)
    values = np.zeros(len(data.X), dtype=np.uint64)
    values[present] = _kernels.identify_rows(data.X, present)
    # One row for each combination of values: rows on a coarse grid are no near-duplicates.
    distinct, first, place = np.unique(values[rows.origin], return_index=True, return_inverse=True)
    if len(first) > _MOST_ROWS or not len(rows.sources):
        return data
    order = np.sort(first)
    radius = _radius(rows, order)
    if radius is None:
        return data
    labels = np.empty(len(rows), dtype=np.intp)
    labels[order] = _components(rows, order, radius)
    of_distinct = labels[first]
    if not _can_validate(of_distinct[place], rows, data.classes is not None):
        return data
    known = np.minimum(np.searchsorted(distinct, values), len(distinct) - 1)
    return replace(data, group=of_distinct[known])


def _radius(rows: Rows, chosen: Int) -> float | None:
    """The distance within which rows are nearly equal; None if they are independent."""
    sample = chosen[:_SAMPLE]
    typical = float(np.median(_squared_distances(rows, sample, sample)))
    if not 0 < typical < math.inf:
        return None
    parts = np.array_split(sample, math.ceil(len(sample) / _AT_A_TIME))
    counts = [_neighbour_counts(_squared_distances(rows, p, chosen) / typical) for p in parts]
    within = np.concatenate(counts)
    inside, ring = within[:, :-_RING], within[:, _RING:] - within[:, :-_RING]
    near = inside > 0
    most = min(_LARGE_SHARE * len(chosen), _MOST_NEIGHBOURS)
    crowded = (ring > _RING_SHARE * inside) | (inside > most)
    n_near, n_crowded = near.sum(axis=0), (near & crowded).sum(axis=0)
    expected = n_near**2 / len(sample)
    radii = 2.0 ** (np.arange(1, len(n_near) + 1) / _PER_OCTAVE - _OCTAVES)
    good = (expected >= _LEAST_EXPECTED) & (n_crowded <= _CROWDED * expected)
    good &= radii <= _LARGEST_RADIUS
    if rows.categories:
        good &= radii**2 * typical < 1  # nearer than rows of different categories
    if not good.any():
        return None
    best = np.argmax(np.where(good, n_near - n_crowded, -1))
    return float(radii[best] * math.sqrt(typical))


def _squared_distances(rows: Rows, some: Int, others: Int) -> Float:
    """Between rows, in standard deviations; columns of categories that differ add 2."""
    squares = cdist(rows.Z[some], rows.Z[others], "sqeuclidean")
    for column in rows.categories:
        squares += 2.0 * (column.codes[some][:, None] != column.codes[others])
    return np.asarray(squares)


def _neighbour_counts(squares: Float) -> Int:
    """How many of its squared distances are within each radius, but for that to itself."""
    n, n_radii = len(squares), _OCTAVES * _PER_OCTAVE
    row, other = np.nonzero(squares < 1)
    with np.errstate(divide="ignore"):
        steps = np.floor(np.log2(squares[row, other]) * (_PER_OCTAVE / 2)) + n_radii
    cells = row * n_radii + np.maximum(steps, 0).astype(np.intp)
    counts = np.bincount(cells, minlength=n * n_radii).reshape(n, n_radii)
    return np.asarray(np.cumsum(counts, axis=1)) - 1


def _components(rows: Rows, chosen: Int, radius: float) -> Int:
    """Number the rows so that those that a chain of near neighbours connects share a number."""
    from sklearn.cluster import DBSCAN  # rarely needed, and slow to import

    points = rows.Z[chosen].astype(np.float64)
    if rows.categories:
        codes = np.stack([column.codes[chosen] for column in rows.categories], axis=1)
        kind = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1, 1)
        points = np.hstack((points, 2 * radius * kind))
    return np.asarray(DBSCAN(eps=radius, min_samples=1).fit_predict(points))


def _can_validate(group: Int, rows: Rows, classes: bool) -> bool:
    """Whether there are enough groups, and enough with each of the classes."""
    if len(np.unique(group)) < _FEWEST_GROUPS:
        return False
    if not classes:
        return True
    of_class = np.unique(np.stack((rows.y, group)), axis=1)[0]
    _, n_groups = np.unique(of_class, return_counts=True)
    _, n_rows = np.unique(rows.y, return_counts=True)
    return bool((n_groups >= np.minimum(n_rows, _FEWEST_OF_CLASS)).all())
