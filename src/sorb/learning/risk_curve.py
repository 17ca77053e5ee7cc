"""What cross-validation says about each size of model, and the choice that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Float, Int
from sorb.learning.stages import Stage

SELECTIONS = ("best", "near_best", "one_se")
# A risk is near the lowest one if it is higher by no more than this share of the risk without
# rules, this share of what rules gain, and this many standard errors of the difference.
_NEGLIGIBLE, _NEGLIGIBLE_GAIN = 0.025, 0.15
_MOST_STANDARD_ERRORS = 3.0
# The best model must be better than the one without rules by this many standard errors.
_LEAST_STANDARD_ERRORS = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class RiskCurve:
    """Cross-validated risk against the budget of complexity, for each L2 penalty.

    Attributes
    ----------
    reg_lambda : ndarray of shape (n_penalties,)
        The L2 penalties.
    complexity : ndarray of shape (n_budgets,)
        The budgets 0, 1, …, up to the largest complexity of any model.
    risk : ndarray of shape (n_penalties, n_budgets)
        The mean loss of the validation rows, each by the best model within the budget that was
        learned without its fold.
    standard_error : ndarray of shape (n_penalties, n_budgets)
        The standard error of that mean, from the differences between blocks of rows. Like the
        others, it is that of the models that were grown: that other rows would have grown other
        models is left out.
    excess_error : ndarray of shape (n_penalties, n_budgets)
        The standard error of the difference between the risk and the lowest one.
    gain_error : ndarray of shape (n_penalties, n_budgets)
        The standard error of the difference between the risk and that of the model without rules.

    Examples
    --------
    >>> import numpy as np
    >>> curve = RiskCurve(
    ...     np.array([1.0]),
    ...     np.arange(5),
    ...     risk=np.array([[0.7, 0.7, 0.7, 0.405, 0.39]]),
    ...     standard_error=np.full((1, 5), 0.02),
    ...     excess_error=np.full((1, 5), 0.004),
    ...     gain_error=np.full((1, 5), 0.01),
    ... )
    >>> curve.choose("best"), curve.choose("near_best"), curve.choose("one_se")
    ((1.0, 4), (1.0, 4), (1.0, 3))
    """

    reg_lambda: Float
    complexity: Int
    risk: Float
    standard_error: Float
    excess_error: Float
    gain_error: Float

    @classmethod
    def of(cls, reg_lambda: Float, losses: Float, weight: Float) -> RiskCurve:
        """Summarise losses (penalties × budgets × blocks) that were added up by blocks of rows."""
        # A model without a penalty may rule out what occurs: its risk is infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            risk = losses.sum(axis=2) / weight.sum()
            lowest = _place_of_lowest(risk)
            errors = [
                _standard_error(losses - reference, weight)
                for reference in (np.zeros(()), losses[lowest], losses[:, :1])
            ]
        return cls(reg_lambda, np.arange(losses.shape[1]), risk, *errors)

    @classmethod
    def unknown(cls, reg_lambda: Float) -> RiskCurve:
        """Nothing could be validated."""
        nothing = np.full((len(reg_lambda), 1), np.nan)
        return cls(reg_lambda, np.arange(1), nothing, nothing, nothing, nothing)

    def choose(self, selection: str) -> tuple[float, int]:
        """Choose a penalty and a budget of complexity.

        Parameters
        ----------
        selection : {"best", "near_best", "one_se"}
            The lowest risk, or the least complexity whose risk is near it: higher by no more than
            2.5 % of the risk without rules, 15 % of what rules gain, and three standard errors of
            the difference ("near_best") or, if that is more, one standard error of the lowest risk
            itself ("one_se"). Of equal complexities, it is the one with the lower risk, then with
            the larger penalty. Except with "best", it is the model without rules unless the lowest
            risk is lower by two standard errors of the difference.

        Returns
        -------
        reg_lambda : float
        complexity : int
        """
        penalty, budget = np.indices(self.risk.shape).reshape(2, -1)
        # A risk that is not known is as good as infinite, so that it is chosen last.
        risk = np.nan_to_num(self.risk, nan=np.inf, posinf=np.inf).ravel()
        near = risk <= np.nan_to_num(self.limit(selection), nan=np.inf, posinf=np.inf).ravel()
        if selection != "best" and not self._learns():
            near = budget == 0
        order = np.lexsort((-self.reg_lambda[penalty], risk, budget, ~near))
        chosen = order[0]
        if budget[chosen] == 0:
            # Without rules all penalties are the same: larger models get the best one.
            order = np.lexsort((-self.reg_lambda[penalty], risk))
            return float(self.reg_lambda[penalty[order[0]]]), 0
        return float(self.reg_lambda[penalty[chosen]]), int(self.complexity[budget[chosen]])

    def best_penalty(self, complexity: int) -> float:
        """The penalty with the lowest risk within a budget; the largest one, if several have it.

        Where no model has any rules, all penalties are alike, and the next budget decides that
        tells them apart. Beyond the largest budget, it is that of the largest one.

        Examples
        --------
        >>> import numpy as np
        >>> risk = np.array([[0.7, 0.5, 0.4], [0.7, 0.4, 0.5]])
        >>> curve = RiskCurve(np.array([1.0, 3.0]), np.arange(3), risk, *[0 * risk] * 3)
        >>> curve.best_penalty(0), curve.best_penalty(1), curve.best_penalty(9)
        (3.0, 3.0, 1.0)
        """
        risk = np.nan_to_num(self.risk, nan=np.inf, posinf=np.inf)
        risk = risk[:, min(complexity, risk.shape[1] - 1) :]
        told_apart = ~np.isclose(risk, risk[:1], atol=0.0).all(axis=0)
        risk = risk[:, np.argmax(told_apart)]
        return float(self.reg_lambda[risk == risk.min()].max())

    def along(self, stages: Sequence[Stage]) -> tuple[Int, Int]:
        """Where to look up the model within each budget: the place of its penalty, and the budget.

        The tables of the curve, such as `risk`, are indexed by it.
        """
        stage_of = np.searchsorted([s.complexity for s in stages], self.complexity, side="right")
        places = {value: place for place, value in enumerate(self.reg_lambda.tolist())}
        used = [places[stages[max(k, 1) - 1].reg_lambda] for k in stage_of]
        return np.array(used), self.complexity

    def limit(self, selection: str) -> Float:
        """The highest risk that a model of each penalty and complexity may have to be chosen."""
        if selection not in SELECTIONS:
            raise ValueError(
                f"selection must be one of {', '.join(SELECTIONS)}, found {selection!r}"
            )
        margin = np.zeros(self.risk.shape)
        if selection != "best":
            without_rules = _finite(self.risk[0, 0])
            gain = _finite(self.risk[0, 0] - self.risk[self._lowest])
            negligible = np.minimum(_NEGLIGIBLE * without_rules, _NEGLIGIBLE_GAIN * gain)
            margin = np.minimum(_MOST_STANDARD_ERRORS * _finite(self.excess_error), negligible)
        if selection == "one_se":
            margin = np.maximum(margin, _finite(self.standard_error[self._lowest]))
        return np.asarray(self.risk[self._lowest] + margin)

    @property
    def _lowest(self) -> tuple[int, int]:
        """The penalty and the budget of the lowest risk."""
        return _place_of_lowest(self.risk)

    def _learns(self) -> bool:
        """Whether the lowest risk is clearly lower than that of the model without rules."""
        penalty, budget = self._lowest
        without_rules, lowest = self.risk[penalty, 0], self.risk[penalty, budget]
        if np.isinf(without_rules):
            return bool(np.isfinite(lowest))
        error = self.gain_error[penalty, budget]
        return bool(without_rules - lowest > _LEAST_STANDARD_ERRORS * error)


def _place_of_lowest(risk: Float) -> tuple[int, int]:
    penalty, budget = np.unravel_index(np.argmin(np.nan_to_num(risk, nan=np.inf)), risk.shape)
    return int(penalty), int(budget)


def _finite(values: Float | float) -> Float:
    """Replace what is not finite by 0."""
    return np.asarray(np.nan_to_num(values, posinf=0.0))


def _standard_error(losses: Float, weight: Float) -> Float:
    """The standard error of Σ losses / Σ weight over the last axis, whose entries are blocks."""
    n_blocks, total = len(weight), weight.sum()
    mean = losses.sum(axis=-1, keepdims=True) / total
    squares = np.square(losses - weight * mean).sum(axis=-1)
    return np.asarray(np.sqrt(squares * (n_blocks / max(n_blocks - 1, 1))) / total)
