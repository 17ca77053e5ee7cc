"""All measures of one model on rows whose outcome is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.measures.auc import auc, mean_auc
from sorb.measures.calibration import calibration_error
from sorb.measures.cutoff import Cutoff, Decisions
from sorb.measures.estimate import Estimate
from sorb.measures.mean_intervals import MeanIntervals
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import class_probabilities, predicted_indices
from sorb.tables.targets import Outcomes

__all__ = ["Measures"]


@dataclass(frozen=True, slots=True)
class Measures:
    """How good the predictions of a model are; infinitely bad if they are too large for a float.

    What does not apply, or cannot be told from the rows, is None.

    Attributes
    ----------
    risk : float
        The mean loss: for classes the log loss; for numbers half the mean squared error or half
        the mean deviance.
    error : float or None
        The share of rows for which another class than theirs is predicted.
    r2 : float or None
        The share of the variance that is explained; None if all outcomes are equal.
    calibration_error : float
        The mean difference between what the model expects and what occurs, over ten bins of equal
        width that group rows by their expected outcome: the probability of the second class, of
        each class in turn if there are more, or the predicted number.
    auc : Estimate or None
        The area under the ROC curve; of more than two classes, the mean of each against the others.
    brier : float or None
        Of two classes: the mean squared difference between probability and outcome.
    balanced_accuracy : float or None
        Of more than two classes: the mean over the classes of the share that is recognised.
    rmse, mae : float or None
        The root of the mean squared error and the mean absolute error, in the unit of the outcome.
    decisions : Decisions or None
        Of two classes: how good decisions at a cut-off are.
    intervals : mapping from str to pair of float
        The 95 % intervals of those of the numbers above that have one, by name.

    Examples
    --------
    >>> ensemble = RuleEnsemble(0.0, (), (), "logistic", ("no", "yes"))
    >>> outcomes = Outcomes.of(ensemble, ["no", "yes"], np.ones(2))
    >>> found = Measures.of(ensemble, np.array([-2.0, 2.0]), outcomes)
    >>> found.error, found.auc.value
    (0.0, 1.0)
    """

    risk: float
    error: float | None = None
    r2: float | None = None
    calibration_error: float = 0.0
    auc: Estimate | None = None
    brier: float | None = None
    balanced_accuracy: float | None = None
    rmse: float | None = None
    mae: float | None = None
    decisions: Decisions | None = None
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        ensemble: RuleEnsemble,
        scores: Float,
        outcomes: Outcomes,
        cutoff: Cutoff | None = None,
        group: NDArray[np.intp] | None = None,
        fold: NDArray[np.intp] | None = None,
    ) -> Measures:
        """Compare scores with the outcomes of their rows.

        The scores may be those of another model for the same outcomes: of the ensemble, only the
        loss and the classes count.

        Parameters
        ----------
        ensemble : what the outcomes are.
        scores : those of each row.
        outcomes : the outcomes, and the weights of the rows.
        cutoff : the probability to decide by, if there are two classes.
        group : the number of the group of each row; rows of a group may be alike.
        fold : the number of the model that gave the scores of each row, if there are several.
        """
        risk = outcomes.risk(scores)
        intervals = MeanIntervals(outcomes, group)
        intervals.add_risk(scores)
        common: dict[str, Any] = {"risk": risk, "intervals": intervals.found}
        if not ensemble.loss.has_classes:
            return cls(**common, **_of_numbers(ensemble.loss.mean(scores), outcomes, intervals))
        probabilities = class_probabilities(ensemble.loss, ensemble.classes, scores)
        n_classes = probabilities.shape[1]
        # A single class is number 1 among outcomes, like the second of two.
        y = outcomes.y.astype(np.intp) - (n_classes == 1)
        hit = predicted_indices(ensemble.classes, scores) == y
        common["error"] = float(np.average(~hit, weights=outcomes.weight))
        intervals.add_error(~hit)
        if n_classes > 2:
            found = _of_classes(probabilities, y, hit, outcomes, intervals, fold)
        else:
            expected, positive = probabilities[:, -1], y == n_classes - 1
            found = _of_two_classes(expected, positive, outcomes, cutoff, intervals, fold)
        return cls(**common, **found)

    def estimate(self, name: str) -> Estimate | None:
        """Give one of the plain numbers with its interval, which has no width if there is none.

        Examples
        --------
        >>> Measures(0.5, intervals={"risk": (0.4, 0.6)}).estimate("risk")
        Estimate(value=0.5, low=0.4, high=0.6)
        """
        value = getattr(self, name)
        return None if value is None else Estimate(value, *self.intervals.get(name, (value, value)))

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON: None for what is infinite."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return None if value is None or not math.isfinite(value) else value


def _of_two_classes(
    expected: Float,
    positive: NDArray[np.bool_],
    outcomes: Outcomes,
    cutoff: Cutoff | None,
    intervals: MeanIntervals,
    fold: NDArray[np.intp] | None,
) -> dict[str, Any]:
    weight, count, group = outcomes.weight, outcomes.copies, intervals.group
    gap = calibration_error(expected[:, None], positive[:, None].astype(np.float64), weight)
    squares = (expected - positive) ** 2
    intervals.add_mean("brier", squares, 1.0)
    decisions = None
    if cutoff is not None:
        above = cutoff.is_above(expected)
        decisions = Decisions.of(above, positive, weight, group, count)
    return {
        "calibration_error": gap,
        "brier": float(np.average(squares, weights=weight)),
        "auc": auc(expected, positive, weight, group, fold, count),
        "decisions": decisions,
    }


def _of_classes(
    probabilities: Float,
    y: NDArray[np.intp],
    hit: NDArray[np.bool_],
    outcomes: Outcomes,
    intervals: MeanIntervals,
    fold: NDArray[np.intp] | None,
) -> dict[str, Any]:
    n_classes, weight = probabilities.shape[1], outcomes.weight
    intervals.add_balanced_accuracy(hit, y)
    totals = np.bincount(y, weight, n_classes)
    found = np.bincount(y, weight * hit, n_classes)[totals > 0] / totals[totals > 0]
    occurred = (y[:, None] == np.arange(n_classes)).astype(np.float64)
    return {
        "calibration_error": calibration_error(probabilities, occurred, weight),
        "auc": mean_auc(probabilities, y, weight, intervals.group, fold, outcomes.copies),
        "balanced_accuracy": float(found.mean()),
    }


def _of_numbers(mean: Float, outcomes: Outcomes, intervals: MeanIntervals) -> dict[str, Any]:
    y, weight = outcomes.y, outcomes.weight
    squares = (y - np.average(y, weights=weight)) ** 2
    total = float(weight @ squares)
    with np.errstate(over="ignore"):  # the square of a large prediction may be infinite
        errors = (y - mean) ** 2
        squared = float(weight @ errors)
    intervals.add_numbers(errors, squares)
    intervals.add_mean("mae", np.abs(y - mean))
    limits = float(mean.min()), float(mean.max())
    return {
        "calibration_error": calibration_error(mean[:, None], y[:, None], weight, limits),
        "r2": 1 - squared / total if total else None,
        "rmse": math.sqrt(squared / float(weight.sum())),
        "mae": float(np.average(np.abs(y - mean), weights=weight)),
    }
