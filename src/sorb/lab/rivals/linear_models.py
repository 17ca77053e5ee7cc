"""Linear and logistic regression on a few columns, which many people would try first."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge, lars_path
from sklearn.utils._param_validation import Interval

from sorb._types import Float, Int
from sorb.lab.rivals.rival import (
    FittedModel,
    Grid,
    Model,
    Rival,
    RivalClassifier,
    RivalRegressor,
    constant_model,
)
from sorb.learning import separators
from sorb.rules import notation
from sorb.tables.training import TrainingData

__all__ = ["LinearClassifier", "LinearModel", "LinearRegressor"]

# Without a penalty, the weights of a logistic regression that makes no mistakes are infinite.
_LEAST_PENALTY = 1e-10

Support = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LinearModel:
    """A weighted sum of columns.

    Attributes
    ----------
    offset : float
        The score where all columns are 0.
    names : tuple of str
        The columns with a weight.
    places : tuple of int
        Where they are in the table.
    weights : tuple of float
        Their weights, in the units of the table.

    Examples
    --------
    >>> model = LinearModel(-2.5, ("age", "bmi"), (0, 2), (0.05, -1.0))
    >>> print(model.describe())
    −2.5 + 0.05·age − 1·bmi
    >>> model.complexity, model([[30.0, 0.0, 1.0]])
    (2, array([-2.]))
    """

    offset: float
    names: tuple[str, ...]
    places: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def complexity(self) -> int:
        """The number of weights."""
        return len(self.weights)

    def __call__(self, X: Any) -> Float:
        """Return the sum for each row."""
        columns = np.asarray(X, dtype=np.float64)[:, list(self.places)]
        return np.asarray(columns @ np.array(self.weights) + self.offset)

    def describe(self) -> str:
        """Return the sum as text, in four significant digits."""
        terms = [
            f" {notation.signed(weight, 4)[0]} {notation.number(abs(weight), 4)}·"
            f"{notation.name(name)}"
            for name, weight in zip(self.names, self.weights, strict=True)
        ]
        return notation.number(self.offset, 4) + "".join(terms)


class _LinearRival(Rival):
    """Chooses columns by an L1 penalty, and fits their weights again with an L2 penalty."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_columns": [Interval(Integral, 1, None, closed="left")],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, max_columns: int = 10, reg_lambda: float = 1.0) -> None:
        self.max_columns = max_columns
        self.reg_lambda = reg_lambda

    @abstractmethod
    def _path(self, Z: Float, y: Float, most: int) -> Iterator[Support]:
        """Follow the L1 path of standardised columns, as the penalty falls."""

    @abstractmethod
    def _fit_weights(self, Z: Float, y: Float, reg_lambda: float) -> tuple[float, Float]:
        """Return the offset and the weights of these columns."""

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        start = perf_counter()
        sizes = self._values(grid, "max_columns")
        columns = _Standardised.of(data)
        supports: list[Support] = []
        if np.ptp(data.y) and columns.Z.size:
            supports = list(self._path(columns.Z, data.y, max(sizes)))
        shared = perf_counter() - start
        known: dict[tuple[Support, float], tuple[Model, float]] = {}
        for size, reg_lambda in product(sizes, self._values(grid, "reg_lambda")):
            key = _largest(supports, size), reg_lambda
            if key not in known:
                start = perf_counter()
                model = self._model(data, columns, *key)
                known[key] = model, shared + perf_counter() - start
            yield FittedModel({"max_columns": size, "reg_lambda": reg_lambda}, *known[key])

    def _model(
        self, data: TrainingData, columns: _Standardised, support: Support, reg_lambda: float
    ) -> Model:
        if not support:
            return constant_model(data)
        offset, weights = self._fit_weights(columns.Z[:, support], data.y, reg_lambda)
        chosen = list(support)
        weights = weights / columns.spread[chosen]
        places = columns.places[chosen].tolist()
        return LinearModel(
            offset - float(weights @ columns.centre[chosen]),
            tuple(data.columns[place] for place in places),
            tuple(places),
            tuple(weights.tolist()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Standardised:
    """The columns that vary, and what it takes to get back to their units."""

    Z: Float
    places: Int
    centre: Float
    spread: Float

    @classmethod
    def of(cls, data: TrainingData) -> _Standardised:
        X = data.array.astype(np.float64)
        centre, spread = X.mean(axis=0), X.std(axis=0)
        places = np.flatnonzero((spread > 0) & np.isfinite(spread))
        centre, spread = centre[places], spread[places]
        return cls((X[:, places] - centre) / spread, places, centre, spread)


def _largest(supports: Sequence[Support], size: int) -> Support:
    """Return the first support with the most columns within a size."""
    return max((s for s in supports if len(s) <= size), key=len, default=())


class LinearClassifier(_LinearRival, RivalClassifier):
    """Tell two classes apart by logistic regression on a few columns.

    The columns are those that have a weight first when the penalty of an L1-penalised logistic
    regression falls; their weights are then fitted again, with an L2 penalty. Both penalties apply
    to standardised columns, and the offset has none.

    Parameters
    ----------
    max_columns : int, default=10
        The largest number of columns, ≥ 1.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the weights, ≥ 0.

    Attributes
    ----------
    model_ : LinearModel
        The weighted sum, the log-odds of the second class.
    complexity_ : int
        The number of its weights.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> print(LinearClassifier(max_columns=2).fit(X, y).describe())
    14.12 − 32.5·"worst concave points" − 0.08897·"worst perimeter"
    """

    def _path(self, Z: Float, y: Float, most: int) -> Iterator[Support]:
        for solution in separators.path(Z, 2 * y - 1, np.ones(len(y)), most):
            yield tuple(solution.support)

    def _fit_weights(self, Z: Float, y: Float, reg_lambda: float) -> tuple[float, Float]:
        cost = 1 / (2 * max(reg_lambda, _LEAST_PENALTY))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # classes may be separable
            fit = LogisticRegression(C=cost, solver="newton-cholesky").fit(Z, y)
        return float(fit.intercept_[0]), fit.coef_[0]


class LinearRegressor(_LinearRival, RivalRegressor):
    """Predict a number by linear regression on a few columns.

    The columns are those that have a weight first when the penalty of the lasso falls; their
    weights are then fitted again, with an L2 penalty. Both penalties apply to standardised columns,
    and the offset has none.

    Parameters
    ----------
    max_columns : int, default=10
        The largest number of columns, ≥ 1.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the weights, ≥ 0.

    Attributes
    ----------
    model_ : LinearModel
        The weighted sum.
    complexity_ : int
        The number of its weights.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> print(LinearRegressor(max_columns=2).fit(X, y).describe())
    −298.6 + 7.252·bmi + 55.9·s5
    """

    def _path(self, Z: Float, y: Float, most: int) -> Iterator[Support]:
        # The path ends at a fixed absolute penalty, so the outcomes are standardised.
        with warnings.catch_warnings():
            # A column that is a combination of others is dropped, as it should be.
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, _, weights = lars_path(Z, (y - y.mean()) / y.std(), method="lasso")
        # Between two places where columns come or go, the same ones have a weight.
        for column in ((weights[:, :-1] + weights[:, 1:]) / 2).T:
            yield tuple(np.flatnonzero(column).tolist())

    def _fit_weights(self, Z: Float, y: Float, reg_lambda: float) -> tuple[float, Float]:
        fit = Ridge(alpha=2 * max(reg_lambda, _LEAST_PENALTY)).fit(Z, y)
        return float(fit.intercept_), fit.coef_
