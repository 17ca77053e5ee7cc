"""How much better a model is than the baseline, and whether that could be chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.measures.estimate import LEAST_UNITS, Units, add_freedom, student_quantile
from sorb.tables.targets import Outcomes

__all__ = ["LEAST_STANDARD_ERRORS", "Gain"]

# As in cross-validation, a gain is clear from two standard errors on, or more if few rows or groups
# tell how large they are.
LEAST_STANDARD_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Gain:
    """How much lower the mean loss of a model is than that of the baseline.

    Attributes
    ----------
    value : float
        The difference of the mean losses; negative if the model is worse.
    standard_error : float or None
        That of the difference, or None if it cannot be told from the rows.
    freedom : float
        Its degrees of freedom: few where few rows or groups, or few of a class, vary; 0 if there
        is a single one, or only one class.
    """

    value: float
    standard_error: float | None
    freedom: float = math.inf

    @classmethod
    def of(
        cls,
        outcomes: Outcomes,
        scores: Float,
        baseline: Float,
        group: NDArray[np.intp] | None = None,
    ) -> Gain:
        """Compare the scores of a model and of the baseline for the same rows.

        Examples
        --------
        >>> from sorb.losses import Squared
        >>> rows = Outcomes(np.array([0.0, 2.0]), np.ones(2), Squared())
        >>> Gain.of(rows, np.array([0.0, 2.0]), np.array([1.0, 1.0]))
        Gain(value=0.5, standard_error=0.0, freedom=1.0)
        """
        with np.errstate(over="ignore", invalid="ignore"):
            losses = [outcomes.loss.value(outcomes.y, values) for values in (baseline, scores)]
            differences = losses[0] - losses[1]
        weight, total = outcomes.weight, float(outcomes.weight.sum())
        with np.errstate(over="ignore", invalid="ignore"):
            value = float(weight @ differences) / total
        if not math.isfinite(value):
            return cls(-math.inf if np.isnan(value) else value, None)
        deviation = (differences - value) / total
        with np.errstate(over="ignore"):
            units = Units.of(weight, group, outcomes.count)
            variance = units.variance(weight * deviation) * units.correction(weight)
            freedom = _freedom(outcomes, units, weight * deviation)
        return cls(value, math.sqrt(variance) if math.isfinite(variance) else None, freedom)

    def to_dict(self) -> dict[str, float | None]:
        """Give plain values that fit in JSON: None for what is infinite."""
        value = self.value if math.isfinite(self.value) else None
        return {"value": value, "standard_error": self.standard_error}

    @property
    def quantile(self) -> float:
        """How many standard errors a 95 % interval has on each side, after Student."""
        return student_quantile(self.freedom)

    @property
    def is_clear(self) -> bool:
        """Whether the model is better by more than chance explains."""
        if not self.freedom:
            return False
        least = max(LEAST_STANDARD_ERRORS, self.quantile)
        return self.value > least * (self.standard_error or 0.0)


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
