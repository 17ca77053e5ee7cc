"""Means over rows, such as a mean loss, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.measures.estimate import LEAST_UNITS, Units, add_freedom, student_quantile
from sorb.tables.targets import Outcomes

__all__ = ["Mean", "average", "interval_above_zero"]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over rows.

    Attributes
    ----------
    value : float
        The mean; minus infinity if it is that of values that are too large for a float.
    standard_error : float or None
        Its standard error, or None if it cannot be told from the rows.
    freedom : float
        The degrees of freedom of the error: few where few rows or groups, or few of a class, vary;
        0 if there is a single one, or only one class.
    """

    value: float
    standard_error: float | None
    freedom: float = math.inf

    @property
    def quantile(self) -> float:
        """How many standard errors a 95 % interval has on each side, after Student."""
        return student_quantile(self.freedom)


def average(outcomes: Outcomes, values: Float, group: NDArray[np.intp] | None = None) -> Mean:
    """Average a value of each row.

    Parameters
    ----------
    outcomes : the outcomes of the rows, with their weights.
    values : what is averaged.
    group : the number of the group of each row; rows of a group may be alike.

    Examples
    --------
    >>> from sorb.losses import Squared
    >>> rows = Outcomes(np.array([0.0, 2.0, 4.0]), np.ones(3), Squared())
    >>> found = average(rows, np.array([1.0, 2.0, 3.0]))
    >>> found.value, round(found.standard_error, 3), round(found.freedom, 3)
    (2.0, 0.577, 2.0)
    """
    weight, total = outcomes.weight, float(outcomes.weight.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(weight @ values) / total
    if not math.isfinite(value):
        return Mean(-math.inf if np.isnan(value) else value, None)
    deviation = weight * ((values - value) / total)
    with np.errstate(over="ignore"):
        units = Units.of(weight, group, outcomes.count)
        variance = units.variance(deviation) * units.correction(weight)
        freedom = _freedom(outcomes, units, deviation)
    return Mean(value, math.sqrt(variance) if math.isfinite(variance) else None, freedom)


def interval_above_zero(mean: Mean) -> tuple[float, float] | None:
    """Give the 95 % interval of a mean that cannot be negative; None if the rows tell none.

    It reaches as many times as far up as down, since losses are skewed: a few large ones, which the
    rows may lack, have a large part of their mean.

    Examples
    --------
    >>> low, high = interval_above_zero(Mean(0.5, 0.1))
    >>> round(low, 3), round(high, 3)
    (0.338, 0.74)
    """
    if not mean.freedom or mean.standard_error is None or not mean.value > 0:
        return None
    # More is no interval that anyone can use, and the exponential of it may be infinite.
    exponent = min(mean.quantile * mean.standard_error / mean.value, 700.0)
    return mean.value * math.exp(-exponent), mean.value * math.exp(exponent)


def _freedom(outcomes: Outcomes, units: Units, deviation: Float) -> float:
    """The degrees of freedom of the variance of the sum of deviations.

    Rows of a rare class may have nearly all of the variance, and are as many squares to see it by
    as there are of them: the mean that they deviate from is that of all rows.
    """
    weight = outcomes.weight
    n = units.number(weight)
    if n <= LEAST_UNITS:
        return 0.0
    if not outcomes.loss.has_classes:
        return n - 1
    classes = np.unique(outcomes.y[weight > 0])
    if len(classes) == 1:
        return 0.0
    of_classes = [outcomes.y == label for label in classes]
    variances = [units.variance(np.where(rows, deviation, 0.0)) for rows in of_classes]
    sizes = [units.number(np.where(rows, weight, 0.0)) for rows in of_classes]
    return min(n - 1, add_freedom(variances, sizes))
