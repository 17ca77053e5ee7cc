"""Summaries of curves over repetitions: means, medians with intervals, and values at a complexity.

Everything here follows the paper's protocol, whose ambiguities are resolved as follows. A target
that needs a complexity of more than 100 is not reached. Intervals of medians are given with their
true coverage. Where the paper takes the least test risk within a complexity, the risk of the
largest model within it is given as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from sorb._types import Float
from sorb.lab.curves import TradeOffCurve

Subset = Literal["train", "test"]

MAX_COMPLEXITY = 100
TARGET_COMPLEXITY = 50
SMALL_COMPLEXITY = 20  # what fits on a card
REDUCTIONS = (0.25, 0.5, 0.75)
CONFIDENCE = 0.88  # the coverage of the paper's interval for 15 repetitions


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its interval, and the number of repetitions that it is based on."""

    value: float
    low: float
    high: float
    repetitions: int


@dataclass(frozen=True, slots=True, eq=False)
class MeanCurve:
    """Means over repetitions for each size of model, up to a mean complexity of 100.

    Attributes
    ----------
    complexity, value : ndarray of float
        The means.
    complexity_margin, value_margin : ndarray of float
        Half the width of their 95 % intervals over repetitions; 0 for a single repetition.
    """

    complexity: Float
    complexity_margin: Float
    value: Float
    value_margin: Float


def mean_curve(repetitions: Sequence[TradeOffCurve], subset: Subset = "test") -> MeanCurve:
    """Average complexity and value over repetitions.

    A repetition that stopped early keeps its last model; before its first model, the model without
    rules counts. A method without a complexity is not limited to 100.
    """
    complexity = _align(repetitions, [curve.complexity for curve in repetitions], 0.0)
    values = _align(repetitions, [getattr(curve, subset) for curve in repetitions], 1.0)
    affordable = ~(complexity.mean(axis=0) > MAX_COMPLEXITY)  # NaN is affordable
    return MeanCurve(
        *_mean_and_margin(complexity[:, affordable]), *_mean_and_margin(values[:, affordable])
    )


def _align(repetitions: Sequence[TradeOffCurve], values: Sequence[Float], before: float) -> Float:
    """Return a row for each repetition, and a column for each step that any of them has."""
    steps = np.unique(np.concatenate([curve.step for curve in repetitions]))
    return np.array(
        [
            np.append(before, row)[np.searchsorted(curve.step, steps, side="right")]
            for curve, row in zip(repetitions, values, strict=True)
        ]
    )


