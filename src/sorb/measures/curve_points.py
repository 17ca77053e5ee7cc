"""The sizes of a fit with their risks, and what cross-validation found about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sorb._types import Float
from sorb.measures.gain import Gain
from sorb.measures.stage_risks import comparable_stages
from sorb.rules import RuleEnsemble

__all__ = ["CrossValidation", "CurvePoint", "draw_points"]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One size on the curve: its model, the risks of the model, and of others of its complexity."""

    rules: int
    complexity: int
    training_risk: float
    cross_validated_risk: float | None
    standard_error: float | None
    test_risk: float | None


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What cross-validation chose, and the risk that it found within each complexity 0, 1, ….

    Each risk is that with the penalty of the model of its size. One that is infinite or unknown is
    None. The gain is that of the chosen size over no rules, if both are known.
    """

    selection: str
    reg_lambda: float
    complexity: int
    risk: tuple[float | None, ...]
    standard_error: tuple[float | None, ...]
    gain: Gain | None = None

    @classmethod
    def of(cls, estimator: Any) -> CrossValidation | None:
        """Read it off a fitted estimator; None if it was not cross-validated."""
        curve = getattr(estimator, "curve_", None)
        if curve is None:
            return None
        reg_lambda, complexity = curve.choose(estimator.selection)
        penalty, budget = curve.along(estimator.stages_)
        penalty[complexity] = curve.reg_lambda.tolist().index(reg_lambda)
        risk = _finite(curve.risk[penalty, budget])
        error = _finite(curve.standard_error[penalty, budget])
        lowered, chosen = risk[0], risk[complexity]
        gain = None
        if lowered is not None and chosen is not None:
            gain_error = float(curve.gain_error[penalty[complexity], complexity])
            gain = Gain(lowered - chosen, gain_error if isfinite(gain_error) else None)
        return cls(estimator.selection, reg_lambda, complexity, risk, error, gain)

    def within(self, complexity: int) -> tuple[float | None, float | None]:
        """Give the risk within a complexity, and its standard error."""
        # Models of all rows may be more complex than those of the folds, of which the last count.
        budget = min(complexity, len(self.risk) - 1)
        return self.risk[budget], self.standard_error[budget]


def _finite(values: Float) -> tuple[float | None, ...]:
    return tuple(value if isfinite(value) else None for value in values.tolist())


def draw_points(
    estimator: Any, test_risk: Callable[[RuleEnsemble], float] | None
) -> tuple[CurvePoint, ...]:
    """List the sizes of a fit with their risks; `test_risk` measures a model on the test rows."""
    validated = CrossValidation.of(estimator)
    points = []
    for stage in comparable_stages(estimator):
        risk, error = validated.within(stage.complexity) if validated else (None, None)
        tested = None if test_risk is None else test_risk(stage.ensemble)
        size = len(stage.ensemble), stage.complexity
        points.append(CurvePoint(*size, stage.train_risk, risk, error, tested))
    return tuple(points)
