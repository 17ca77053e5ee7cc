"""Test rows, drawn by what the rows hold: rows that belong together are on the same side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Bool, Float, Int
from sorb.learning.folds import Fold, random_folds, rarest_strata, spread_observations
from sorb.learning.groups import keep_together
from sorb.learning.near_duplicates import find_near_duplicates
from sorb.learning.rows import Rows, collect_rows, distinct_numbers
from sorb.tables.training import TrainingData

__all__ = ["collect_together", "divide", "hold_out"]

# Test rows are drawn by other hashes than bags and folds, which the seed itself draws.
_OF_TEST = 0x5EED


def hold_out(data: TrainingData, share: float, seed: int, near_duplicates: bool = True) -> Float:
    """For each row, how many of the copies that it stands for are test rows: all, none or some.

    Copies of a row are on the same side, unless the table is so coarse that they are different
    observations; so are the rows of a group and, unless told otherwise, those that are nearly
    equal. Of each class about the same share is drawn, and at least one row is left to learn from.
    """
    grouped, rows = collect_together(data, near_duplicates)
    # All rows of a regression are of one stratum.
    stratum = np.zeros(len(rows)) if data.classes is None else rows.y
    parts = _Parts.of(rows, _kernels.scramble(rows.draw_hashes, seed + _OF_TEST), stratum)
    drawn = parts.draw(share)
    if rows.group is not None:
        _return_classes(drawn, parts, stratum)
    of_row = np.bincount(parts.row, drawn[parts.part] * parts.copies, len(rows))
    return _of_table(grouped, np.rint(of_row))


def divide(data: TrainingData, n_folds: int, seed: int, near_duplicates: bool = True) -> list[Fold]:
    """Divide the rows into folds of test rows; rows that belong together are in the same one."""
    grouped, rows = collect_together(data, near_duplicates)
    return random_folds(grouped, n_folds, seed + _OF_TEST, rows=rows)


def collect_together(data: TrainingData, near_duplicates: bool) -> tuple[TrainingData, Rows]:
    """Gather the distinct rows, in groups of those that belong together."""
    plain, rows = collect_rows(data)
    found = find_near_duplicates(rows, data.classes is not None) if near_duplicates else None
    return keep_together(plain, rows, None if found is None else found.group)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is drawn as a whole: the rows of a group, or an observation of a row.

    Attributes
    ----------
    hashes : for each part, what says whether it is drawn.
    stratum : for each part, its stratum.
    row, part, copies : the rows that parts hold, and how many copies of each.
    """

    hashes: NDArray[np.uint64]
    stratum: Int
    row: Int
    part: Int
    copies: Float

    @classmethod
    def of(cls, rows: Rows, hashes: NDArray[np.uint64], stratum: Float) -> _Parts:
        if rows.group is not None:
            firsts, part = np.unique(rows.group, return_inverse=True)
            strata = rarest_strata(rows.group, stratum)[firsts]
            return cls(hashes[firsts], strata, np.arange(len(rows)), part, rows.count)
        row, hashes = spread_observations(rows, hashes)
        copies = (rows.count / np.bincount(row))[row]
        # Ordered by their sizes, strata do not depend on the order of the classes.
        strata = rarest_strata(np.arange(len(rows)), stratum)
        return cls(hashes, strata[row], row, np.arange(len(row)), copies)

    def draw(self, share: float) -> Bool:
        """Draw about a share of the copies of each stratum, the last part excepted."""
        size = np.bincount(self.part, self.copies)
        order = np.lexsort((self.hashes, self.stratum))
        ends = np.flatnonzero(np.diff(self.stratum[order])) + 1
        drawn = np.zeros(len(order), dtype=np.bool_)
        due = 0.0
        for members in np.split(order, ends):
            sizes = size[members]
            due += share * float(sizes.sum())
            drawn[members[:-1]] = (np.cumsum(sizes) - sizes / 2 < due)[:-1]
            # What a stratum cannot give, as its parts are large, or gives too much of, is left.
            due -= float(sizes[drawn[members]].sum())
        return drawn


def _return_classes(drawn: Bool, parts: _Parts, stratum: Float) -> None:
    """Return a part with each stratum that has no row left to learn from."""
    for label in np.unique(stratum):
        holding = np.unique(parts.part[stratum[parts.row] == label])
        if drawn[holding].all():
            drawn[holding[np.argmax(parts.hashes[holding])]] = False


def _of_table(data: TrainingData, test: Float) -> Float:
    """Divide the copies of each distinct row that are test rows among the rows of the table."""
    number = distinct_numbers(data)
    count = np.ones(len(number)) if data.count is None else data.count
    # Of copies of different weights, the lightest are drawn first, wherever they stand.
    order = np.lexsort((data.weight, number))
    order = order[number[order] >= 0]
    row, copies = number[order], count[order]
    before = np.cumsum(copies) - copies
    before -= before[np.flatnonzero(np.diff(row, prepend=-1))][row]
    found = np.zeros(len(number))
    found[order] = np.clip(test[row] - before, 0, copies)
    return found
