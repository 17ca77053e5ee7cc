"""Which rows train and which validate.

Every draw about a row hangs on the row's contents, the seed and the round, never on its place: the
order of the table changes nothing. Copies of a row are drawn together, except where the table is
so coarse that they must be different observations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float
from sorb.learning.rows import Rows

# A bootstrap sample gives a row eight copies once in 100,000 times: so many are observations that
# look alike.
_MANY_COPIES = 8
# In all, a table is divided between about so many observations, but a row between at least eight.
_MANY_OBSERVATIONS = 1_000_000


@dataclass(frozen=True, slots=True)
class Bag:
    """Weights of the rows for learning and, for the rows left out, for judging."""

    training: Float
    validation: Float

    @property
    def usable(self) -> bool:
        """Whether there are rows on both sides."""
        return bool(self.training.any() and self.validation.any())


# A bag can be unlucky: that no candidate was worth anything is believed after so many bags.
_BAGS = 3


def all_rows(rows: Rows) -> Bag:
    """Let all rows learn, and none judge."""
    return Bag(rows.weight, np.zeros_like(rows.weight))


@dataclass(frozen=True, slots=True)
class Bags:
    """The bags of a table: for each distinct row a Poisson(1) count; rows that draw 0 judge.

    Some rows are divided into pieces with a count each, so that their copies stand on both sides.
    """

    hashes: NDArray[np.uint64]
    weight: Float
    pieces: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows) -> Bags:
        """Look once how finely the rows are to be divided."""
        return cls(rows.hashes, rows.weight, _observations(rows).astype(np.int64))

    def __call__(self, seed: int, turn: int) -> Bag:
        """Draw a bag."""
        return Bag(*_kernels.draw_bag(self.hashes, self.weight, self.pieces, seed, turn))

    def of_round(self, seed: int, number: int) -> Iterator[Bag]:
        """Draw the bags of a round of boosting, one after the other."""
        bags = (self(seed, _BAGS * number + attempt) for attempt in range(_BAGS))
        return (bag for bag in bags if bag.usable)


def _observations(rows: Rows) -> Float:
    """How many observations each row stands for.

    Few copies of a row are one observation that was drawn several times; many are observations that
    look alike. Where rows with the same values have other outcomes, and rows with the same outcome
    other values, the table is coarse, and each copy is an observation of its own. If that holds
    for most copies in the table, it holds for all.
    """
    if rows.count.max() < 2:
        return np.ones_like(rows.count)
    places = _kernels.hash_rows(rows.X, np.zeros(len(rows.X)), rows.origin)
    # Classes are shared even if one of them is in a single place.
    few_outcomes = len(np.unique(rows.y)) ** 2 <= rows.count.sum()
    coarse = _shared(places) & (few_outcomes | _shared(rows.y))
    repeated = coarse | (rows.count > 1)
    if rows.count[coarse].sum() > rows.count[repeated].sum() / 2:
        coarse = repeated
    most = max(_MANY_COPIES, _MANY_OBSERVATIONS // len(rows))
    return np.where(coarse | (rows.count >= _MANY_COPIES), np.clip(rows.count, 1, most), 1.0)


def _shared(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have the same value as another one."""
    _, number, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(count[number] > 1)


def folds(rows: Rows, n_folds: int, seed: int, classes: bool) -> list[Float]:
    """Deal the rows to folds of equal size: for each fold, the share of each row it holds out.

    Classes are dealt each by itself. A row goes to one fold, unless it stands for several
    observations: then these go to one fold after the other. There are no more folds than those.
    """
    observations = _observations(rows)
    order = np.argsort(_kernels.scramble(rows.hashes, seed), kind="stable")
    if classes:
        order = order[np.argsort(rows.y[order], kind="stable")]
    dealt = np.repeat(order, observations[order].astype(np.intp))
    n_folds = min(n_folds, len(dealt))
    hands = (np.bincount(dealt[k::n_folds], minlength=len(rows)) for k in range(n_folds))
    return [hand / observations for hand in hands]
