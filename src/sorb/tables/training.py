"""What is to be learned, checked once: a table, its outcomes and weights, and a loss."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_X_y, validate_data

from sorb._types import Float, Matrix
from sorb.losses import LOSSES, Loss
from sorb.rules import AnyProposition, Label, Membership, Product, Proposition, RuleEnsemble
from sorb.rules.columns import NUMBERS, ColumnSource, Labels, column_source, place_names
from sorb.tables.cells import listed, require_labels, require_outcomes
from sorb.tables.reading import (
    Schema,
    as_named,
    frame_names,
    is_frame,
    marked,
    read_array,
    read_frame,
    renamed,
    require_table,
    strange_cell,
    with_logarithms,
    without_unused,
)

_FLOATS = [np.float64, np.float32]
# Up to this the square of a risk is within the range of a float.
_LARGEST_SQUARED = 1e70


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """A checked table with outcomes as numbers, and what they mean.

    Attributes
    ----------
    X : numbers, float32 or float64; NaN where a value is missing.
    y : outcomes; for classes their numbers, or 1 everywhere if there is one class only.
    weight : not negative, and not all zero.
    schema : what the columns of X mean.
    loss : what is to be minimised.
    classes : the labels of the classes that have any weight, None for a regression.
    units : of the columns that have any.
    count : how many observations each row stands for: as many as its whole weight says, or one if
        not all weights are whole. Weights of classes do not count.
    """

    X: Matrix
    y: Float
    weight: Float
    schema: Schema
    loss: Loss
    classes: NDArray[Any] | None = None
    units: tuple[tuple[str, str], ...] = ()
    count: Float | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """A name for each column of X."""
        return self.schema.names

    @property
    def one_class(self) -> bool:
        """Whether there is one class only, so that no rule could help."""
        return self.classes is not None and len(self.classes) == 1


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """How a user's table is read: as in the parameters of the estimators."""

    categorical_features: Any
    log_columns: Any
    units: Any

    def of(self, X: Any) -> ColumnOptions:
        """Call the columns of a table by the names that its rules will use."""
        if not is_frame(X):
            return self
        names = frame_names(X)
        parameters = (self.categorical_features, self.log_columns, self.units)
        return ColumnOptions(*(as_named(parameter, names) for parameter in parameters))


def checked_table(
    estimator: BaseEstimator,
    X: Any,
    ensemble: RuleEnsemble,
    complete: Collection[str],
    categories: Mapping[str, tuple[Label, ...]],
) -> Any:
    """Check a table that a fitted estimator is asked about, and give what its rules can read.

    `complete` are the columns that were never missing in training, so that no proposition could
    learn which way they go. `categories` are the labels of the columns that hold categories.
    """
    require_table(X)
    weighed = _columns_of(ensemble, Proposition, Product)
    multiplied = _columns_of(ensemble, Product)
    labelled = _columns_of(ensemble, Membership) & set(categories)
    if is_frame(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)
        table = _named_as_in_training(X, ensemble)
    else:
        # Categories may be anything, and so may columns that no rule looks at.
        X = _as_given(X)
        anything = weighed < set(ensemble.used_columns) or getattr(X, "dtype", None) == np.object_
        with _naming_the_cell(X):
            table = validate_data(
                estimator,
                X,
                reset=False,
                dtype=None if anything else _FLOATS,
                ensure_all_finite=False,
            )
    source = column_source(table, ensemble.used_columns, ensemble.columns)
    for name in ensemble.used_columns:
        if name in weighed:
            _require_not_infinite(source.take(name), name)
        if name in complete:
            _warn_of_missing(_missing(source, name, name in weighed), name)
        if name in multiplied:
            _warn_of_no_logarithm(source.take(name), name)
        if name in labelled:
            _warn_of_other_labels(Labels.of(source.labels(name)).values, categories[name], name)
    return table


