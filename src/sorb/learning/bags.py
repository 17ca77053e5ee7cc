"""Which rows train and which validate in each round.

Every draw about a row depends on its contents, the seed and the round, never on its position: the
order of the table changes nothing. Copies of a row are drawn together, unless the table is so
coarse that they must be different observations; rows of the same group are always drawn together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Bool, Float, Int
from sorb.learning.rows import Rows

# A bootstrap sample has eight copies of a row once in 100,000 times. If that many make up a
# twentieth of the table, they are taken for different observations that look alike: there would be
# too few others to validate with. Otherwise they may as well be a weight, or a row that was copied
# to balance the classes, and noise would validate well on copies of what it was learned from.
_MANY_COPIES, _LARGE_SHARE = 8, 0.05
# About the number of observations that a table is divided into, though a row of many copies is
# always divided into at least eight.
_MANY_OBSERVATIONS = 1_000_000
# It tells the draws of a sample from those of bags.
_OF_SAMPLES = 0x9E3779B97F4A7C15
# The bags of revisits are numbered from here on, so that none is a bag of a round.
_FIRST_OF_REVISITS = 1 << 40


@dataclass(frozen=True, slots=True)
class Bag:
    """The training weights of the rows and, for those left out, their validation weights.

    `salt` is a number of its own for each bag, for further draws.
    """

    training: Float
    validation: Float
    salt: int = 0

    @property
    def usable(self) -> bool:
        """Whether there are rows on both sides."""
        return bool(self.training.any() and self.validation.any())


def all_rows(rows: Rows) -> Bag:
    """Train on all rows and validate on none."""
    return Bag(rows.weight, np.zeros_like(rows.weight))


@dataclass(frozen=True, slots=True)
class Bags:
    """Draws the bags of a table: a Poisson(1) count for each distinct row; those with 0 validate.

    Rows that stand for several observations are divided into pieces with a count each; rows that
    belong together share one.
    """

    hashes: NDArray[np.uint64]
    weight: Float
    pieces: Int

    @classmethod
    def of(cls, rows: Rows) -> Bags:
        """Determine, once, how finely to divide the rows."""
        return cls(rows.draw_hashes, rows.weight, observation_counts(rows).astype(np.int64))

    def __call__(self, seed: int, turn: int) -> Bag:
        """Draw a bag."""
        weights = _kernels.draw_bag(self.hashes, self.weight, self.pieces, seed, turn)
        return Bag(*weights, salt=(seed + _OF_SAMPLES * (turn + 1)) % 2**63)

    def for_round(self, seed: int, number: int, count: int) -> Iterator[Bag]:
        """Draw the bags of a round of boosting, one after the other."""
        return self._usable(seed, count * number, count)

    def for_revisits(self, seed: int, number: int, count: int) -> Iterator[Bag]:
        """Draw the bags of the revisits after a round, one after the other."""
        return self._usable(seed, _FIRST_OF_REVISITS + count * number, count)

    def _usable(self, seed: int, first: int, count: int) -> Iterator[Bag]:
        bags = (self(seed, turn) for turn in range(first, first + count))
        return (bag for bag in bags if bag.usable)


def observation_counts(rows: Rows) -> Float:
    """How many observations each row stands for.

    Copies of a row are one observation that was drawn several times, unless they make up much of
    the table. Where rows with the same values have different outcomes, and rows with the same
    outcome different values, the table is coarse, and each copy is an observation of its own. If
    that is true of most copies in the table, it is taken to be true of all. Rows that belong
    together are parts of one observation.
    """
    if rows.count.max() < 2 or rows.group is not None:
        return np.ones_like(rows.count)
    values = _kernels.identify_rows(rows.X, rows.origin)
    # Classes count as repeated even if one of them has a single row.
    few_outcomes = len(np.unique(rows.y)) ** 2 <= rows.count.sum()
    coarse = _is_repeated(values)
    if not few_outcomes:
        coarse &= _is_repeated(rows.y)
    repeated = coarse | (rows.count > 1)
    if rows.count[coarse].sum() > rows.count[repeated].sum() / 2:
        coarse = repeated
    most = max(_MANY_COPIES, _MANY_OBSERVATIONS // len(rows))
    many = (rows.count >= _MANY_COPIES) & (rows.count >= _LARGE_SHARE * rows.count.sum())
    return np.where(coarse | many, np.clip(rows.count, 1, most), 1.0)


def _is_repeated(values: NDArray[Any]) -> Bool:
    """Which values occur more than once."""
    order = np.argsort(values)
    equal = values[order[1:]] == values[order[:-1]]
    repeated = np.zeros(len(values), dtype=np.bool_)
    repeated[order[1:][equal]] = repeated[order[:-1][equal]] = True
    return repeated
