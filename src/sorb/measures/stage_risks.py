"""The losses of all sizes of a fit on test rows, weighed as its training losses are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.learning.stages import Stage
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import class_labels, count_classes
from sorb.tables import weights
from sorb.tables.targets import Outcomes

__all__ = [
    "class_factors",
    "comparable_stages",
    "has_class_weights",
    "is_recalibrated",
    "recorded_class_weights",
    "training_class_weights",
    "weigh_classes",
]


def has_class_weights(estimator: Any) -> bool:
    """Whether classes were weighted when an estimator was fitted."""
    return getattr(estimator, "class_weight_", None) is not None


def is_recalibrated(estimator: Any) -> bool:
    """Whether the offset of an estimator was corrected after its fit."""
    learned = getattr(estimator, "learned_stages_", None)
    return learned is not None and learned is not estimator.stages_


def comparable_stages(estimator: Any) -> Sequence[Stage]:
    """Give the models that the training losses are of.

    Class weights are undone by `recalibrate`, but not in these losses, nor in cross-validated ones.
    """
    found: Sequence[Stage] = (
        estimator.learned_stages_ if has_class_weights(estimator) else estimator.stages_
    )
    return found


def weigh_classes(outcomes: Outcomes, ensemble: RuleEnsemble, estimator: Any) -> Outcomes:
    """Multiply the weights of rows by those that their classes had when an estimator was fitted.

    Examples
    --------
    >>> from sorb import LLTBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array(["no"] * 6 + ["yes"] * 2)
    >>> model = LLTBoostClassifier(class_weight={"yes": 3.0}, max_rules=0).fit(X, y)
    >>> outcomes = Outcomes.of(model.ensemble_, ["yes", "no"], np.ones(2))
    >>> weigh_classes(outcomes, model.ensemble_, model).weight
    array([3., 1.])
    """
    factors = class_factors(ensemble, estimator)
    return outcomes if factors is None else outcomes.weigh_classes(factors)


def class_factors(ensemble: RuleEnsemble, estimator: Any) -> tuple[float, ...] | None:
    """What the weights of each class of a model were multiplied by, up to a factor for all."""
    if not has_class_weights(estimator):
        return None
    known = dict(zip(estimator.classes_.tolist(), estimator.class_weight_.tolist(), strict=True))
    return tuple(known[label] for label in class_labels(ensemble.classes))


def training_class_weights(
    class_weight: Any, ensemble: RuleEnsemble, outcomes: Outcomes
) -> tuple[float, ...] | None:
    """What the weights of training rows of each class of a model were multiplied by, if they were.

    Examples
    --------
    >>> ensemble = RuleEnsemble(0.0, (), (), "logistic", ("no", "yes"))
    >>> outcomes = Outcomes.of(ensemble, ["no", "yes", "no", "no"], np.ones(4))
    >>> [round(weight, 3) for weight in training_class_weights("balanced", ensemble, outcomes)]
    [0.667, 2.0]
    """
    if class_weight is None:
        return None
    labels = np.array(class_labels(ensemble.classes))
    total = np.bincount(outcomes.y.astype(np.intp), outcomes.weight, len(labels))
    return tuple(weights.class_factors(class_weight, labels, total.astype(np.float64)).tolist())


def recorded_class_weights(
    ensemble: RuleEnsemble, outcomes: Outcomes, score: Callable[[RuleEnsemble], Float]
) -> tuple[float, ...] | None:
    """Give the class weights that a model notes down, for its training rows, which it scores.

    None if it notes none, or was recalibrated: then it expects classes as often as they occur.

    Examples
    --------
    >>> from sorb import LLTBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array(["no"] * 6 + ["yes"] * 2)
    >>> model = LLTBoostClassifier(class_weight={"yes": 3.0}, max_rules=0).fit(X, y)
    >>> outcomes = Outcomes.of(model.ensemble_, y, np.ones(8))
    >>> for each in (model, model.recalibrate(X, y)):
    ...     print(recorded_class_weights(each.ensemble_, outcomes, lambda ensemble: ensemble(X)))
    (1.0, 3.0)
    None
    """
    noted = None
    if ensemble.record is not None and count_classes(ensemble.loss, ensemble.classes) > 1:
        noted = ensemble.record.readable_settings.get("class_weight")
    if noted != "balanced" and not isinstance(noted, dict):
        return None
    factors = training_class_weights(noted, ensemble, outcomes)
    assert factors is not None  # there are class weights
    mean = ensemble.loss.mean(score(ensemble))
    weighted = _calibration_gap(outcomes.weigh_classes(factors), mean)
    return factors if weighted <= _calibration_gap(outcomes, mean) else None


def _calibration_gap(outcomes: Outcomes, mean: Float) -> float:
    """How far the mean probability of any class is from the share of its rows."""
    occurs = outcomes.y if mean.ndim == 1 else outcomes.y[:, None] == np.arange(mean.shape[1])
    gap = np.average(mean - occurs, axis=0, weights=outcomes.weight)
    return float(np.abs(gap).max())