def _columns_of(ensemble: RuleEnsemble, *kinds: type[AnyProposition]) -> set[str]:
    """The columns that propositions of some kinds use."""
    propositions = [p for rule in ensemble for p in rule.condition.propositions]
    return {name for p in propositions if isinstance(p, kinds) for name in p.columns}


def _named_as_in_training(X: Any, ensemble: RuleEnsemble) -> Any:
    """Give a data frame whose columns have the names that the rules know, or refuse it."""
    keys = frame_names(X)
    pairs = list(zip(keys, keys.values(), ensemble.columns, strict=True))
    differs = [(key, known) for key, name, known in pairs if name != known]
    if not differs:
        return X
    nameless = ensemble.columns == place_names(len(pairs))
    if nameless and all(isinstance(key, str) for key in keys):
        return renamed(X, ensemble.columns, ensemble.used_columns)
    key, known = differs[0]
    raise ValueError(
        f"X must have the columns that were passed during fit, in their order: found {key!r} in "
        f"place of {known!r}"
    )


def _as_given(X: Any) -> Any:
    """Keep the numbers beside texts in lists, of which NumPy would make texts; mark the missing."""
    kind = np.asarray(X).dtype.kind if isinstance(X, (np.ndarray, list, tuple)) else None
    if kind == "O":
        return marked(np.asarray(X))
    if kind != "U" or isinstance(X, np.ndarray):
        return X
    cells = np.array(X, dtype=object)
    return X if all(isinstance(cell, str) for cell in cells.flat) else cells


def _missing(source: ColumnSource, name: str, is_number: bool) -> NDArray[np.bool_]:
    if is_number:
        return np.isnan(source.take(name))
    return Labels.of(source.labels(name)).codes < 0


def _warn_of_missing(missing: NDArray[np.bool_], name: str) -> None:
    rows = np.flatnonzero(missing)
    if len(rows):
        warnings.warn(
            f"column {name!r} is missing in row {rows[0]} ({len(rows)} in all), but never was in "
            "training: no proposition on it holds there",
            stacklevel=4,
        )


def _warn_of_no_logarithm(values: Matrix, name: str) -> None:
    rows = np.flatnonzero(values <= 0)
    if len(rows):
        warnings.warn(
            f"column {name!r} is {values[rows[0]]:g} in row {rows[0]} ({len(rows)} in all are not "
            "positive), but always was positive in training: products on it count it as missing",
            stacklevel=4,
        )


def _warn_of_other_labels(found: tuple[Any, ...], known: tuple[Label, ...], name: str) -> None:
    if found and known and not set(map(_kind, found)) & set(map(_kind, known)):
        warnings.warn(
            f"column {name!r} holds {_kind(found[0])} ({listed(found, 3)}), but held "
            f"{_kind(known[0])} in training ({listed(known, 3)}): none of its categories is known "
            "to the model, so give them the type they had",
            stacklevel=4,
        )


def _kind(label: Any) -> str:
    """What a label must be to equal others of the kind."""
    if isinstance(label, str):
        return "texts"
    return "numbers" if isinstance(label, NUMBERS) else "other things"


def checked_numbers(estimator: BaseEstimator, X: Any, columns: tuple[str, ...]) -> Matrix:
    """Check a table of finite numbers that a fitted estimator is asked about."""
    with _naming_the_cell(X):
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
    options: ColumnOptions | None = None,
) -> TrainingData:
    """Check a table with class labels: logistic loss for two classes, softmax for more.

    Without a `options`, the table must hold finite numbers.
    """
    require_table(X)
    require_labels(y)
    options = None if options is None else options.of(X)
    X, y, columns = _checked_pair(estimator, X, y, reset, False, options)
    check_classification_targets(y)
    weight = _checked_weight(sample_weight, X)
    count = _count(weight)
    weight = _class_weighted(class_weight, y, weight)
    columns = _meaning(X, columns, weight, options)
    classes = np.unique(y[weight > 0])
    # Labels without any weight get some number: their rows are never looked at.
    number = np.minimum(np.searchsorted(classes, y), len(classes) - 1).astype(np.float64)
    if len(classes) == 1:
        number += 1
    loss = LOSSES["softmax" if len(classes) > 2 else "logistic"]
    return TrainingData(X, number, weight, columns, loss, classes, _units(options), count)


