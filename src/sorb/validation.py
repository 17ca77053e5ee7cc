"""Which rows learn and which judge, and which candidate wins.

Every draw about a row hangs on the row's contents, the seed and the round, never on its place: the
order of the table changes nothing, and copies of a row are always drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb.rows import Rows

Float = NDArray[np.float64]

# Where the table has fewer effective rows than this, heavy rows are drawn in pieces …
_ENOUGH_ROWS = 100
# … of at least this weight each. A bootstrap sample gives a row eight copies once in 100,000 times,
# so the copies that it makes stay together; many more are different observations that look alike.
_SMALLEST_PIECE = 4
# The logarithm of a risk of zero shall be finite, and so shall be any price.
_TINY = float(np.finfo(np.float64).tiny)
_LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Bag:
    """Weights of the rows for learning and, for the rows left out, for judging."""

    learn: Float
    judge: Float

    @property
    def usable(self) -> bool:
        """Whether there are rows on both sides."""
        return bool(self.learn.any() and self.judge.any())


# A bag can be unlucky: that no candidate was worth anything is believed after so many bags.
_BAGS = 3


def all_rows(rows: Rows) -> Bag:
    """Let all rows learn, and none judge."""
    return Bag(rows.weight, np.zeros_like(rows.weight))


@dataclass(frozen=True, slots=True)
class Draws:
    """The bags of a table: for each distinct row a Poisson(1) count; rows that draw 0 judge.

    Where a table has few distinct rows, one count for each would be too coarse: a row is then
    divided into pieces with a count each, so that its copies stand on both sides.
    """

    hashes: NDArray[np.uint64]
    weight: Float
    pieces: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Rows) -> Draws:
        """Look once how finely the rows are to be divided."""
        return cls(rows.hashes, rows.weight, _pieces(rows.weight))

    def __call__(self, seed: int, turn: int) -> Bag:
        """Draw a bag."""
        return Bag(*_kernels.draw(self.hashes, self.weight, self.pieces, seed, turn))

    def of_round(self, seed: int, number: int) -> Iterator[Bag]:
        """Draw the bags of a round of boosting, one after the other."""
        bags = (self(seed, _BAGS * number + attempt) for attempt in range(_BAGS))
        return (bag for bag in bags if bag.usable)


def _pieces(weight: Float) -> NDArray[np.int64]:
    """How many pieces each row is drawn in."""
    relative = weight / weight.max()  # so that no square leaves the range of a float
    effective = relative.sum() ** 2 / np.square(relative).sum()
    if effective >= _ENOUGH_ROWS:
        return np.ones(len(weight), dtype=np.int64)
    piece = max(_SMALLEST_PIECE, weight.sum() / _ENOUGH_ROWS)
    return np.asarray(np.maximum(1, weight // piece), dtype=np.int64)


def folds(rows: Rows, n_folds: int, seed: int, classes: bool) -> NDArray[np.int64]:
    """Deal the distinct rows to folds of equal size; for classes, each class by itself."""
    order = np.argsort(_kernels.scramble(rows.hashes, seed), kind="stable")
    if classes:
        order = order[np.argsort(rows.y[order], kind="stable")]
    fold = np.empty(len(rows), dtype=np.int64)
    fold[order] = np.arange(len(rows)) % n_folds
    return fold


@dataclass(frozen=True, slots=True)
class Choice:
    """Chooses the candidate worth its complexity.

    A candidate is worth (log risk before − log risk after) / complexity^price on the judging rows,
    and must be worth more than `min_worth`; a price of 0 asks for the lowest risk alone.
    """

    price: float
    min_worth: float

    def __call__(self, before: float, after: Float, complexities: Sequence[int]) -> int | None:
        """The number of the winner, or None if no candidate is worth enough."""
        worth = [self._worth(before, float(a), c) for a, c in zip(after, complexities, strict=True)]
        winner = max(range(len(worth)), key=worth.__getitem__)
        return winner if worth[winner] > self.min_worth else None

    def _worth(self, before: float, after: float, complexity: int) -> float:
        if not math.isfinite(after):
            return -math.inf
        gain = math.log(max(before, _TINY)) - math.log(max(after, _TINY))
        log_price = self.price * math.log(complexity)
        if gain > 0:
            return gain * math.exp(-log_price)
        return gain * math.exp(min(log_price, _LARGEST_LOG))  # a loss is worse if it costs more
