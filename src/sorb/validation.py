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


def bags(rows: Rows, seed: int, turn: int) -> Iterator[Bag]:
    """Draw the bags of one turn, one after the other."""
    draws = (draw(rows, seed, _BAGS * turn + attempt) for attempt in range(_BAGS))
    return (bag for bag in draws if bag.usable)


def all_rows(rows: Rows) -> Bag:
    """Let all rows learn, and none judge."""
    return Bag(rows.weight, np.zeros_like(rows.weight))


def draw(rows: Rows, seed: int, turn: int) -> Bag:
    """Draw a Poisson(1) count for each distinct row; rows that draw 0 judge.

    Where a table has few distinct rows, one count for each would be too coarse: a row is then
    divided into pieces with a count each, so that its copies stand on both sides.
    """
    return Bag(*_kernels.draw(rows.hashes, rows.weight, _pieces(rows.weight), seed, turn))


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
        tiny = np.finfo(np.float64).tiny
        gain = math.log(max(before, tiny)) - np.log(np.maximum(after, tiny))
        gain = np.where(np.isfinite(gain), gain, -np.inf)
        price = np.power(complexities, self.price)
        worth = np.where(gain > 0, gain / price, gain * price)  # a loss is worse if it costs more
        winner = int(np.argmax(worth))
        return winner if worth[winner] > self.min_worth else None