def regression(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    loss: str,
    reset: bool = True,
    options: ColumnOptions | None = None,
) -> TrainingData:
    """Check a table with numbers to predict.

    Without a `options`, the table must hold finite numbers.
    """
    require_table(X)
    require_outcomes(y)
    options = None if options is None else options.of(X)
    X, y, columns = _checked_pair(estimator, X, y, reset, True, options)
    y = y.astype(np.float64, copy=False)
    weight = _checked_weight(sample_weight, X)
    columns = _meaning(X, columns, weight, options)
    if loss == "poisson":
        _require_counts(y, weight)
    elif np.abs(y).max() > _LARGEST_SQUARED:
        row = int(np.abs(y).argmax())
        raise ValueError(
            f"y is {y[row]} in row {row}: its square is too large to be summed up safely, "
            "so divide y by a constant first"
        )
    return TrainingData(X, y, weight, columns, LOSSES[loss], None, _units(options), _count(weight))


def _checked_pair(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    reset: bool,
    y_numeric: bool,
    options: ColumnOptions | None,
) -> tuple[Any, Any, Schema]:
    """Give the table as numbers, the outcomes, and what the columns mean."""
    checks: dict[str, Any] = {"ensure_all_finite": False, "y_numeric": y_numeric}
    categorical = None if options is None else options.categorical_features
    if options is not None and is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        X, columns = read_frame(X, tuple(frame_names(X).values()), categorical)
        X, y = check_X_y(X, y, dtype=_FLOATS, estimator=estimator, **checks)
    else:
        # What holds categories may be anything.
        named = not (categorical is None or isinstance(categorical, str))
        X = _as_given(X)
        with _naming_the_cell(X, options is not None):
            X, y = validate_data(
                estimator, X, y, reset=reset, dtype=None if named else _FLOATS, **checks
            )
        X, columns = read_array(X, _column_names(estimator, X.shape[1]), categorical)
    if options is None:
        _require_finite(X, columns.names)
        return X, y, columns
    for j, name in enumerate(columns.names):
        _require_not_infinite(X[:, j], name)
    return X, y, columns


def _meaning(X: Matrix, columns: Schema, weight: Float, options: ColumnOptions | None) -> Schema:
    """What the rows that have any weight say about the columns."""
    present = weight > 0
    if not columns.plain and not present.all():
        columns = without_unused(X, columns, present)
    return columns if options is None else with_logarithms(X, columns, options.log_columns, present)


def _units(options: ColumnOptions | None) -> tuple[tuple[str, str], ...]:
    return () if options is None or options.units is None else tuple(options.units.items())


@contextmanager
def _naming_the_cell(X: Any, may_be_category: bool = False) -> Iterator[None]:
    """Say which cell is no number, where scikit-learn only quotes it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        is_about_a_cell = "float" in str(error) or "sequence" in str(error)
        if is_about_a_cell and (found := strange_cell(X, may_be_category)):
            raise type(error)(f"{found} ({error})") from error
        raise


def _column_names(estimator: BaseEstimator, count: int) -> tuple[str, ...]:
    return tuple(map(str, getattr(estimator, "feature_names_in_", place_names(count))))


def _require_not_infinite(values: Matrix, name: str) -> None:
    bad = np.flatnonzero(np.isinf(values))
    if len(bad):
        raise ValueError(
            f"X contains infinity in column {name!r}, first in row {bad[0]}: expected finite "
            "numbers, or NaN where a value is missing"
        )


def _require_finite(X: Matrix, columns: tuple[str, ...]) -> None:
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


def _checked_weight(sample_weight: Any, X: Matrix) -> Float:
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


def _count(weight: Float) -> Float:
    """Count observations: weights that are all whole numbers mean copies, other ones do not."""
    return weight if np.array_equal(weight, np.floor(weight)) else np.ones_like(weight)


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
