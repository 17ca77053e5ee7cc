"""The losses of all sizes of a fit on test rows, weighed as its training losses are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sorb.learning.stages import Stage
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import class_labels
from sorb.tables.targets import Outcomes

__all__ = ["comparable_stages", "has_class_weights", "weigh_classes"]


def has_class_weights(estimator: Any) -> bool:
    """Whether classes were weighted when an estimator was fitted."""
    return getattr(estimator, "class_weight_", None) is not None


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
    if not has_class_weights(estimator):
        return outcomes
    known = dict(zip(estimator.classes_.tolist(), estimator.class_weight_.tolist(), strict=True))
    factor = np.array([known[label] for label in class_labels(ensemble.classes)])
    return replace(outcomes, weight=outcomes.weight * factor[outcomes.y.astype(np.intp)])
