"""The division of rows into training rows and test rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sorb._types import Index

__all__ = ["split_rows"]


def split_rows(y: Sequence[Any], share: float, seed: int, stratify: bool) -> tuple[Index, Index]:
    """Draw the training rows and the test rows, of each class the same share.

    At least one row of each class is a training row, so that the model knows the class.

    Examples
    --------
    >>> training, test = split_rows(["a", "a", "b", "a", "b"], 0.4, seed=0, stratify=True)
    >>> len(training), len(test)
    (3, 2)
    """
    order = np.random.default_rng(seed).permutation(len(y)).tolist()
    groups: dict[Any, list[int]] = {}
    for row in order:
        groups.setdefault(y[row] if stratify else None, []).append(row)
    test: list[int] = []
    due = 0.0
    for label in sorted(groups, key=str):
        due += share * len(groups[label])
        taken = min(round(due), len(groups[label]) - 1)
        test += groups[label][:taken]
        due -= taken
    is_test = np.zeros(len(y), dtype=np.bool_)
    is_test[test] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)
