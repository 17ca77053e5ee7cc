"""What an estimator learns from: a table, its outcomes and weights, and a loss, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y, validate_data

from sorb._kernels import SparseTable
from sorb._types import Float, Int, Matrix, Table
from sorb.losses import Logistic, Loss, Softmax
from sorb.rules import Rule
from sorb.rules.columns import place_names
from sorb.rules.sparse import is_sparse
from sorb.tables.arrays import keep_types, mark_missing, read_array
from sorb.tables.checks import (
    FLOATS,
    name_bad_cell,
    require_finite,
    require_no_infinities,
    require_table,
    row_count,
)
from sorb.tables.class_shares import class_shares
from sorb.tables.column_constraints import (
    NO_CONSTRAINTS,
    ColumnConstraints,
    check_directions,
    check_groups,
    check_prices,
)
from sorb.tables.column_policy import require_some_left
from sorb.tables.exposure import as_rates
from sorb.tables.frames import check_names, frame_names, is_frame, read_frame, translate_names
from sorb.tables.row_keys import row_blocks
from sorb.tables.row_values import flat_outcomes
from sorb.tables.schema import Schema, choose_log_columns, drop_unused_categories
from sorb.tables.sparse_matrices import SPARSE_FORMATS, read_sparse
from sorb.tables.targets import require_labels, require_numbers, require_scale
from sorb.tables.weights import apply_class_weight, copy_counts, row_weights, weight_unit

__all__ = ["ColumnOptions", "TrainingData", "classification_data", "regression_data"]


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """A checked table with its outcomes as numbers, and what they mean.

    Attributes
    ----------
    X : numbers, float32 or float64, all of them or only those that are not zero; NaN where a value
        is missing.
    y : outcomes; for classes their indices, or 1 everywhere if there is only one class.
    weight : non-negative, and positive in at least one row; in units of `weight_unit`.
    schema : what the columns of X mean.
    loss : what is minimised.
    classes : the labels of the classes that have any weight; None for a regression.
    units : the units of columns, for those that have one.
    count : how many copies each row stands for: its weight if all weights are whole numbers,
        otherwise one. Class weights do not count.
    per_exposure : whether the outcomes are rates, for one unit of an exposure.
    weight_unit : what a weight of one stands for, so that weights of any size can be summed.
    group : the number of the group of each row, if there are groups of rows that belong together.
    class_shares : the share of each class before classes were weighted; None if they were not.
    sampled : whether these are some rows of a larger table.
    origin : if that table is in memory, the number of each row there.
    constraints : what is ruled out about the columns.
    given : the rules that every model has; their votes are fitted.
    """

    X: Table
    y: Float
    weight: Float
    schema: Schema
    loss: Loss
    classes: NDArray[Any] | None = None
    units: tuple[tuple[str, str], ...] = ()
    count: Float | None = None
    per_exposure: bool = False
    weight_unit: float = 1.0
    group: Int | None = None
    class_shares: Float | None = None
    sampled: bool = False
    origin: Int | None = None
    constraints: ColumnConstraints = NO_CONSTRAINTS
    given: tuple[Rule, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of each column of X."""
        return self.schema.names

    @property
    def array(self) -> Matrix:
        """X, where all values are stored, as they are unless the user gave a sparse matrix."""
        assert not isinstance(self.X, SparseTable)
        return self.X

    @property
    def one_class(self) -> bool:
        """Whether there is only one class, so that no rule could help."""
        return self.classes is not None and len(self.classes) == 1

    def take(self, rows: Int) -> TrainingData:
        """Some of the rows; their columns are contiguous."""
        if isinstance(self.X, SparseTable):
            return self._with(self.X.take(rows), rows)
        X = np.empty((len(rows), self.X.shape[1]), dtype=self.X.dtype, order="F")
        for j in range(X.shape[1]):
            X[:, j] = self.X[rows, j]
        return self._with(X, rows)

    def reorder(self, rows: Int) -> TrainingData:
        """All of the rows in another order, in the same table: the old order is lost."""
        if isinstance(self.X, SparseTable):
            return self.take(rows)
        for j in range(self.X.shape[1]):
            self.X[:, j] = self.X[rows, j]
        return self._with(self.X, rows)

    def _with(self, X: Table, rows: Int) -> TrainingData:
        """The rows whose table is given, with what else belongs to them."""
        return replace(
            self,
            X=X,
            y=self.y[rows],
            weight=self.weight[rows],
            count=None if self.count is None else self.count[rows],
            group=None if self.group is None else self.group[rows],
            origin=None if self.origin is None else self.origin[rows],
        )


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """How the columns of a table are read: the parameters of the estimators about columns."""

    categorical_features: Any
    log_columns: Any
    units: Any
    monotonic_cst: Any
    interaction_cst: Any
    column_prices: Any

    def for_table(self, X: Any) -> ColumnOptions:
        """Use the names that rules will use for the columns of this table."""
        if not is_frame(X):
            return self
        names = frame_names(X)
        parameters = (self.categorical_features, self.log_columns, self.units)
        categorical, logs, units = (translate_names(given, names) for given in parameters)
        directions = self.monotonic_cst
        if isinstance(directions, Mapping):  # an array has an entry for each position
            directions = translate_names(directions, names)
        groups = self.interaction_cst
        if isinstance(groups, (list, tuple)):
            groups = [translate_names(g, names) if np.iterable(g) else g for g in groups]
        prices = translate_names(self.column_prices, names)
        return ColumnOptions(categorical, logs, units, directions, groups, prices)

    def constraints(self, schema: Schema) -> ColumnConstraints:
        """What the parameters rule out about the columns of a table."""
        together = self.interaction_cst
        most = {"pairwise": 2, "no_interactions": 1}
        return ColumnConstraints(
            check_directions(self.monotonic_cst, schema),
            check_groups(together, schema.names),
            most[together] if isinstance(together, str) else None,
            check_prices(self.column_prices, schema.names),
        )


