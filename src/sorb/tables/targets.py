"""Rows with known outcomes, checked once: what a model is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.losses import LOSSES, Loss
from sorb.rules import RuleEnsemble
from sorb.tables.cells import require_labels, require_outcomes

__all__ = ["Outcomes", "row_weights"]


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Outcomes as numbers, for classes their numbers, with the weights of the rows and a loss.

    Examples
    --------
    >>> import numpy as np
    >>> ensemble = RuleEnsemble(0.0, (), ("age",), "logistic", ("no", "yes"))
    >>> outcomes = Outcomes.of(ensemble, ["yes", "no"], np.ones(2))
    >>> outcomes.y
    array([1., 0.])
    >>> round(outcomes.risk(np.zeros(2)), 3)
    0.693
    """

    y: Float
    weight: Float
    loss: Loss

    @classmethod
    def of(cls, ensemble: RuleEnsemble, y: Any, weight: Float) -> Outcomes:
        """Check the outcomes that belong to the rows of a table."""
        given = np.asarray(y)
        if given.shape != weight.shape:
            raise ValueError(
                f"y must hold one outcome for each of the {len(weight)} rows, "
                f"found the shape {given.shape}"
            )
        labels = ensemble.classes
        if labels is None and ensemble.loss == "logistic":
            labels = (0, 1)
        if labels is None:
            require_outcomes(y)
            numbers = _numbers(given, ensemble.loss)
        else:
            require_labels(y)
            numbers = _classes(given, labels)
        return cls(numbers, weight, LOSSES[ensemble.loss])

    def risk(self, values: Float) -> float:
        """Give the mean loss of decision values."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.average(self.loss.value(self.y, values), weights=self.weight))


def row_weights(sample_weight: Any, n_rows: int) -> Float:
    """Check the weights of the rows; without any, each has weight 1."""
    if sample_weight is None:
        weight = np.ones(n_rows)
    else:
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != (n_rows,):
            raise ValueError(
                f"sample_weight must hold one number for each of the {n_rows} rows, "
                f"found the shape {weight.shape}"
            )
        wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
        if len(wrong):
            row = wrong[0]
            raise ValueError(
                f"sample_weight must not be negative, and finite, found {weight[row]} in row {row}"
            )
    if not weight.any():
        raise ValueError("X must have at least one row with a weight above 0")
    return weight


def _numbers(y: NDArray[Any], loss: str) -> Float:
    numbers = y.astype(np.float64)
    negative = np.flatnonzero(numbers < 0)
    if loss == "poisson" and len(negative):
        row = negative[0]
        raise ValueError(f"y must be a count, 0 or more, found {y[row]} in row {row}")
    return numbers


def _classes(y: NDArray[Any], labels: tuple[Any, ...]) -> Float:
    number = {label: float(k) for k, label in enumerate(labels)}
    if len(labels) == 1:
        number = {labels[0]: 1.0}
    for row, label in enumerate(y.tolist()):
        if label not in number:
            known = ", ".join(map(repr, labels))
            raise ValueError(
                f"y must hold the classes of the model, {known}; found {label!r} in row {row}"
            )
    return np.array([number[label] for label in y.tolist()])
