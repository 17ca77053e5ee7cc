"""The answers of models in the user's terms."""

from __future__ import annotations

from typing import Any

from sorb._types import Float
from sorb.rules import Label, RuleEnsemble, prediction

__all__ = ["class_labels", "predictions"]


def class_labels(ensemble: RuleEnsemble) -> tuple[Label, ...]:
    """Name the classes that a model decides between; none if it predicts numbers."""
    return prediction.class_labels(ensemble.classes) if ensemble.loss.has_classes else ()


def predictions(ensemble: RuleEnsemble, scores: Float) -> list[Any]:
    """Turn scores into expected numbers, or into class labels.

    Examples
    --------
    >>> import numpy as np
    >>> predictions(RuleEnsemble(0.0, (), (), "logistic", ("no", "yes")), np.array([-1.0, 2.0]))
    ['no', 'yes']
    """
    labels = class_labels(ensemble)
    if not labels:
        return list(ensemble.loss.mean(scores).tolist())
    return [labels[k] for k in prediction.predicted_indices(ensemble.classes, scores).tolist()]
