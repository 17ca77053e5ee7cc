"""The outcomes of the rows: numbers or class labels, checked in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.losses import Loss
from sorb.rules import Label, RuleEnsemble
from sorb.rules.columns import is_missing
from sorb.rules.prediction import class_labels
from sorb.tables.cells import DATES, describe_non_number, first_unconvertible
from sorb.tables.exposure import as_rates

__all__ = [
    "Outcomes",
    "class_indices",
    "outcome_numbers",
    "require_labels",
    "require_numbers",
    "require_scale",
]

# With outcomes of these sizes, the square of a risk is within the range of a float.
SMALLEST, LARGEST = 1e-70, 1e70


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Outcomes as numbers, for classes their indices, with the weights of the rows and a loss.

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
    def of(cls, ensemble: RuleEnsemble, y: Any, weight: Float, exposure: Any = None) -> Outcomes:
        """Check the outcomes that belong to the rows of a table; over an exposure, take rates."""
        given = np.asarray(y)
        if given.shape != weight.shape:
            raise ValueError(
                f"y must hold one outcome for each of the {len(weight)} rows, "
                f"found the shape {given.shape}"
            )
        numbers = outcome_numbers(ensemble, y)
        return cls(*as_rates(ensemble.loss, numbers, weight, exposure), ensemble.loss)

    def risk(self, scores: Float) -> float:
        """Average the loss of the scores over the rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.average(self.loss.value(self.y, scores), weights=self.weight))


def outcome_numbers(
    ensemble: RuleEnsemble, y: Any, what: str = "y", rows: Sequence[int] | None = None
) -> Float:
    """Check that a model could predict the outcomes; give them as numbers, or as class indices.

    Parameters
    ----------
    ensemble : the model.
    y : the outcome of each row.
    what : what to call the outcomes in messages.
    rows : the row numbers to use in messages; 0, 1, … if not given.

    Examples
    --------
    >>> from sorb.tables.targets import outcome_numbers
    >>> counts = RuleEnsemble(0.0, (), ("age",), "poisson")
    >>> outcome_numbers(counts, [2, -1], "column 'claims'", [0, 5])
    Traceback (most recent call last):
    ...
    ValueError: column 'claims' is -1.0 in row 5: expected 0 or more for the loss 'poisson'
    """
    if ensemble.loss.has_classes:
        require_labels(y)
        return class_indices(np.asarray(y).tolist(), class_labels(ensemble.classes), what, rows)
    require_numbers(y, what, rows)
    numbers = np.asarray(y).astype(np.float64)
    ensemble.loss.check_outcomes(numbers, what, rows)
    return numbers


def class_indices(
    y: Sequence[Any],
    labels: tuple[Label, ...],
    what: str = "y",
    rows: Sequence[int] | None = None,
) -> Float:
    """Replace the labels of a model's classes by their indices; a single class gets 1.

    Parameters
    ----------
    y : the label of each row.
    labels : the classes of the model.
    what : what to call the labels in messages.
    rows : the row numbers to use in messages; 0, 1, … if not given.

    Examples
    --------
    >>> from sorb.tables.targets import class_indices
    >>> class_indices(["ill", "well"], ("well", "ill"))
    array([1., 0.])
    """
    index = {label: float(k) for k, label in enumerate(labels)}
    if len(labels) == 1:
        index = {labels[0]: 1.0}
    for k, label in enumerate(y):
        if label not in index:
            known = ", ".join(map(repr, labels))
            raise ValueError(
                f"{what} must hold the classes of the model, {known}; found {label!r} in row "
                f"{k if rows is None else rows[k]}"
            )
    return np.array([index[label] for label in y])


def require_labels(y: Any) -> None:
    """Refuse missing class labels.

    Examples
    --------
    >>> from sorb.tables.targets import require_labels
    >>> require_labels(["ill", None, "well"])
    Traceback (most recent call last):
    ...
    ValueError: y is missing in row 1 (1 in all): expected a class label in each row, so drop the
    rows without one
    """
    _require_known(_outcome_array(y), "y", "a class label")


def require_numbers(y: Any, what: str = "y", rows: Sequence[int] | None = None) -> None:
    """Refuse outcomes that are missing or not finite numbers.

    Parameters
    ----------
    y : the outcome of each row.
    what : what to call the outcomes in messages.
    rows : the row numbers to use in messages; 0, 1, … if not given.

    Examples
    --------
    >>> from sorb.tables.targets import require_numbers
    >>> require_numbers([1.5, "two"])
    Traceback (most recent call last):
    ...
    ValueError: y holds 'two' in row 1: expected a number
    """
    values = _outcome_array(y)
    if values.dtype.kind in "mM":
        raise ValueError(f"{what} {DATES.format(values.dtype)}")
    _require_known(values, what, "a number")
    number = range(len(values)) if rows is None else rows
    if values.dtype.kind in "OSU":
        k = first_unconvertible(values.tolist())
        if k is not None:
            raise ValueError(describe_non_number(what, number[k], values.tolist()[k]))
        values = values.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        k = infinite[0]
        raise ValueError(f"{what} is {values[k]} in row {number[k]}: expected a finite number")


def require_scale(loss: Loss, y: Float, weight: Float, what: str = "y") -> None:
    """Refuse outcomes that are so large or so small that risks cannot be computed.

    Parameters
    ----------
    loss : the loss; if it has no negative outcomes, it compares them by their ratios.
    y : the outcome of each row.
    weight : the weight of each row; those of weight zero do not count.
    what : what to call the outcomes in messages.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.losses import Squared
    >>> from sorb.tables.targets import require_scale
    >>> require_scale(Squared(), np.array([1.0, -1e200]), np.ones(2))
    Traceback (most recent call last):
    ...
    ValueError: y is -1e+200 in row 1: expected at most 1e+70 in size, so choose a larger unit
    """
    sizes = np.where(weight > 0, np.abs(y), 0.0)
    top = int(sizes.argmax())
    if sizes[top] > LARGEST:
        raise ValueError(
            f"{what} is {y[top]} in row {top}: expected at most {LARGEST:g} in size, so choose a "
            "larger unit"
        )
    least = int(np.where(sizes > 0, sizes, np.inf).argmin()) if loss.non_negative else top
    if 0 < sizes[least] < SMALLEST:
        beside = "" if loss.non_negative else ", and nowhere larger"
        raise ValueError(
            f"{what} is {y[least]} in row {least}{beside}: expected zero, or at least {SMALLEST:g} "
            "in size, so choose a smaller unit"
        )


def _outcome_array(y: Any) -> NDArray[Any]:
    """Read outcomes without changing them; an empty array unless there is one for each row."""
    try:
        values = np.asarray(y)
    except (TypeError, ValueError):
        return np.empty(0)
    if values.dtype.kind == "U" and isinstance(y, (list, tuple)):
        # NumPy turns missing values among texts into texts.
        values = np.array(y, dtype=object)
    return values.ravel() if values.ndim in (1, 2) and values.size == len(values) else np.empty(0)


def _require_known(values: NDArray[Any], what: str, expected: str) -> None:
    marks = [is_missing(value) for value in values] if values.dtype == object else values != values
    rows = np.flatnonzero(marks)
    if len(rows):
        raise ValueError(
            f"{what} is missing in row {rows[0]} ({len(rows)} in all): expected {expected} in each "
            "row, so drop the rows without one"
        )
