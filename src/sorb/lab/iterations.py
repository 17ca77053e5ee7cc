"""How much work it takes to find a separator of s columns: along the path, or by bisection.

Both look for the separators of the first boosting round, with 1 … 10 columns, on a bootstrap
sample of a dataset. The path is followed once for all sizes; the paper's bisection first doubles
liblinear's C, from 1, until there are at least s columns, and then halves the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.utils.fixes import parse_version

from sorb._types import Float
from sorb.lab.datasets import Dataset
from sorb.lab.protocol import SEED
from sorb.learning.separators import path

MOST_COLUMNS = 10
_MOST_SOLVES = 50
# scikit-learn 1.8 changed how an L1 penalty is set.
_NEW = parse_version(sklearn.__version__) >= parse_version("1.8")
_L1 = {"l1_ratio": 1} if _NEW else {"penalty": "l1"}
_WIDE = 1000.0  # liblinear penalises the intercept by 1 / intercept_scaling: negligible


def count_path(dataset: Dataset, repetition: int) -> list[dict[str, Any]]:
    """Count the passes over the rows until the path first has 1, 2, … columns."""
    Z, side, weight = _first_round(dataset, repetition)
    passes: dict[int, int] = {}
    for separator in path(Z, side, weight, min(MOST_COLUMNS, Z.shape[1])):
        passes.setdefault(len(separator.support), separator.passes)
    return [_row(dataset, size, passes[size], None) for size in sorted(passes)]


def count_bisection(dataset: Dataset, repetition: int) -> list[dict[str, Any]]:
    """Count the halvings until a bisection first has 1, 2, … columns, and the doublings before."""
    columns = _columns_at(*_first_round(dataset, repetition))
    sizes = range(1, min(MOST_COLUMNS, len(dataset.columns)) + 1)
    found = ((size, _bisect(columns, size)) for size in sizes)
    return [_row(dataset, size, *counts) for size, counts in found if counts is not None]


def _first_round(dataset: Dataset, repetition: int) -> tuple[Float, Float, Float]:
    """Return the standardised rows, and the sign and size of their gradient."""
    rng = np.random.default_rng([SEED, repetition])
    rows = rng.choice(len(dataset.y), len(dataset.y))
    X, y = dataset.X[rows], dataset.y[rows].astype(np.float64)
    X = X[:, X.std(axis=0) > 0]
    gradient = y - y.mean()
    Z = np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0))
    return Z, np.where(gradient >= 0, 1.0, -1.0), np.abs(gradient)


def _columns_at(Z: Float, side: Float, weight: Float) -> Callable[[float], int]:
    @cache
    def columns(C: float) -> int:
        model = LogisticRegression(
            **_L1, C=C, solver="liblinear", intercept_scaling=_WIDE, random_state=0
        )
        return int(np.count_nonzero(model.fit(Z, side, sample_weight=weight).coef_))

    return columns


def _bisect(columns: Callable[[float], int], size: int) -> tuple[int, int] | None:
    """Return the numbers of halvings and doublings; None if no penalty gives this size."""
    high, doublings = 1.0, 0
    while columns(high) < size:
        high, doublings = 2 * high, doublings + 1
        if doublings > _MOST_SOLVES:
            return None
    low, middle = 0.0, high
    for solves in range(_MOST_SOLVES):
        found = columns(middle)
        if found == size:
            return solves, doublings
        low, high = (middle, high) if found < size else (low, middle)
        middle = (low + high) / 2
    return None


def _row(dataset: Dataset, size: int, iterations: int, doublings: int | None) -> dict[str, Any]:
    return {
        "task": dataset.task,
        "step": size,
        "setting": f"columns={size}",
        "iterations": iterations,
        "doublings": doublings,
    }


COUNTERS: dict[str, Callable[[Dataset, int], list[dict[str, Any]]]] = {
    "path": count_path,
    "bisection": count_bisection,
}
"""Both methods by name."""
