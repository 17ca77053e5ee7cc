"""Keys of rows that depend on their contents alone, and are the same on every engine.

Each value is rounded to one of a million steps of its column's range, and turned into a number by
integer arithmetic, which all engines do alike. The key of a row is made of the sum over its
columns. What a column adds depends on its contents, not on its place, and a constant column adds
nothing: neither their order nor constant columns matter. Copies of a row have the same key.

If a few values are far from all others, these share few steps. Then each step is divided again,
into a million steps of a second digit, and those into a third one. Fewer digits are better: the
more there are, the more rows get another key by the rounding of another unit.

Formulas that take an array of integers also take an expression of narwhals.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int, Matrix
from sorb.rules import Label

__all__ = [
    "LIMIT",
    "MISSING_STEP",
    "MOST_DIGITS",
    "STEPS",
    "KeyColumn",
    "KeyPlan",
    "Range",
    "array_keys",
    "finish_key",
    "key_columns",
    "key_sums",
    "label_step",
    "row_blocks",
]

# Keys are less than this prime number, whose square fits in 64 bits.
LIMIT = 2**31 - 1
# The rows that are read at a time fit in the cache.
_BLOCK = 1 << 14
STEPS = 1 << 20
MOST_DIGITS = 3
# The step of a missing value; others are from 0 to STEPS.
MISSING_STEP = 1_299_709
# Steps, and what their squares are multiplied by, have 21 bits each.
_MOST_SQUARE = 2**21
# Any large numbers.
_FINAL_SQUARE, _FINAL_LINEAR = 1_181_783_497, 374_761_393
_NEXT_SQUARE, _NEXT_LINEAR = 1_376_089, 1_640_531_527

Integers: TypeAlias = Any  # an array or an expression


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the largest known value of a column, NaN if there are none.

    `excess` is how far the mean is above the least value. If it were computed from the mean, the
    digits that are lost to a large offset would depend on the order of the rows.

    Examples
    --------
    >>> Range(0.0, 4.0, 1.0).varies, Range(2.0, 2.0, 0.0).varies
    (True, False)
    """

    low: float
    high: float
    excess: float = math.nan

    @property
    def factor(self) -> float:
        """The number of steps for each unit of the column; 0 if there is no such number."""
        width = self.high - self.low
        factor = STEPS / width if width > 0 else 0.0
        return factor if math.isfinite(factor) else 0.0

    @property
    def varies(self) -> bool:
        """Whether the steps of the column differ."""
        return self.factor > 0

    @property
    def signature(self) -> int:
        """A number that tells columns apart, and that another unit does not change."""
        place = self.excess * self.factor
        return math.floor(place + 0.5) if math.isfinite(place) else 0


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """How the values of a column add to the keys: by steps of its range, or of its labels."""

    steps: Range | tuple[int, ...]
    square: int
    linear: int

    def mix(self, step: Integers, digit: int = 0) -> Integers:
        """Turn steps into what they add to the keys; two of them fit in 64 bits."""
        square, linear = self.multipliers(digit)
        return step * (step * square + linear)

    def multipliers(self, digit: int) -> tuple[int, int]:
        """What the squares of the steps of a digit, and the steps, are multiplied by."""
        square = (self.square + digit * _NEXT_SQUARE) % _MOST_SQUARE
        return square, (self.linear + digit * _NEXT_LINEAR) % LIMIT


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """How the keys of rows are made, the same for all parts of a table.

    Attributes
    ----------
    seed : the seed.
    columns : the features that vary.
    outcome : the outcomes, if they are numbers that vary.
    digits : how many digits of the numbers add to the keys.
    """

    seed: int
    columns: Mapping[str, KeyColumn]
    outcome: KeyColumn | None
    digits: int = 1

    @classmethod
    def of(
        cls,
        seed: int,
        columns: Mapping[str, Range | Sequence[Label]],
        outcomes: Range | None,
        digits: int = 1,
    ) -> KeyPlan:
        """Plan by the ranges or labels of features, and the range of outcomes that are numbers."""
        outcome = None if outcomes is None else key_columns({"y": outcomes}).get("y")
        return cls(seed, key_columns(columns), outcome, digits)


