"""Infinite numbers, which models refuse: they are mistakes of an earlier step, not measurements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules.columns import ColumnSource

__all__ = ["infinity_error", "map_finite", "require_no_infinity"]

# Of so few rows, all columns are looked at together, as the time goes into calls.
_FEW_ROWS = 1000


def map_finite(
    source: ColumnSource,
    weighed: Collection[str],
    question: Callable[[ColumnSource], NDArray[Any]],
) -> NDArray[Any]:
    """Ask something as `ColumnSource.map` does, but refuse infinite numbers in weighed columns."""
    infinite = False

    def ask(block: ColumnSource) -> NDArray[Any]:
        nonlocal infinite
        if not (infinite or block.finite):
            infinite = _holds_infinity([block.take(name) for name in weighed])
        return question(block)

    answer = source.map(ask)
    if infinite:
        for name in weighed:
            require_no_infinity(source.take(name), name)
    return answer


def _holds_infinity(columns: Sequence[Float]) -> bool:
    """Whether one of the columns of a block holds an infinite number."""
    if not columns or len(columns[0]) <= _FEW_ROWS:
        return bool(np.isinf(columns).any())
    return any(np.isinf(column).any() for column in columns)


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
