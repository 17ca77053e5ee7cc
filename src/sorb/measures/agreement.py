"""How alike the predictions of two models are."""

from __future__ import annotations

import numpy as np

from sorb._types import Float
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import predicted_indices

__all__ = ["agreement"]


def agreement(ensemble: RuleEnsemble, scores: Float, others: Float, share: Float) -> float:
    """Give the share of the rows of the same class, or the correlation of the predicted numbers.

    `share` is that of each row in the weight of all. Of the ensemble, only the loss and the classes
    count.

    Examples
    --------
    >>> ensemble = RuleEnsemble(0.0, (), (), "logistic")
    >>> scores, others = np.array([-1.0, 2.0, 1.0]), np.array([-2.0, -1.0, 1.0])
    >>> agreement(ensemble, scores, others, np.array([0.2, 0.2, 0.6]))
    0.8
    """
    loss, classes = ensemble.loss, ensemble.classes
    if loss.has_classes:
        return float(
            share @ (predicted_indices(classes, scores) == predicted_indices(classes, others))
        )
    means = [loss.mean(each) for each in (scores, others)]
    constant = [float(np.ptp(each)) == 0 for each in means]
    if any(constant):  # they agree with constant ones only
        return float(all(constant))
    pair = np.cov(means[0], means[1], aweights=share, ddof=0)
    spread = np.sqrt(pair[0, 0] * pair[1, 1])
    return float(pair[0, 1] / spread) if spread > 0 else 0.0
