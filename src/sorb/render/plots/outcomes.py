"""The outcomes of a table's rows, as numbers to draw, and how far a model is from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb.losses import LOSSES
from sorb.rules import RuleEnsemble

Float = NDArray[np.float64]

RISKS = {
    "squared": "half the mean squared error",
    "logistic": "mean log loss",
    "softmax": "mean log loss",
    "poisson": "half the mean Poisson deviance",
}


def outcome_numbers(ensemble: RuleEnsemble, y: Any, n_rows: int) -> Float:
    """Give the outcomes as numbers: of classes their places in `ensemble.classes`.

    Examples
    --------
    >>> from sorb import RuleEnsemble
    >>> ensemble = RuleEnsemble(0.0, (), ("age",), "logistic", ("no", "yes"))
    >>> outcome_numbers(ensemble, ["yes", "no"], 2)
    array([1., 0.])
    """
    given = np.asarray(y)
    if given.shape != (n_rows,):
        raise ValueError(
            f"y must hold one outcome for each of the {n_rows} rows, found shape {given.shape}"
        )
    labels = ensemble.classes or ((0, 1) if ensemble.loss == "logistic" else None)
    if labels is None:
        return given.astype(np.float64)
    numbers = {label: float(number) for number, label in enumerate(labels)}
    unknown = [value for value in given.tolist() if value not in numbers]
    if unknown:
        raise ValueError(f"y must hold classes of the model, {labels}, found {unknown[0]!r}")
    return np.array([numbers[value] for value in given.tolist()])


def risk(ensemble: RuleEnsemble, y: Float, values: Float) -> float:
    """Give the mean loss of decision values."""
    return float(LOSSES[ensemble.loss].value(y, values).mean())
