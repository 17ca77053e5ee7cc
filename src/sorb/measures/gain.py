"""How much better a model is than the baseline, and whether that could be chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.measures.mean import Mean, average
from sorb.tables.targets import Outcomes

__all__ = ["LEAST_STANDARD_ERRORS", "Gain"]

# As in cross-validation, a gain is clear from two standard errors on, or more if few rows or groups
# tell how large they are.
LEAST_STANDARD_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Gain(Mean):
    """How much lower the mean loss of a model is than that of the baseline; below 0 if higher."""

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
        found = average(outcomes, differences, group)
        return cls(found.value, found.standard_error, found.freedom)

    def to_dict(self) -> dict[str, float | None]:
        """Give plain values that fit in JSON: None for what is infinite."""
        value = self.value if math.isfinite(self.value) else None
        return {"value": value, "standard_error": self.standard_error}

    @property
    def is_clear(self) -> bool:
        """Whether the model is better by more than chance explains."""
        if not self.freedom:
            return False
        least = max(LEAST_STANDARD_ERRORS, self.quantile)
        return self.value > least * (self.standard_error or 0.0)