def key_columns(columns: Mapping[str, Range | Sequence[Label]]) -> dict[str, KeyColumn]:
    """Say how columns add to keys, given their ranges or labels; those that vary.

    If columns look alike, their names tell them apart.
    """
    steps = {
        name: column if isinstance(column, Range) else tuple(map(label_step, column))
        for name, column in columns.items()
    }
    seen: Counter[int] = Counter()
    found = {}
    for name in sorted(steps):
        column = steps[name]
        if not (column.varies if isinstance(column, Range) else len(column) > 1):
            continue
        signature = column.signature if isinstance(column, Range) else sum(column) % STEPS
        text = f"{signature} {seen[signature]}"
        seen[signature] += 1
        found[name] = KeyColumn(column, _hash(f"square {text}") % _MOST_SQUARE, _hash(text) % LIMIT)
    return {name: found[name] for name in steps if name in found}


def label_step(label: Label) -> int:
    """The step of a category, which does not depend on the other ones.

    Examples
    --------
    >>> label_step(1) == label_step(1.0) == label_step(True) != label_step("1")
    True
    """
    return _hash(label if isinstance(label, str) else f"{float(label)!r} as a number") % STEPS


def _hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def finish_key(total: Integers, seed: int) -> Integers:
    """Turn the sums over the columns into keys, different ones for each seed."""
    # Of three seeds in a row, two keys would tell the third.
    salt = int(_kernels.scramble(np.array([seed % 2**63], dtype=np.uint64), 0)[0]) % LIMIT
    shifted = (total + salt) % LIMIT
    return shifted * ((shifted * _FINAL_SQUARE + _FINAL_LINEAR) % LIMIT) % LIMIT


def array_keys(
    X: Matrix,
    columns: Mapping[int, KeyColumn],
    seed: int,
    outcome: tuple[KeyColumn, Float] | None,
    digits: int = 1,
    before_block: Callable[[], None] = lambda: None,
) -> NDArray[np.uint32]:
    """The key of each row of a table of numbers and category codes.

    Parameters
    ----------
    X : the table.
    columns : the columns that add to keys, by their positions.
    seed : the seed.
    outcome : how outcomes add to keys, and the outcomes, if they do.
    digits : how many digits of the numbers add to keys.
    before_block : called before each block of rows; it may raise an error.
    """
    numbers = {j: column for j, column in columns.items() if isinstance(column.steps, Range)}
    keys = np.empty(len(X), dtype=np.uint32)
    for rows in row_blocks(len(X)):
        before_block()
        total = key_sums(X[rows], numbers, digits)
        for j, column in columns.items():
            if not isinstance(column.steps, Range):
                total += column.mix(_label_steps(X[rows, j], column.steps)) % LIMIT
        if outcome is not None:
            total += key_sums(outcome[1][rows, None], {0: outcome[0]}, digits)
        keys[rows] = finish_key(total, seed)
    return keys


def key_sums(X: Matrix, columns: Mapping[int, KeyColumn], digits: int = 1) -> Int:
    """What the numbers of each row add to its key."""
    ranges = [column.steps for column in columns.values() if isinstance(column.steps, Range)]
    places = np.array(list(columns), dtype=np.int64)
    low = np.array([steps.low for steps in ranges], dtype=np.float64)
    factor = np.array([steps.factor for steps in ranges], dtype=np.float64)
    total = np.zeros(len(X), dtype=np.int64)
    for digit in range(digits):
        pairs = [column.multipliers(digit) for column in columns.values()]
        square, linear = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
        total += _kernels.key_sums(X, places, low, factor, square, linear, digit)
    return total


def _label_steps(codes: Matrix, steps: tuple[int, ...]) -> Int:
    known = np.array([*steps, MISSING_STEP], dtype=np.int64)
    return known[np.where(np.isnan(codes), len(steps), codes).astype(np.intp)]


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Divide the rows into blocks that fit in the cache.

    Examples
    --------
    >>> [rows.stop - rows.start for rows in row_blocks(40_000)]
    [16384, 16384, 7232]
    """
    return (slice(start, min(start + _BLOCK, n_rows)) for start in range(0, n_rows, _BLOCK))
