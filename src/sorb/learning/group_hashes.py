"""Hashes of groups of rows, by what the groups hold, not by their labels or the order of rows.

Where a group goes when rows are drawn depends on its hash, as where a row goes depends on its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int

__all__ = ["hash_groups", "spread_hashes"]

# They salt the hashes of rows in groups, and of copies, so that none is the hash of another row.
_OF_GROUPS, _OF_COPIES = 1 << 42, 1 << 41


def hash_groups(
    hashes: NDArray[np.uint64], weight: Float, group: Int
) -> tuple[NDArray[np.uint64], Int]:
    """Hash groups by the different rows that they hold, and rank them by this hash.

    Groups that hold the same rows are different observations: each has a hash of its own. If they
    differ in the weights of these rows, these decide which one comes first.

    Parameters
    ----------
    hashes : the hash of each different row of each group, in ascending order.
    weight : the total weight of this row in this group.
    group : the number of the group, from 0 on.
    """
    scrambled = _kernels.scramble(hashes, _OF_GROUPS)
    total = np.zeros(int(group.max()) + 1, dtype=np.uint64)
    np.add.at(total, group, scrambled)
    weighted = np.bincount(group, scrambled * 2.0**-64 * weight, len(total))
    order = np.lexsort((weighted, total))
    new = np.ones(len(total), dtype=np.bool_)
    new[1:] = np.diff(total[order]) != 0
    place = np.arange(len(total))
    rank, copy = np.empty((2, len(total)), dtype=np.intp)
    rank[order], copy[order] = place, place - np.maximum.accumulate(np.where(new, place, 0))
    return spread_hashes(total, copy), rank


def spread_hashes(hashes: NDArray[np.uint64], copy: Int) -> NDArray[np.uint64]:
    """Give each copy a hash of its own; the first one, number 0, keeps the one that there is."""
    others = copy > 0
    spread = hashes.copy()
    spread[others] = _kernels.scramble(hashes[others] + copy[others].astype(np.uint64), _OF_COPIES)
    return spread
