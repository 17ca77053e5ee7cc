"""The outcomes of the rows: numbers or class labels, checked in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float, Index
from sorb.losses import Loss
from sorb.rules import Label, RuleEnsemble
from sorb.rules.labels import Labels
from sorb.rules.numbers import is_missing
from sorb.rules.prediction import class_labels
from sorb.tables.cells import DATES, describe_non_number, first_unconvertible
from sorb.tables.exposure import as_rates
from sorb.tables.row_values import row_values
from sorb.tables.weights import copy_counts

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

# What can label a class; NumPy counts a duration as an integer, but it cannot.
LABEL_TYPES = (str, bool, np.bool_, int, np.integer, float, np.floating)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Outcomes as numbers, for classes their indices, with the weights of the rows and a loss.

    `count` is how many rows each stands for, which decides how sure a mean over them is. By default
    the weights say it: whole numbers are copies, and with other weights each is a single row.

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
    count: Float | None = None

    @classmethod
    def of(cls, ensemble: RuleEnsemble, y: Any, weight: Float, exposure: Any = None) -> Outcomes:
        """Check the outcomes that belong to the rows of a table; over an exposure, take rates."""
        numbers = outcome_numbers(ensemble, row_values(y, len(weight)))
        rates = as_rates(ensemble.loss, numbers, weight, exposure)
        return cls(*rates, ensemble.loss, copy_counts(weight))

    @property
    def copies(self) -> Float:
        """How many rows each stands for."""
        return copy_counts(self.weight) if self.count is None else self.count

    def take(self, rows: Index) -> Outcomes:
        """Select some of the rows."""
        count = None if self.count is None else self.count[rows]
        return Outcomes(self.y[rows], self.weight[rows], self.loss, count)

    def weigh_classes(self, factors: Sequence[float]) -> Outcomes:
        """Multiply the weights of the rows of each class."""
        return replace(self, weight=self.weight * np.array(factors)[self.y.astype(np.intp)])

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
    values = row_values(y, None, what)
    if ensemble.loss.has_classes:
        _require_known(values, what, "a class label", rows)
        return class_indices(values.tolist(), class_labels(ensemble.classes), what, rows)
    numbers = require_numbers(values, what, rows)
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
    found = Labels.of(y)
    for code, label in enumerate(found.values):
        if label not in index:
            k = int(np.flatnonzero(found.codes == code)[0])
            known = ", ".join(map(repr, labels))
            raise ValueError(
                f"{what} must hold the classes of the model, {known}; found {y[k]!r} in row "
                f"{k if rows is None else rows[k]}"
            )
    return np.array([index[label] for label in found.values])[found.codes]


def require_labels(y: Any) -> NDArray[Any]:
    """Give class labels as an array; refuse what is not a text, a whole number or a boolean.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.tables.targets import require_labels
    >>> require_labels(np.array([True, False], dtype=object))
    array([ True, False])
    >>> require_labels(["ill", None, "well"])
    Traceback (most recent call last):
    ...
    ValueError: y is missing in row 1 (1 in all): expected a class label in each row, so drop the
    rows without one
    """
    labels = row_values(y, None)
    _require_known(labels, "y", "a class label")
    if labels.dtype.kind not in "OSmM":
        return labels
    is_text = [_is_text_label(value, row) for row, value in enumerate(labels)]
    if not any(is_text):
        return _number_labels(labels.tolist())
    if not all(is_text):
        number, text = is_text.index(False), is_text.index(True)
        raise ValueError(
            f"y holds {labels[text]!r} in row {text}, but {labels[number]!r} in row {number}: "
            "expected class labels of one kind, so turn all of them into texts"
        )
    return labels


def _is_text_label(value: Any, row: int) -> bool:
    """Whether a label is a text, rather than a number or boolean; other labels are refused."""
    if isinstance(value, LABEL_TYPES) and not isinstance(value, np.timedelta64):
        return isinstance(value, str)
    raise ValueError(
        f"y holds {value!r} in row {row}: class labels must be texts, whole numbers or booleans, "
        "so turn them into texts first"
    )


def _number_labels(values: Sequence[Any]) -> NDArray[Any]:
    labels = np.array(values)
    if labels.dtype.kind in "biu" or any(isinstance(value, float) for value in values):
        return labels
    # NumPy has no common type for integers of more than 64 bits, and rounds some of 64.
    row = next(row for row, value in enumerate(values) if not -(2**63) <= value < 2**63)
    raise ValueError(
        f"y holds {values[row]} in row {row}: class labels that are numbers must be between "
        "-2**63 and 2**63 - 1, so turn them into texts first"
    )


def require_numbers(y: Any, what: str = "y", rows: Sequence[int] | None = None) -> Float:
    """Give outcomes as numbers; refuse those that are missing or not finite.

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
    values = row_values(y, None, what)
    if values.dtype.kind in "mM":
        raise ValueError(f"{what} {DATES.format(values.dtype)}")
    _require_known(values, what, "a number", rows)
    number = range(len(values)) if rows is None else rows
    if values.dtype.kind in "OSU":
        k = first_unconvertible(values.tolist())
        if k is not None:
            raise ValueError(describe_non_number(what, number[k], values.tolist()[k]))
    numbers = values.astype(np.float64, copy=False)
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        k = infinite[0]
        raise ValueError(f"{what} is {numbers[k]} in row {number[k]}: expected a finite number")
    return numbers


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
        expected = (
            f"at least {SMALLEST:g} where it is positive"
            if loss.non_negative
            else f"zero, or at least {SMALLEST:g} in size"
        )
        raise ValueError(
            f"{what} is {y[least]} in row {least}{beside}: expected {expected}, so choose a "
            "smaller unit"
        )


def _require_known(
    values: NDArray[Any], what: str, expected: str, rows: Sequence[int] | None = None
) -> None:
    marks = [is_missing(value) for value in values] if values.dtype == object else values != values
    missing = np.flatnonzero(marks)
    if len(missing):
        row = missing[0] if rows is None else rows[missing[0]]
        raise ValueError(
            f"{what} is missing in row {row} ({len(missing)} in all): expected {expected} in each "
            "row, so drop the rows without one"
        )