def classification_data(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    reset: bool = True,
    options: ColumnOptions | None = None,
) -> TrainingData:
    """Check a table with class labels: logistic loss for two classes, softmax for more.

    Without `options`, the table must hold finite numbers.
    """
    require_table(X)
    y = None if y is None else require_labels(flat_outcomes(y, row_count(X)))
    options = None if options is None else options.for_table(X)
    X, y, schema = _read_pair(estimator, X, y, sample_weight, reset, False, options)
    labels = _require_classes(y)
    weight = row_weights(sample_weight, len(X))
    count = copy_counts(weight)
    given = weight
    weight = apply_class_weight(class_weight, y, weight)
    schema = _complete_schema(X, schema, weight, options)
    classes, index = _number_classes(y, labels, weight)
    constraints = _constraints(schema, options)
    if len(classes) > 2 and options is not None and options.monotonic_cst is not None:
        raise ValueError(
            f"monotonic_cst is for two classes or a regression, found {len(classes)} classes: "
            "leave it out, or predict one class against all others"
        )
    shares = None if class_weight is None else class_shares(index, given * (weight > 0))
    loss = Softmax() if len(classes) > 2 else Logistic()
    unit = weight_unit(weight, count)
    weight = weight if unit == 1 else weight / unit
    data = (X, index, weight, schema, loss, classes, _units(options), count)
    return TrainingData(*data, weight_unit=unit, class_shares=shares, constraints=constraints)


def _require_classes(y: NDArray[Any]) -> NDArray[Any]:
    """The different labels; refuses outcomes that are no classes."""
    labels = np.unique(y)
    # scikit-learn warns if most labels are different; otherwise a few rows tell it all, sooner.
    told = y if 2 * len(labels) > len(y) else np.repeat(labels, 2)
    with np.errstate(invalid="ignore"):  # of casting huge numbers, which it refuses
        check_classification_targets(told)
    return labels


def _number_classes(
    y: NDArray[Any], labels: NDArray[Any], weight: Float
) -> tuple[NDArray[Any], Float]:
    """The classes that have any weight, and the index of each row's class; 1 for a single one."""
    present = weight > 0
    classes = labels if present.all() else np.unique(y[present])
    index = np.empty(len(y))
    for rows in row_blocks(len(y)):
        # Labels without any weight get some index, as their rows are never used.
        index[rows] = np.minimum(np.searchsorted(classes, y[rows]), len(classes) - 1)
    if len(classes) == 1:
        index += 1
    return classes, index


