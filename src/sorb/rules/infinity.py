"""Infinite numbers, which models refuse: they are mistakes of an earlier step, not measurements."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float
from sorb.rules.columns import ColumnSource

__all__ = ["infinity_error", "map_finite", "require_no_infinity"]


def map_finite(
    source: ColumnSource,
    columns: Collection[str],
    question: Callable[[ColumnSource], NDArray[Any]],
) -> NDArray[Any]:
    """Ask something as `ColumnSource.map` does, but refuse infinite numbers where they are taken.

    `columns` are those that may be taken, in the order in which they are looked through for the
    first infinite number.
    """
    infinite: set[str] = set()

    def ask(block: ColumnSource) -> NDArray[Any]:
        return question(block if block.finite else _watch(block, infinite))

    answer = source.map(ask)
    for name in columns:
        if name in infinite:
            require_no_infinity(source.take(name), name)
    return answer


def _watch(block: ColumnSource, infinite: set[str]) -> ColumnSource:
    """Give a block that adds to a set the names of the columns that are taken and not finite."""
    taken: dict[str, Float] = {}

    def take(name: str) -> Float:
        if name in taken:
            return taken[name]
        taken[name] = values = block.take(name)
        # Looked at just before it is used, so that it is read from memory only once.
        if _kernels.holds_infinity(values):
            infinite.add(name)
        return values

    return ColumnSource(take, block.labels, block.n_rows)


def require_no_infinity(values: NDArray[Any], name: str) -> None:
    """Refuse a column that holds an infinite number.

    Examples
    --------
    >>> require_no_infinity(np.array([1.0, np.inf]), "age")
    Traceback (most recent call last):
    ...
    ValueError: X contains infinity in column 'age', first in row 1: expected finite numbers, or NaN
    where a value is missing
    """
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        raise infinity_error(name, int(bad[0]))


def infinity_error(name: str, row: int) -> ValueError:
    """Say where the first infinite number of a column is."""
    return ValueError(
        f"X contains infinity in column {name!r}, first in row {row}: expected finite numbers, or "
        "NaN where a value is missing"
    )
