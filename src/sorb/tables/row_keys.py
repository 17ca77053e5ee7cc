"""Keys of rows that depend on their contents alone, and are the same on every engine.

Each value is rounded to one of a million steps of its column's range, and turned into a number by
integer arithmetic, which all engines do alike. The key of a row is made of the sum over its
columns. What a column adds depends on its contents, not on its place, and a constant column adds
nothing: neither their order nor constant columns matter. Copies of a row have the same key.

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
# The step of a missing value; others are from 0 to STEPS.
MISSING_STEP = 1_299_709
# Steps, and what their squares are multiplied by, have 21 bits each.
_MOST_SQUARE = 2**21
# Any large numbers.
_FINAL_SQUARE, _FINAL_LINEAR = 1_181_783_497, 374_761_393

Integers: TypeAlias = Any  # an array or an expression


@dataclass(frozen=True, slots=True)
class Range:
    """The least, the largest and the mean of the known values of a column, NaN if there are none.

    Examples
    --------
    >>> Range(0.0, 4.0, 1.0).varies, Range(2.0, 2.0, 2.0).varies
    (True, False)
    """

    low: float
    high: float
    mean: float

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
        place = (self.mean - self.low) * self.factor
        return math.floor(place + 0.5) if math.isfinite(place) else 0


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """How the values of a column add to the keys: by steps of its range, or of its labels."""

    steps: Range | tuple[int, ...]
    square: int
    linear: int

    def mix(self, step: Integers) -> Integers:
        """Turn steps into what they add to the keys; two of them fit in 64 bits."""
        return step * (step * self.square + self.linear)


@dataclass(frozen=True, slots=True)
class KeyPlan:
    """How the keys of rows are made, the same for all parts of a table.

    Attributes
    ----------
    seed : the seed.
    columns : the features that vary.
    outcome : the outcomes, if they are numbers that vary.
    """

    seed: int
    columns: Mapping[str, KeyColumn]
    outcome: KeyColumn | None

    @classmethod
    def of(
        cls, seed: int, columns: Mapping[str, Range | Sequence[Label]], outcomes: Range | None
    ) -> KeyPlan:
        """Plan by the ranges or labels of features, and the range of outcomes that are numbers."""
        outcome = None if outcomes is None else key_columns({"y": outcomes}).get("y")
        return cls(seed, key_columns(columns), outcome)


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
    shifted = (total + seed % LIMIT) % LIMIT
    return shifted * ((shifted * _FINAL_SQUARE + _FINAL_LINEAR) % LIMIT) % LIMIT


def array_keys(
    X: Matrix,
    columns: Mapping[int, KeyColumn],
    seed: int,
    outcome: tuple[KeyColumn, Float] | None,
    before_block: Callable[[], None] = lambda: None,
) -> NDArray[np.uint32]:
    """The key of each row of a table of numbers and category codes.

    Parameters
    ----------
    X : the table.
    columns : the columns that add to keys, by their positions.
    seed : the seed.
    outcome : how outcomes add to keys, and the outcomes, if they do.
    before_block : called before each block of rows; it may raise an error.
    """
    numbers = {j: column for j, column in columns.items() if isinstance(column.steps, Range)}
    keys = np.empty(len(X), dtype=np.uint32)
    for rows in row_blocks(len(X)):
        before_block()
        total = key_sums(X[rows], numbers)
        for j, column in columns.items():
            if not isinstance(column.steps, Range):
                total += column.mix(_label_steps(X[rows, j], column.steps)) % LIMIT
        if outcome is not None:
            total += key_sums(outcome[1][rows, None], {0: outcome[0]})
        keys[rows] = finish_key(total, seed)
    return keys


def key_sums(X: Matrix, columns: Mapping[int, KeyColumn]) -> Int:
    """What the numbers of each row add to its key."""
    ranges = [column.steps for column in columns.values() if isinstance(column.steps, Range)]
    return _kernels.key_sums(
        X,
        np.array(list(columns), dtype=np.int64),
        np.array([steps.low for steps in ranges], dtype=np.float64),
        np.array([steps.factor for steps in ranges], dtype=np.float64),
        np.array([column.square for column in columns.values()], dtype=np.int64),
        np.array([column.linear for column in columns.values()], dtype=np.int64),
    )


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
