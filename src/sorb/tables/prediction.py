"""The table passed to a fitted estimator: checked, and opened for its rules."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from sorb._types import Float, Matrix
from sorb.rules import (
    AnyProposition,
    ColumnExperience,
    Product,
    Proposition,
    RuleEnsemble,
)
from sorb.rules.columns import ColumnSource, column_source, place_names
from sorb.rules.infinity import infinity_error
from sorb.rules.labels import Labels
from sorb.rules.numbers import NUMBERS
from sorb.rules.outside_training import OutsideValues, outside_values
from sorb.rules.sparse import is_sparse
from sorb.tables.arrays import keep_types
from sorb.tables.checks import (
    FLOATS,
    name_bad_cell,
    require_finite,
    require_table,
)
from sorb.tables.frames import check_names, frame_names, is_frame, rename_by_position
from sorb.tables.quoting import quote_some
from sorb.tables.sparse_matrices import SPARSE_FORMATS

__all__ = ["OpenTable", "check_numbers", "open_table"]

# What columns held in training, by name.
Experience: TypeAlias = Mapping[str, ColumnExperience]

# From a warning to the method of the estimator that was called.
_STACK_LEVEL = 4


class OpenTable:
    """A table passed to a fitted estimator, whose columns are checked while they are read."""

    def __init__(self, source: ColumnSource, use: ColumnUse, experience: Experience) -> None:
        self._source = source
        # Among new rows a few are always beyond the ranges, which would be warned of each time.
        unranged = {
            name: seen if seen.range is None else replace(seen, range=None)
            for name, seen in experience.items()
        }
        self._problems_in = partial(_problems, use=use, experience=unranged)

    def map(self, question: Callable[[ColumnSource], NDArray[Any]]) -> NDArray[Any]:
        """Ask something about each block of rows, as `ColumnSource.map` does."""
        suspicious = False

        def ask(block: ColumnSource) -> NDArray[Any]:
            nonlocal suspicious
            suspicious = suspicious or any(True for _ in self._problems_in(block))
            return question(block)

        try:
            answer = self._source.map(ask)
        except TypeError:  # a column holds no numbers, but an earlier one may have to be named
            self._report()
            raise
        if suspicious:
            self._report()
        return answer

    def read(self) -> ColumnSource:
        """Give all rows at once."""
        self._report()
        return self._source.rows(0, self._source.n_rows)

    def _report(self) -> None:
        """Raise an error or warn of what is wrong with whole columns, in their order."""
        for problem in self._problems_in(self._source):
            if isinstance(problem, Warning):
                warnings.warn(problem, stacklevel=_STACK_LEVEL)
            else:
                raise problem


def open_table(
    estimator: BaseEstimator,
    X: Any,
    ensemble: RuleEnsemble,
    experience: Experience,
) -> OpenTable:
    """Check the form of a table passed to a fitted estimator, and open it for its rules.

    `experience` is what the columns held in training: where no value was missing, no proposition
    could learn which way missing values go.
    """
    require_table(X)
    use = _column_use(ensemble)
    if is_frame(X):
        check_names(estimator, X, reset=False)
        table = _use_training_names(X, ensemble)
    else:
        table = _validate_array(estimator, X, use.weighed < set(use.columns))
    source = column_source(table, use.columns, ensemble.columns)
    return OpenTable(source, use, experience)


def check_numbers(estimator: BaseEstimator, X: Any, columns: tuple[str, ...]) -> Matrix:
    """Check a table passed to a fitted estimator, which must hold finite numbers."""
    with name_bad_cell(X):
        table = validate_data(estimator, X, reset=False, dtype=FLOATS, ensure_all_finite=False)
    require_finite(table, columns)
    return np.asarray(table)


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """The columns that an ensemble uses, in order, and those that each kind of proposition does."""

    columns: tuple[str, ...]
    weighed: frozenset[str]
    multiplied: frozenset[str]


@lru_cache
def _column_use(ensemble: RuleEnsemble) -> ColumnUse:
    return ColumnUse(
        ensemble.used_columns,
        _columns_of(ensemble, Proposition, Product),
        _columns_of(ensemble, Product),
    )


def _columns_of(ensemble: RuleEnsemble, *kinds: type[AnyProposition]) -> frozenset[str]:
    """The columns that propositions of some kinds use."""
    propositions = [p for rule in ensemble for p in rule.condition.propositions]
    return frozenset(name for p in propositions if isinstance(p, kinds) for name in p.columns)


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
            accept_sparse=SPARSE_FORMATS if is_sparse(X) else False,
        )


def _problems(source: ColumnSource, use: ColumnUse, experience: Experience) -> Iterator[Exception]:
    """Find infinite numbers, which are refused, and what was never seen in training."""
    for name in use.columns:
        for values, _ in outside_values(source, name, name in use.weighed, experience.get(name)):
            yield _problem(values, source, experience)
        if name in use.multiplied:
            yield from _without_logarithm(source.take(name), name)


def _problem(values: OutsideValues, source: ColumnSource, experience: Experience) -> Exception:
    name = values.column
    if values.kind == "infinite":
        return infinity_error(name, values.first_row)
    if values.kind == "missing":
        return UserWarning(f"{values}: no proposition on it is true there")
    found, known = Labels.of(source.labels(name)).values, experience[name].categories or ()
    if known and not set(map(_kind, found)) & set(map(_kind, known)):
        return UserWarning(
            f"column {name!r} holds {_kind(found[0])} ({quote_some(found, 3)}), but held "
            f"{_kind(known[0])} in training ({quote_some(known, 3)}): the model knows none of "
            "these categories, so give them the type they had"
        )
    return UserWarning(f"{values}: rules treat it like the categories that they do not name")


def _without_logarithm(values: Float, name: str) -> Iterator[Exception]:
    rows = np.flatnonzero(values <= 0)
    if len(rows):
        yield UserWarning(
            f"column {name!r} is {values[rows[0]]:g} in row {rows[0]} ({len(rows)} in all are not "
            "positive), but was always positive in training: products treat it as missing"
        )


def _kind(label: Any) -> str:
    """Name the kind of a label; labels of different kinds are never equal."""
    if isinstance(label, str):
        return "texts"
    return "numbers" if isinstance(label, NUMBERS) else "other values"
