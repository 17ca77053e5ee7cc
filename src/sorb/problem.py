"""What is to be learned, checked once: a table, its outcomes and weights, and a loss."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from sorb.losses import LOSSES, Loss
from sorb.rows import Rows
from sorb.rules import RuleEnsemble

Float = NDArray[np.float64]
Table = NDArray[np.floating]

_FLOATS = [np.float64, np.float32]
# Up to this the square of a risk is within the range of a float.
_LARGEST_SQUARED = 1e70


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A checked table with outcomes as numbers, and what they mean.

    Attributes
    ----------
    X : finite numbers, float32 or float64.
    y : outcomes; for classes their numbers, or 1 everywhere if there is one class only.
    weight : not negative, and not all zero.
    columns : a name for each column of X.
    loss : what is to be minimised.
    classes : the labels of the classes that have any weight, None for a regression.
    """

    X: Table
    y: Float
    weight: Float
    columns: tuple[str, ...]
    loss: Loss
    classes: NDArray[Any] | None = None

    @property
    def one_class(self) -> bool:
        """Whether there is one class only, so that no rule could help."""
        return self.classes is not None and len(self.classes) == 1

    def rows(self, weight: Float | None = None) -> Rows:
        """Gather the distinct rows, with their own weights or other ones."""
        return Rows.from_table(
            self.X,
            self.y,
            self.weight if weight is None else weight,
            self.columns,
            centred=self.loss.name == "squared",
        )

    def constant(self, rows: Rows) -> RuleEnsemble:
        """Give the best model without rules."""
        labels = None if self.classes is None else tuple(self.classes.tolist())
        scores = self.loss.best_constant(rows.y, rows.weight, len(labels or ()))
        scores += rows.shift
        offset = tuple(scores.tolist()) if self.loss.multiclass else float(scores[0])
        return RuleEnsemble(offset, (), self.columns, self.loss.name, labels)  # type: ignore[arg-type]


def checked_table(estimator: BaseEstimator, X: Any, columns: tuple[str, ...]) -> Table:
    """Check a table that a fitted estimator is asked about."""
    with _naming_columns_of_text(X):
        table = validate_data(estimator, X, reset=False, dtype=_FLOATS, ensure_all_finite=False)
    _require_finite(table, columns)
    return np.asarray(table)


def classification(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    reset: bool = True,
) -> Problem:
    """Check a table with class labels: logistic loss for two classes, softmax for more."""
    X, y = _checked_pair(estimator, X, y, reset, y_numeric=False)
    check_classification_targets(y)
    weight = _class_weighted(class_weight, y, _checked_weight(sample_weight, X))
    classes = np.unique(y[weight > 0])
    # Labels without any weight get some number: their rows are never looked at.
    number = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.float64)
    if len(classes) == 1:
        number += 1
    loss = LOSSES["softmax" if len(classes) > 2 else "logistic"]
    return Problem(X, number, weight, _column_names(estimator, X), loss, classes)


def regression(
    estimator: BaseEstimator, X: Any, y: Any, sample_weight: Any, loss: str, reset: bool = True
) -> Problem:
    """Check a table with numbers to predict."""
    X, y = _checked_pair(estimator, X, y, reset, y_numeric=True)
    y = y.astype(np.float64, copy=False)
    weight = _checked_weight(sample_weight, X)
    if loss == "poisson":
        _require_counts(y, weight)
    elif np.abs(y).max() > _LARGEST_SQUARED:
        row = int(np.abs(y).argmax())
        raise ValueError(
            f"y is {y[row]} in row {row}: its square is too large to be summed up safely, "
            "so divide y by a constant first"
        )
    return Problem(X, y, weight, _column_names(estimator, X), LOSSES[loss])


def _checked_pair(
    estimator: BaseEstimator, X: Any, y: Any, reset: bool, y_numeric: bool
) -> tuple[Any, Any]:
    with _naming_columns_of_text(X):
        X, y = validate_data(
            estimator,
            X,
            y,
            reset=reset,
            dtype=_FLOATS,
            ensure_all_finite=False,
            y_numeric=y_numeric,
        )
    _require_finite(X, _column_names(estimator, X))
    return X, y


@contextmanager
def _naming_columns_of_text(X: Any) -> Iterator[None]:
    """Say which column of a DataFrame holds text, where scikit-learn only quotes the text."""
    try:
        yield
    except ValueError as error:
        if "could not convert string" in str(error):
            for name in getattr(X, "columns", ()):
                _require_numbers(name, X[name])
        raise


def _require_numbers(name: str, column: Any) -> None:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X needs numbers, found text in column {name!r}: {error}") from error


def _column_names(estimator: BaseEstimator, X: Table) -> tuple[str, ...]:
    names = getattr(estimator, "feature_names_in_", None)
    return tuple(f"x{j}" for j in range(X.shape[1])) if names is None else tuple(map(str, names))


def _require_finite(X: Table, columns: tuple[str, ...]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        # One pass for the usual case; the sum of large finite numbers may be infinite, too.
        if np.isfinite(X.sum()):
            return
    for j, name in enumerate(columns):
        bad = np.flatnonzero(~np.isfinite(X[:, j]))
        if len(bad):
            value = "NaN" if np.isnan(X[bad[0], j]) else "infinity"
            raise ValueError(
                f"X contains {value} in column {name!r} (number {j}), first in row {bad[0]}: "
                "all values must be finite, so fill in or drop the others first"
            )


def _checked_weight(sample_weight: Any, X: Table) -> Float:
    weight: Float = _check_sample_weight(sample_weight, X, dtype=np.float64)
    negative = np.flatnonzero(weight < 0)
    if len(negative):
        row = negative[0]
        raise ValueError(f"sample_weight must not be negative, found {weight[row]} in row {row}")
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError("sample_weight must have a finite sum: divide it by a constant first")
    _require_any_weight(weight, "sample_weight")
    return weight


def _require_any_weight(weight: Float, what: str) -> None:
    if not weight.any():
        raise ValueError(f"{what} must not be zero for all rows: there is nothing to learn from")


def _class_weighted(class_weight: Any, y: NDArray[Any], weight: Float) -> Float:
    """Multiply the weights of the rows by those of their classes."""
    if class_weight is None:
        return weight
    classes, number = np.unique(y, return_inverse=True)
    if isinstance(class_weight, str):
        total = np.bincount(number, weight)
        factor = weight.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1))
    else:
        factor = compute_class_weight(class_weight, classes=classes, y=y)
        _require_class_weights(classes, factor)
    weighted: Float = weight * factor[number]
    _require_any_weight(weighted, "sample_weight times class_weight")
    return weighted


def _require_class_weights(classes: NDArray[Any], factor: Float) -> None:
    for label, value in zip(classes.tolist(), factor.tolist(), strict=True):
        if not 0 <= value < np.inf:
            raise ValueError(
                f"class_weight must hold finite numbers that are not negative, "
                f"found {value} for class {label!r}"
            )


def _require_counts(y: Float, weight: Float) -> None:
    negative = np.flatnonzero(y < 0)
    if len(negative):
        row = negative[0]
        raise ValueError(
            f"loss='poisson' needs y that is not negative, found {y[row]} in row {row}"
        )
    if not (y[weight > 0] > 0).any():
        raise ValueError(
            "loss='poisson' needs some y above zero: "
            "the logarithm of an expected count of zero is infinite"
        )
