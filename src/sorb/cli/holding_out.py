"""Rows that are held out, so that a model can be judged by what it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["held_out_rows"]


def held_out_rows(
    y: Sequence[Any], share: float, seed: int, classes: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the rows to learn from and those to hold out, of each class the same share.

    At least one row of each class is learned from, so that the model knows it.

    Examples
    --------
    >>> learned, held_out = held_out_rows(["a", "a", "b", "a", "b"], 0.4, seed=0, classes=True)
    >>> len(learned), len(held_out)
    (3, 2)
    """
    order = np.random.default_rng(seed).permutation(len(y))
    labels = [y[row] for row in order.tolist()] if classes else [None] * len(y)
    groups: dict[Any, list[int]] = {}
    for row, label in zip(order.tolist(), labels, strict=True):
        groups.setdefault(label, []).append(row)
    held_out: list[int] = []
    due = 0.0
    for label in sorted(groups, key=str):
        due += share * len(groups[label])
        taken = min(round(due), len(groups[label]) - 1)
        held_out += groups[label][:taken]
        due -= taken
    chosen = np.zeros(len(y), dtype=np.bool_)
    chosen[held_out] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)
