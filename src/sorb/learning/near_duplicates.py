"""Rows that are nearly equal, such as several visits of one patient, found without being told.

They are not independent of each other. If some trained and others validated, a rule could seem to
be worth something only because it recognises them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sorb import _kernels
from sorb._types import Float, Int
from sorb.learning.rows import Rows, canonical_order, first_of_each
from sorb.tables.training import TrainingData

# Larger tables are not searched. If near-duplicates are found, the distances between all rows are
# needed to group them.
_MOST_ROWS, _MOST_CELLS = 50_000, 2_000_000
# A row is crowded if the ring just outside its neighbourhood holds more than this share of the
# number of rows inside, or if there are too many inside for near-duplicates: more than this share
# of the table, or more than this number.
_RING_SHARE, _LARGE_SHARE, _MOST_NEIGHBOURS = 0.5, 0.05, 200


class _Screen(NamedTuple):
    """A sample of the rows, and what must be true of it.

    If a share s of independent rows have neighbours, at least about s² are crowded: so many if they
    differ in one column, and more if they differ in several. Rows are near-duplicates if at most
    the share `most_crowded` of that are, where at least `least_expected` rows are expected to be:
    with fewer, it may be chance.
    """

    size: int
    most_crowded: float
    least_expected: float


# A small sample rules out most tables; a larger one decides.
_SCREENS = (_Screen(48, 0.75, 3.0), _Screen(512, 0.5, 64.0))
_AT_A_TIME = 64
# Radii grow by the eighth root of 2, from 2⁻³⁰ to a quarter of the typical distance. The ring
# reaches to more than twice the radius: rows on a grid have neighbours at one and at two steps.
_PER_OCTAVE, _SMALLEST, _LARGEST = 8, 2.0**-30, 0.25
_N_RADII, _RING = 28 * _PER_OCTAVE, _PER_OCTAVE + 1
_RADII = _LARGEST * 2.0 ** (np.arange(1 - _N_RADII, 1) / _PER_OCTAVE)
# Radii at which nearly as many rows have neighbours and are not crowded are equally good.
_NEARLY_AS_MANY = 0.97
# With fewer groups, or with a class in fewer of them, there is too little to validate with.
_FEWEST_GROUPS, _FEWEST_OF_CLASS = 30, 5


def group_near_duplicates(data: TrainingData, rows: Rows) -> tuple[TrainingData, Rows]:
    """Put rows that are nearly equal into groups, if the table is full of them.

    It is, if at some distance many rows have neighbours but few have others in the ring just
    outside, up to about twice as far. `rows` are the distinct rows of the data.
    """
    place = _distinct_values(rows)
    row = np.sort(np.unique(place, return_index=True)[1])
    n_columns = len(rows.sources) + len(rows.categories)
    if not rows.sources or len(row) > min(_MOST_ROWS, _MOST_CELLS // n_columns):
        return data, rows
    points = _Points.of(rows, row)
    radius = points.radius()
    if radius is None:
        return data, rows
    label = np.empty(len(rows), dtype=np.intp)
    label[place[row]] = points.components(radius)
    group = first_of_each(label[place])
    if not _can_validate(group, rows, data.classes is not None):
        return data, rows
    of_table = np.zeros(len(data.X), dtype=np.intp)
    of_table[rows.origin] = group
    return replace(data, group=of_table), replace(rows, group=group)


def _distinct_values(rows: Rows) -> Int:
    """Number the rows so that those with exactly the same values have the same number.

    Their outcomes may differ. They are one point: rows on a coarse grid are no near-duplicates.
    """
    hashes = _kernels.identify_rows(rows.X, rows.origin)
    sorting = np.argsort(hashes, kind="stable")
    no_outcome = np.zeros(len(rows.X))
    columns = np.arange(rows.X.shape[1])
    order, differs = canonical_order(
        rows.X, no_outcome, rows.origin[sorting], hashes[sorting], columns
    )
    number = np.empty(len(rows.X), dtype=np.intp)
    number[order] = np.cumsum(differs) - 1
    return np.asarray(number[rows.origin])


@dataclass(frozen=True, slots=True)
class _Points:
    """Rows with different values, as points whose distances tell how different they are.

    Attributes
    ----------
    Z : their numbers, in standard deviations.
    codes : the codes of each column of categories.
    """

    Z: Float
    codes: list[NDArray[np.int32]]

    @classmethod
    def of(cls, rows: Rows, row: Int) -> _Points:
        Z = np.ascontiguousarray(rows.Z[row], dtype=np.float64)
        return cls(Z, [column.codes[row] for column in rows.categories])

    def radius(self) -> float | None:
        """The distance within which rows are nearly equal; None if they are independent."""
        radius = None
        for screen in _SCREENS:
            radius = self._radius_by(screen)
            if radius is None:
                break
        return radius

    def _radius_by(self, screen: _Screen) -> float | None:
        """The radius at which most rows of the sample have neighbours without being crowded."""
        n = min(screen.size, len(self.Z))
        typical = float(np.median(self._squared_distances(0, n, n)))
        if not 0 < typical < math.inf:
            return None
        within = np.concatenate(
            [
                _neighbour_counts(self._squared_distances(k, min(k + _AT_A_TIME, n)), typical)
                for k in range(0, n, _AT_A_TIME)
            ]
        )
        inside, ring = within[:, :-_RING], within[:, _RING:] - within[:, :-_RING]
        near = inside > 0
        most = min(_LARGE_SHARE * len(self.Z), _MOST_NEIGHBOURS)
        crowded = (ring > _RING_SHARE * inside) | (inside > most)
        n_near, n_crowded = near.sum(axis=0), (near & crowded).sum(axis=0)
        expected = n_near**2 / n
        radii = _RADII * math.sqrt(typical)
        good = (expected >= screen.least_expected) & (n_crowded <= screen.most_crowded * expected)
        if self.codes:
            good &= radii < 1  # nearer than rows of different categories
        if not good.any():
            return None
        clear = np.where(good, n_near - n_crowded, 0)
        best = np.flatnonzero(clear >= _NEARLY_AS_MANY * clear.max())
        return float(radii[best[len(best) // 2]])

    def _squared_distances(self, start: int, end: int, n_others: int | None = None) -> Float:
        """Of the points from start to end to the others; infinite to themselves.

        Each category that differs adds 2, as columns of zeros and ones would.
        """
        some, others = slice(start, end), slice(n_others)
        squares = np.asarray(cdist(self.Z[some], self.Z[others], "sqeuclidean"))
        for codes in self.codes:
            squares += 2.0 * (codes[some, None] != codes[others])
        squares[np.arange(end - start), np.arange(start, end)] = np.inf
        return squares

    def components(self, radius: float) -> Int:
        """Label the points; those linked by a chain of near neighbours share a label."""
        from sklearn.cluster import DBSCAN  # rarely needed, and slow to import
        from threadpoolctl import threadpool_limits

        Z = self.Z
        if self.codes:
            kind = np.unique(np.stack(self.codes), axis=1, return_inverse=True)[1]
            Z = np.column_stack((Z, 2 * radius * kind.reshape(-1)))
        with threadpool_limits(limits=1):
            return np.asarray(DBSCAN(eps=radius, min_samples=1).fit_predict(Z))


def _neighbour_counts(squares: Float, typical: float) -> Int:
    """For each row, how many others are within each radius, and within those of the ring."""
    n, n_radii = len(squares), _N_RADII + _RING
    reach = _LARGEST * 2.0 ** (_RING / _PER_OCTAVE)
    row, other = np.nonzero(squares < reach**2 * typical)
    nearest = np.maximum(squares[row, other] / typical, _SMALLEST**2)
    steps = np.floor(np.log2(nearest / reach**2) * (_PER_OCTAVE / 2)) + n_radii
    # Rounding may put the nearest and the farthest just outside.
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
