"""All that the learner knows of the data: distinct rows in an order of their own.

Copies of a row are one row with their total weight, rows of weight zero are none, and the order
hangs on the contents alone. So copies and weights are the same thing, and no order of the table,
nor any shift or stretch of a column, can change what is learned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb.rules import Condition, Proposition

Float = NDArray[np.float64]
Hashes = NDArray[np.uint64]

_BLOCK = 1 << 17  # numbers compared at once


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows with their weights, standardised columns, and the way back to the user's units.

    Attributes
    ----------
    X : the user's table, as it came.
    origin : for each distinct row, a row of X with these contents.
    Z : the distinct rows in Fortran order, columns standardised; constant columns are all zero.
    y, weight, hashes : outcome, total weight and hash of each distinct row.
    shift : what was taken off all outcomes, so that sums of their squares lose no digits.
    centre, scale : column j of Z is (X_j − centre_j) / scale_j.
    """

    X: NDArray[np.floating]
    columns: tuple[str, ...]
    origin: NDArray[np.int64]
    Z: NDArray[np.floating]
    y: Float
    weight: Float
    hashes: Hashes
    centre: Float
    scale: Float
    shift: float = 0.0

    @classmethod
    def from_table(
        cls,
        X: NDArray[np.floating],
        y: Float,
        weight: Float,
        columns: tuple[str, ...],
        centred: bool = False,
    ) -> Rows:
        """Gather the distinct rows of a table that has no missing or infinite values.

        With `centred` the outcomes are counted from their mean.
        """
        present = np.flatnonzero(weight > 0).astype(np.int64, copy=False)
        hashes = _kernels.hash_rows(X, y, present)
        sorting = np.argsort(hashes, kind="stable")
        order, differs = _canonical_order(X, y, present[sorting], hashes[sorting])
        hashes = hashes[sorting]
        first = np.flatnonzero(differs)
        origin = order[first]
        total = np.add.reduceat(weight[order], first)
        Z, centre, scale = _kernels.standardise(X, origin, total)
        shift = float(np.average(y[origin], weights=total)) if centred else 0.0
        y = y[origin] - shift
        return cls(X, columns, origin, Z, y, total, hashes[first], centre, scale, shift)

    def __len__(self) -> int:
        return len(self.origin)

    def members(self, fact: Proposition | Condition) -> NDArray[np.bool_]:
        """Which rows satisfy it, computed just as a prediction computes it."""
        held = fact.holds(self._take)
        return held if held.ndim else np.full(len(self), held)  # the empty condition knows no rows

    def _take(self, name: str) -> Float:
        column = self.X[:, self.columns.index(name)]
        return column[self.origin].astype(np.float64, copy=False)

    def proposition(
        self, support: Sequence[int], w: Sequence[float], threshold: float
    ) -> Proposition:
        """State w·z ≥ threshold on standardised columns in the user's units.

        The largest weight becomes ±1, unless the units differ so much that another one would
        vanish; then the weights are balanced around 1.
        """
        scales = [float(self.scale[j]) for j in support]
        # Where all gradients are tiny, so may be the weights: their inverse must stay finite.
        power = -math.frexp(max(map(abs, w)))[1]
        w, threshold = [math.ldexp(a, power) for a in w], math.ldexp(threshold, power)
        # In logarithms, since the ratio of two scales may exceed the range of a float.
        sizes = [math.log2(abs(a)) - math.log2(s) for a, s in zip(w, scales, strict=True)]
        top, bottom = max(sizes), min(sizes)
        if top - bottom < 1000:
            largest = sizes.index(top)
            unit = scales[largest] / abs(w[largest])
            weights = [
                a * (scales[largest] / s) / abs(w[largest]) for a, s in zip(w, scales, strict=True)
            ]
        else:
            unit = 2.0 ** (-(top + bottom) / 2)
            weights = [a * (unit / s) for a, s in zip(w, scales, strict=True)]
        bound = threshold * unit
        for a, j in zip(weights, support, strict=True):
            bound += a * float(self.centre[j])
        return Proposition(tuple(self.columns[j] for j in support), tuple(weights), bound)


def _blocks(n: int, d: int) -> Iterator[slice]:
    """Slices of columns of about `_BLOCK` numbers each."""
    width = max(1, _BLOCK // max(n, 1))
    return (slice(start, min(start + width, d)) for start in range(0, d, width))


def _canonical_order(
    X: NDArray[np.floating], y: Float, order: NDArray[np.int64], hashes: Hashes
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Put rows of the same hash that differ, which is rare, in the order of their contents.

    The rows come in the order of their hashes. Also tells which of them are no copies of the one
    before.
    """
    differs = _differs_from_previous(X, y, order, hashes)
    clash = np.flatnonzero(differs[1:] & (hashes[1:] == hashes[:-1]))
    if not len(clash):
        return order, differs
    order = order.copy()
    for value in np.unique(hashes[clash]):
        start, end = (np.searchsorted(hashes, value, side) for side in ("left", "right"))
        rows = order[start:end]
        order[start:end] = rows[np.lexsort([*X[rows].T[::-1], y[rows]])]
    return order, _differs_from_previous(X, y, order, hashes)


def _differs_from_previous(
    X: NDArray[np.floating], y: Float, order: NDArray[np.int64], hashes: Hashes
) -> NDArray[np.bool_]:
    """Mark each row of the order that is not a copy of the one before it."""
    differs = np.ones(len(order), dtype=np.bool_)
    same = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(same):
        left, right = order[same], order[same + 1]
        differs[same + 1] = y[left] != y[right]
        for block in _blocks(len(same), X.shape[1]):
            differs[same + 1] |= (X[left, block] != X[right, block]).any(axis=1)
    return differs
