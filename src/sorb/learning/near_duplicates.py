"""Rows that are nearly equal, such as several visits of one patient, found without being told.

They are not independent of each other. If some trained and others validated, a rule could seem to
be worth something only because it recognises them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from sorb import _kernels
from sorb._kernels import SparseTable
from sorb._types import Float, Int, Matrix, Table
from sorb.learning.deadline import require_time
from sorb.learning.rows import Rows, canonical_order, first_of_each
from sorb.tables.sparse_matrices import expand_rows

# Larger tables are not searched. If near-duplicates are found, the distances between all rows are
# needed to group them.
_MOST_ROWS, _MOST_CELLS = 50_000, 1_000_000
# A row is crowded if the ring just outside its neighbourhood holds more than this share of the
# number of rows inside, or if there are too many inside for near-duplicates: more than this share
# of the table, or more than this number.
_RING_SHARE, _LARGE_SHARE, _MOST_NEIGHBOURS = 0.5, 0.05, 200


class _Screen(NamedTuple):
    """A sample of the rows, and what must be true of it.

    If independent rows are spread evenly along one column and a share s of them have neighbours,
    about s² are crowded; if they are spread over several columns, more are. Rows are
    near-duplicates if at most the share `most_crowded` of s² is, where at least `least_expected`
    rows are expected to be: with fewer, it may be chance.
    """

    size: int
    most_crowded: float
    least_expected: float


# A small sample rules out most tables; a larger one decides.
_FIRST_SCREEN, _SECOND_SCREEN = _Screen(48, 0.75, 3.0), _Screen(512, 0.5, 64.0)
_AT_A_TIME = 64
# Radii grow by the eighth root of 2, up to this share of the distance between independent rows. The
# ring reaches to more than twice the radius: rows on a grid have neighbours at one and two steps.
_PER_OCTAVE, _LARGEST = 8, 0.2
_N_RADII, _RING = 28 * _PER_OCTAVE, _PER_OCTAVE + 1
_RADII = _LARGEST * 2.0 ** (np.arange(1 - _N_RADII, 1) / _PER_OCTAVE)
# Radii at which nearly as many rows have neighbours and are not crowded are equally good.
_NEARLY_AS_MANY = 0.97
# Each row is linked to so many neighbours at most: more would link no other groups.
_LINKS = 16
_LINKED_AT_A_TIME = 512
# With fewer groups, or with a class in fewer of them, there is too little to validate with.
_FEWEST_GROUPS, _FEWEST_OF_CLASS = 30, 5


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """Groups of rows that are nearly equal.

    Attributes
    ----------
    group : for each distinct row, the first row of its group.
    n_rows, n_groups : how many rows are nearly equal to others, and the groups that they form.
    enough : whether there are enough groups, and enough with each of the classes, to validate with.
    """

    group: Int
    n_rows: int
    n_groups: int
    enough: bool


def find_near_duplicates(
    rows: Rows, is_classification: bool, deadline: float = math.inf
) -> NearDuplicates | None:
    """Put rows that are nearly equal into groups, if the table is full of them.

    It is, if at some distance many rows have neighbours but few have others in the ring just
    outside, up to about twice as far. At the `deadline`, `OutOfTimeError` is raised.
    """
    n_columns = len(rows.sources) + len(rows.categories)
    most = min(_MOST_ROWS, _MOST_CELLS // max(n_columns, 1))
    # Many different values in one column are as many different rows, and quickly counted in some.
    columns = (column[: 2 * most] for column in _stored_columns(rows.Z))
    if not rows.sources or any(len(np.unique(column)) > most for column in columns):
        return None
    place = _distinct_values(rows)
    row = np.unique(place, return_index=True)[1]
    if len(row) > most:
        return None
    require_time(deadline)
    if _Points.of(rows, row).radius(_FIRST_SCREEN) is None:
        return None
    points = _Points.by_ranks(rows, row)
    require_time(deadline)
    radius = points.radius(_SECOND_SCREEN)
    if radius is None:
        return None
    label = _without_crowds(points.components(radius, deadline), place)
    group, sizes = first_of_each(label), np.bincount(label)
    enough = _can_validate(group, rows, is_classification)
    return NearDuplicates(group, int(sizes[sizes > 1].sum()), int((sizes > 1).sum()), enough)


def _stored_columns(Z: Table) -> Iterator[Matrix]:
    """The values of each column; of a sparse one, those that are stored."""
    if isinstance(Z, SparseTable):
        return (Z.values[first:end] for first, end in pairwise(Z.starts))
    return iter(Z.T)


def _without_crowds(component: Int, place: Int) -> Int:
    """The label of the group of each row, from the components of the points.

    Rows have a label of their own if no other point is near, or if too many rows are.
    """
    label = component[place]
    crowd = np.bincount(label)[label] > _LARGE_SHARE * len(place)
    alone = crowd | (np.bincount(component)[label] == 1)
    label[alone] = label.max() + 1 + np.arange(np.count_nonzero(alone))
    return np.asarray(np.unique(label, return_inverse=True)[1])


def _distinct_values(rows: Rows) -> Int:
    """Number the rows, at random, so that those with exactly the same values share a number.

    Their outcomes may differ, and do not matter. They are one point: rows on a coarse grid are no
    near-duplicates.
    """
    nothing, once = np.zeros(len(rows.X)), np.ones(len(rows.X))
    hashes, columns = _kernels.canonical_table(rows.X, nothing, once, rows.origin)
    sorting = np.argsort(hashes, kind="stable")
    order, differs = canonical_order(
        rows.X, nothing, rows.origin[sorting], hashes[sorting], columns
    )
    number = np.empty(len(rows.X), dtype=np.intp)
    number[order] = np.cumsum(differs) - 1
    return np.asarray(number[rows.origin])


@dataclass(frozen=True, slots=True)
class _Points:
    """Rows with different values, as points whose distances tell how different they are.

    Attributes
    ----------
    Z : their numbers, in standard deviations, or ranks on a similar scale.
    codes : the codes of each column of categories.
    """

    Z: Float
    codes: list[NDArray[np.int32]]

    @classmethod
    def of(cls, rows: Rows, row: Int) -> _Points:
        Z = np.ascontiguousarray(_cells(rows.Z, row, range(len(rows.sources))), dtype=np.float64)
        return cls(Z, [column.codes[row] for column in rows.categories])

    @classmethod
    def by_ranks(cls, rows: Rows, row: Int) -> _Points:
        """With ranks in place of numbers, so that no part of a column is dense or sparse."""
        values = np.asarray(_cells(rows.X, rows.origin[row], rows.sources), dtype=np.float64)
        share = rankdata(values, axis=0, nan_policy="omit") / (~np.isnan(values)).sum(axis=0)
        share[np.isnan(share)] = 0.5
        # What is spread evenly from 0 to 1 has the standard deviation √(1/12).
        Z = np.ascontiguousarray(share * math.sqrt(12))
        return cls(Z, [column.codes[row] for column in rows.categories])

    def radius(self, screen: _Screen) -> float | None:
        """The distance within which rows are nearly equal; None if they are independent."""
        n = min(screen.size, len(self.Z))
        first = self._squared_distances(0, min(_AT_A_TIME, n))
        unit = math.sqrt(2 * self._n_differing(np.argmin(first, axis=1)))
        others = (
            self._squared_distances(k, min(k + _AT_A_TIME, n))
            for k in range(_AT_A_TIME, n, _AT_A_TIME)
        )
        within = np.concatenate(
            [_neighbour_counts(block / unit**2) for block in chain([first], others)]
        )
        inside, ring = within[:, :-_RING], within[:, _RING:] - within[:, :-_RING]
        near = inside > 0
        most = min(_LARGE_SHARE * len(self.Z), _MOST_NEIGHBOURS)
        crowded = (ring > _RING_SHARE * inside) | (inside > most)
        n_near, n_crowded = near.sum(axis=0), (near & crowded).sum(axis=0)
        expected = n_near**2 / n
        good = (expected >= screen.least_expected) & (n_crowded <= screen.most_crowded * expected)
        if self.codes:
            good &= _RADII * unit < 1  # nearer than rows of different categories
        if not good.any():
            return None
        clear = np.where(good, n_near - n_crowded, 0)
        best = np.flatnonzero(clear >= _NEARLY_AS_MANY * clear.max())
        return float(_RADII[best[len(best) // 2]] * unit)

    def _n_differing(self, nearest: Int) -> float:
        """The median number of columns in which the first points differ from their nearest."""
        n = len(nearest)
        differing = (self.Z[:n] != self.Z[nearest]).sum(axis=1)
        for codes in self.codes:
            differing += codes[:n] != codes[nearest]
        # Rounding may leave no difference.
        return max(float(np.median(differing)), 1.0)

    def _squared_distances(self, start: int, end: int) -> Float:
        """Of the points from start to end to all others; infinite to themselves.

        Each category that differs adds 2, as columns of zeros and ones would.
        """
        some = slice(start, end)
        squares = np.asarray(cdist(self.Z[some], self.Z, "sqeuclidean"))
        for codes in self.codes:
            squares += 2.0 * (codes[some, None] != codes)
        squares[np.arange(end - start), np.arange(start, end)] = np.inf
        return squares

    def components(self, radius: float, deadline: float) -> Int:
        """Label the points; those linked by a chain of near neighbours share a label."""
        # They are rarely needed, and slow to import.
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components
        from sklearn.neighbors import NearestNeighbors
        from threadpoolctl import threadpool_limits

        Z = self.Z
        if self.codes:
            kind = np.unique(np.stack(self.codes), axis=1, return_inverse=True)[1]
            Z = np.column_stack((Z, 2 * radius * kind.reshape(-1)))
        with threadpool_limits(limits=1):
            # One more than are wanted, since each is its own neighbour, which links nothing.
            neighbours = NearestNeighbors(n_neighbors=min(_LINKS + 1, len(Z))).fit(Z)
            found = []
            for start in range(0, len(Z), _LINKED_AT_A_TIME):
                require_time(deadline)
                found.append(neighbours.kneighbors(Z[start : start + _LINKED_AT_A_TIME]))
        distance, other = (np.concatenate(parts) for parts in zip(*found, strict=True))
        near = distance <= radius
        # Older versions of SciPy take no other integers.
        links = np.stack((np.nonzero(near)[0], other[near])).astype(np.int32)
        graph = csr_array((np.ones(links.shape[1]), links), shape=(len(Z), len(Z)))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def _cells(table: Table, rows: Int, columns: Sequence[int]) -> Matrix:
    """Some columns of some rows, which are few."""
    if isinstance(table, SparseTable):
        return expand_rows(table, rows, columns)
    return table[rows][:, list(columns)]


def _neighbour_counts(squares: Float) -> Int:
    """For each row, how many others are within each radius, and within those of the ring."""
    n, n_radii = len(squares), _N_RADII + _RING
    reach = _LARGEST * 2.0 ** (_RING / _PER_OCTAVE)
    row, other = np.nonzero(squares < reach**2)
    with np.errstate(divide="ignore"):  # the square of a tiny distance may be 0
        steps = np.floor(np.log2(squares[row, other] / reach**2) * (_PER_OCTAVE / 2)) + n_radii
    # Rounding may put the farthest just outside.
    bins = np.clip(steps, 0, n_radii - 1).astype(np.intp)
    counts = np.bincount(row * n_radii + bins, minlength=n * n_radii)
    return np.asarray(np.cumsum(counts.reshape(n, n_radii), axis=1))


def _can_validate(group: Int, rows: Rows, is_classification: bool) -> bool:
    """Whether there are enough groups, and enough with each of the classes."""
    if len(np.unique(group)) < _FEWEST_GROUPS:
        return False
    if not is_classification:
        return True
    of_class = np.unique(np.stack((rows.y, group)), axis=1)[0]
    _, n_groups = np.unique(of_class, return_counts=True)
    _, n_rows = np.unique(rows.y, return_counts=True)
    return bool((n_groups >= np.minimum(n_rows, _FEWEST_OF_CLASS)).all())
