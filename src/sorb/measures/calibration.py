"""How far expectations are from what happens, in one number."""

from __future__ import annotations

import math

import numpy as np

from sorb._types import Float

__all__ = ["calibration_error"]

BINS = 10


def calibration_error(
    expected: Float, occurred: Float, weight: Float, limits: tuple[float, float] = (0.0, 1.0)
) -> float:
    """The mean distance between what is expected and what occurs, in groups of rows.

    The rows are grouped by what is expected, into ten bins of equal width between the limits. With
    several columns, one for each class, it is the mean over all of them.

    Examples
    --------
    >>> p, y = np.array([[0.1], [0.1], [0.9], [0.9]]), np.array([[0], [0], [1], [0]])
    >>> round(calibration_error(p, y, np.ones(4)), 3)
    0.25
    """
    low, high = limits
    if not math.isfinite(high - low):
        return math.inf  # some expected outcome is
    scaled = (expected - low) / ((high - low) or 1.0)
    bins = np.minimum((scaled * BINS).astype(np.intp), BINS - 1)
    gaps = [
        np.bincount(bins[:, k], weight * (expected[:, k] - occurred[:, k]), BINS)
        for k in range(expected.shape[1])
    ]
    return float(np.abs(gaps).sum() / (weight.sum() * len(gaps)))
