"""The table passed to a fitted estimator: checked, and opened for its rules."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from sorb._types import Bool, Matrix
from sorb.rules import AnyProposition, Label, Membership, Product, Proposition, RuleEnsemble
from sorb.rules.columns import NUMBERS, ColumnSource, Labels, column_source, place_names
from sorb.tables.arrays import keep_types
from sorb.tables.checks import (
    FLOATS,
    name_bad_cell,
    require_finite,
    require_no_infinity,
    require_table,
)
from sorb.tables.frames import check_names, frame_names, is_frame, rename_by_position
from sorb.tables.quoting import quote_some

__all__ = ["check_numbers", "open_table"]

# From a warning to the method of the estimator that was called.
_STACK_LEVEL = 5


def open_table(
    estimator: BaseEstimator,
    X: Any,
    ensemble: RuleEnsemble,
    complete: Collection[str],
    categories: Mapping[str, tuple[Label, ...]],
) -> ColumnSource:
    """Check a table passed to a fitted estimator, and open it for its rules.

    `complete` are the columns without missing values in training, for which no proposition could
    learn which way missing values go. `categories` are the labels of the columns of categories.
    """
    require_table(X)
    weighed = _columns_of(ensemble, Proposition, Product)
    if is_frame(X):
        check_names(estimator, X, reset=False)
        table = _use_training_names(X, ensemble)
    else:
        table = _validate_array(estimator, X, weighed < set(ensemble.used_columns))
    source = column_source(table, ensemble.used_columns, ensemble.columns)
    _check_columns(source, ensemble, weighed, complete, categories)
    return source


def check_numbers(estimator: BaseEstimator, X: Any, columns: tuple[str, ...]) -> Matrix:
    """Check a table passed to a fitted estimator, which must hold finite numbers."""
    with name_bad_cell(X):
        table = validate_data(estimator, X, reset=False, dtype=FLOATS, ensure_all_finite=False)
    require_finite(table, columns)
    return np.asarray(table)


def _columns_of(ensemble: RuleEnsemble, *kinds: type[AnyProposition]) -> set[str]:
    """The columns that propositions of some kinds use."""
    propositions = [p for rule in ensemble for p in rule.condition.propositions]
    return {name for p in propositions if isinstance(p, kinds) for name in p.columns}


def _use_training_names(X: Any, ensemble: RuleEnsemble) -> Any:
    """Return a data frame whose columns have the names that the rules use, or refuse it."""
    keys = frame_names(X)
    pairs = list(zip(keys, keys.values(), ensemble.columns, strict=True))
    differs = [(key, known) for key, name, known in pairs if name != known]
    if not differs:
        return X
    nameless = ensemble.columns == place_names(len(pairs))
    if nameless and all(isinstance(key, str) for key in keys):
        return rename_by_position(X, ensemble.columns, ensemble.used_columns)
    key, known = differs[0]
    raise ValueError(
        f"X must have the columns that were passed during fit, in their order: found {key!r} in "
        f"place of {known!r}"
    )


def _validate_array(estimator: BaseEstimator, X: Any, has_categories: bool) -> Any:
    # Categories may be anything, and so may columns that no rule uses.
    X = keep_types(X)
    anything = has_categories or getattr(X, "dtype", None) == np.object_
    with name_bad_cell(X):
        return validate_data(
            estimator,
            X,
            reset=False,
            dtype=None if anything else FLOATS,
            ensure_all_finite=False,
        )


def _check_columns(
    source: ColumnSource,
    ensemble: RuleEnsemble,
    weighed: Collection[str],
    complete: Collection[str],
    categories: Mapping[str, tuple[Label, ...]],
) -> None:
    """Refuse infinite numbers, and warn of what was never seen in training."""
    multiplied = _columns_of(ensemble, Product)
    labelled = _columns_of(ensemble, Membership) & set(categories)
    for name in ensemble.used_columns:
        if name in weighed:
            require_no_infinity(source.take(name), name)
        if name in complete:
            _warn_of_missing(_missing(source, name, name in weighed), name)
        if name in multiplied:
            _warn_of_no_logarithm(source.take(name), name)
        if name in labelled:
            _warn_of_other_labels(Labels.of(source.labels(name)).values, categories[name], name)


def _missing(source: ColumnSource, name: str, is_number: bool) -> Bool:
    if is_number:
        return np.isnan(source.take(name))
    return Labels.of(source.labels(name)).codes < 0


def _warn_of_missing(missing: Bool, name: str) -> None:
    rows = np.flatnonzero(missing)
    if len(rows):
        warnings.warn(
            f"column {name!r} is missing in row {rows[0]} ({len(rows)} in all), but never was in "
            "training: no proposition on it is true there",
            stacklevel=_STACK_LEVEL,
        )


def _warn_of_no_logarithm(values: Matrix, name: str) -> None:
    rows = np.flatnonzero(values <= 0)
    if len(rows):
        warnings.warn(
            f"column {name!r} is {values[rows[0]]:g} in row {rows[0]} ({len(rows)} in all are not "
            "positive), but was always positive in training: products treat it as missing",
            stacklevel=_STACK_LEVEL,
        )


def _warn_of_other_labels(found: tuple[Any, ...], known: tuple[Label, ...], name: str) -> None:
    if found and known and not set(map(_kind, found)) & set(map(_kind, known)):
        warnings.warn(
            f"column {name!r} holds {_kind(found[0])} ({quote_some(found, 3)}), but held "
            f"{_kind(known[0])} in training ({quote_some(known, 3)}): the model knows none of "
            "these categories, so give them the type they had",
            stacklevel=_STACK_LEVEL,
        )


def _kind(label: Any) -> str:
    """Name the kind of a label; labels of different kinds are never equal."""
    if isinstance(label, str):
        return "texts"
    return "numbers" if isinstance(label, NUMBERS) else "other values"
