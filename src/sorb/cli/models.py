"""Models from files, and their answers in the user's terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sorb._types import Float
from sorb.rules import Label, ModelFormatError, RuleEnsemble, prediction

__all__ = ["class_labels", "load_model", "predictions"]


def load_model(path: Path) -> RuleEnsemble:
    """Read a model file."""
    try:
        return RuleEnsemble.load(path)
    except ModelFormatError as error:
        raise ValueError(f"{path} is not a model that this version can read: {error}") from None


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