def _mean_and_margin(values: Float) -> tuple[Float, Float]:
    n = len(values)
    if n == 1:
        return values[0], np.zeros(values.shape[1])
    from scipy.stats import t

    with np.errstate(over="ignore", invalid="ignore"):  # a risk may be infinite
        margin = t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
        return values.mean(axis=0), np.asarray(margin)


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean over repetitions with its 95 % interval by Student's t; NaN for only one.

    Examples
    --------
    >>> from sorb.lab.statistics import mean_estimate
    >>> mean_estimate([2.0, 2.0])
    Estimate(value=2.0, low=2.0, high=2.0, repetitions=2)
    """
    means, margins = _mean_and_margin(np.array(values, dtype=np.float64)[:, np.newaxis])
    # Unlike those of NumPy, plain floats may be infinite without a warning.
    mean, margin = float(means[0]), float(margins[0]) if len(values) > 1 else np.nan
    return Estimate(mean, mean - margin, mean + margin, len(values))


@dataclass(frozen=True, slots=True)
class Average:
    """The value over all sizes of model up to complexity 100.

    Attributes
    ----------
    mean : float
        Mean over the sizes whose mean complexity is at most 100; NaN if there are none.
    spread : float
        Standard deviation over those sizes.
    margin : float
        Half of the 95 % interval of `mean`, 1.96 standard errors over those sizes. Like the
        paper's ±, it says nothing about repetitions.
    """

    mean: float
    spread: float
    margin: float


def average(repetitions: Sequence[TradeOffCurve], subset: Subset = "test") -> Average:
    """Average complexity and value over repetitions, then the value over sizes of model.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.lab.curves import TradeOffCurve
    >>> from sorb.lab.statistics import average
    >>> complexity, risk = np.array([4.0, 8.0, 101.0]), np.array([0.7, 0.5, 0.1])
    >>> average([TradeOffCurve(np.arange(1, 4), complexity, risk, risk, np.zeros(3))]).mean
    0.6
    """
    points = mean_curve(repetitions, subset).value
    if not len(points):
        return Average(np.nan, np.nan, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):  # a risk may be infinite
        error = points.std(ddof=1) / np.sqrt(len(points)) if len(points) > 1 else 0.0
        return Average(float(points.mean()), float(points.std()), float(1.96 * error))


def area(curve: TradeOffCurve) -> float:
    """Return the mean over c = 1 … 100 of the test value of the largest model within c.

    Before the first model it is 1.
    """
    order = np.argsort(curve.complexity, kind="stable")
    budgets = np.arange(1, MAX_COMPLEXITY + 1)
    affordable = np.searchsorted(curve.complexity[order], budgets, side="right")
    with np.errstate(over="ignore", invalid="ignore"):  # a risk may be infinite
        return float(np.append(1.0, curve.test[order])[affordable].mean())


def complexity_at(curve: TradeOffCurve, reduction: float) -> float:
    """Return the least complexity up to 100 whose test value is lower by this share; else ∞."""
    enough = (curve.test <= 1 - reduction) & (curve.complexity <= MAX_COMPLEXITY)
    return float(curve.complexity[enough].min(initial=np.inf))


def median_complexity_at(repetitions: Sequence[TradeOffCurve], reduction: float) -> float:
    """Return the median over repetitions of `complexity_at`."""
    return float(np.median([complexity_at(curve, reduction) for curve in repetitions]))


def least_within(
    curve: TradeOffCurve, subset: Subset, complexity: float = TARGET_COMPLEXITY
) -> float:
    """Return the least value of all models within a complexity, or 1 if there is none.

    This is what the paper does. On the test rows it is optimistic, because they choose the model.
    """
    within = getattr(curve, subset)[curve.complexity <= complexity]
    return float(within.min()) if len(within) else 1.0


def largest_within(
    curve: TradeOffCurve, subset: Subset, complexity: float = TARGET_COMPLEXITY
) -> float:
    """Return the value of the largest model within a complexity, or 1 if there is none."""
    return _of_largest(curve, getattr(curve, subset), complexity, 1.0)


def seconds_at(curve: TradeOffCurve, complexity: float) -> float:
    """Return the training time of the largest model within a complexity, or NaN."""
    return _of_largest(curve, curve.seconds, complexity, np.nan)


def _of_largest(curve: TradeOffCurve, values: Float, complexity: float, otherwise: float) -> float:
    order = np.argsort(curve.complexity, kind="stable")
    affordable = int(np.searchsorted(curve.complexity[order], complexity, side="right"))
    return float(values[order][affordable - 1]) if affordable else otherwise


def coverage(n: int) -> float:
    """Return the probability that the interval of `median_estimate` covers the true median.

    Examples
    --------
    >>> from sorb.lab.statistics import coverage
    >>> f"{coverage(15):.1%}"
    '88.2%'
    """
    return _coverage(n, *_ranks(n))


def _coverage(n: int, low: int, high: int) -> float:
    """Return P(X₍low₎ ≤ median < X₍high₎): low to high − 1 values lie below the median."""
    return float(sum(comb(n, j) for j in range(low, high)) / 2**n)


def _ranks(n: int) -> tuple[int, int]:
    """Return the innermost pair of order statistics with enough coverage, or the outermost."""
    for low in range((n + 1) // 2, 0, -1):
        if _coverage(n, low, n + 1 - low) >= CONFIDENCE:
            return low, n + 1 - low
    return 1, n


def median_estimate(values: Sequence[float]) -> Estimate:
    """Return the median over repetitions with its distribution-free interval.

    The interval is that between two order statistics, such as the 5th and the 11th of 15; it
    covers the true median with the probability `coverage`.

    Examples
    --------
    >>> from sorb.lab.statistics import median_estimate
    >>> median_estimate([*range(1, 15), float("inf")])
    Estimate(value=8.0, low=5.0, high=11.0, repetitions=15)
    """
    if not values:
        return Estimate(np.nan, np.nan, np.nan, 0)
    low, high = _ranks(len(values))
    ordered = np.sort(np.array(values, dtype=np.float64))
    return Estimate(
        float(np.median(ordered)),
        float(ordered[low - 1]),
        float(ordered[high - 1]),
        len(values),
    )


def seconds_estimate(repetitions: Sequence[TradeOffCurve], reduction: float) -> Estimate:
    """Return the median time to learn a model of the median complexity that a reduction needs.

    It is infinite if that complexity is.
    """
    complexity = median_complexity_at(repetitions, reduction)
    if not np.isfinite(complexity):
        return Estimate(np.inf, np.inf, np.inf, len(repetitions))
    seconds = [seconds_at(curve, complexity) for curve in repetitions]
    return median_estimate([value for value in seconds if not np.isnan(value)])