def regression_data(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    loss: Loss,
    reset: bool = True,
    options: ColumnOptions | None = None,
    exposure: Any = None,
) -> TrainingData:
    """Check a table with numbers to predict, or with what accumulates over an exposure.

    Without `options`, the table must hold finite numbers.
    """
    require_table(X)
    y = None if y is None else require_numbers(flat_outcomes(y, row_count(X)))
    options = None if options is None else options.for_table(X)
    X, y, schema = _read_pair(estimator, X, y, sample_weight, reset, True, options)
    weight = row_weights(sample_weight, len(X))
    loss.check_outcomes(y)
    count = copy_counts(weight)  # an exposure makes no copies of a row
    y, weight = as_rates(loss, y, weight, exposure)
    loss.check_training(y, weight)
    rates = exposure is not None
    require_scale(loss, y, weight, "y / exposure" if rates else "y")
    schema = _complete_schema(X, schema, weight, options)
    unit = weight_unit(weight, count)
    weight = weight if unit == 1 else weight / unit
    data = (X, y, weight, schema, loss, None, _units(options), count, rates)
    return TrainingData(*data, weight_unit=unit, constraints=_constraints(schema, options))


# scikit-learn adds up large outcomes of both signs to see whether they are finite.
@np.errstate(over="ignore", invalid="ignore")
def _read_pair(
    estimator: BaseEstimator,
    X: Any,
    y: Any,
    sample_weight: Any,
    reset: bool,
    y_numeric: bool,
    options: ColumnOptions | None,
) -> tuple[Any, Any, Schema]:
    """Read the table as numbers, with the outcomes and what the columns mean."""
    checks: dict[str, Any] = {"ensure_all_finite": False, "y_numeric": y_numeric}
    categorical = None if options is None else options.categorical_features
    if options is not None and is_frame(X):
        check_names(estimator, X, reset)
        copies = _copies(sample_weight, X)
        X, schema = read_frame(X, tuple(frame_names(X).values()), categorical, copies)
        require_some_left(schema.names, schema.left_out)
        X, y = check_X_y(X, y, dtype=FLOATS, estimator=estimator, **checks)
    elif options is not None and is_sparse(X):
        X, y = validate_data(
            estimator, X, y, reset=reset, dtype=FLOATS, accept_sparse=SPARSE_FORMATS, **checks
        )
        names = _array_names(estimator, X.shape[1])
        table, schema = read_sparse(X, names, categorical, options.log_columns)
        return table, y, schema
    else:
        # Columns that are named as categories may hold anything.
        named = not (categorical is None or isinstance(categorical, str))
        X = mark_missing(keep_types(X))
        with name_bad_cell(X, options is not None):
            X, y = validate_data(
                estimator, X, y, reset=reset, dtype=None if named else FLOATS, **checks
            )
        X, schema = read_array(X, _array_names(estimator, X.shape[1]), categorical)
    if options is None:
        require_finite(X, schema.names)
        return X, y, schema
    require_no_infinities(X, schema.names)
    return X, y, schema


def _copies(sample_weight: Any, X: Any) -> Float | None:
    """How many copies each row of a data frame stands for; None if it has no rows."""
    n_rows = row_count(X)
    if not n_rows:
        return None
    weight = row_weights(sample_weight, n_rows)
    return np.where(weight > 0, copy_counts(weight), 0.0)


def _array_names(estimator: BaseEstimator, count: int) -> tuple[str, ...]:
    return tuple(map(str, getattr(estimator, "feature_names_in_", place_names(count))))


def _complete_schema(
    X: Any, schema: Schema, weight: Float, options: ColumnOptions | None
) -> Schema:
    """Add to the schema what depends on the rows that have any weight."""
    present = weight > 0
    if not schema.plain and not present.all():
        schema = drop_unused_categories(X, schema, present)
    return (
        schema if options is None else choose_log_columns(X, schema, options.log_columns, present)
    )


def _constraints(schema: Schema, options: ColumnOptions | None) -> ColumnConstraints:
    return NO_CONSTRAINTS if options is None else options.constraints(schema)


def _units(options: ColumnOptions | None) -> tuple[tuple[str, str], ...]:
    return () if options is None or options.units is None else tuple(options.units.items())
