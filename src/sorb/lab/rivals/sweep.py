"""Models of all sizes from one estimator: a model for each combination of a grid of parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from numbers import Real
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from sorb._types import Float
from sorb.estimators.single_fit import SingleFit
from sorb.lab.datasets import Task
from sorb.lab.rivals.rival import FittedModel, Grid, Model, Rival, require_loss
from sorb.learning.stages import Stage
from sorb.losses import Loss, Squared
from sorb.rules import RuleEnsemble
from sorb.tables.exposure import as_rates

# What scikit-learn's log_loss does to probabilities of 0 and 1.
_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
# The limits of sorb's own estimators, and what they limit.
_LIMITED: dict[str, Callable[[Stage], int]] = {
    "max_complexity": lambda stage: stage.complexity,
    "max_rules": lambda stage: len(stage.ensemble),
}


def complexity_attribute(estimator: Any) -> Any:
    """Return the attribute ``complexity_`` of a fitted estimator, or None."""
    return getattr(estimator, "complexity_", None)


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorModel:
    """Any fitted scikit-learn estimator as a model of the laboratory.

    Attributes
    ----------
    estimator : the fitted estimator; of two classes, 1 is the positive one.
    task : what it predicts.
    complexity : its size, or None if it does not claim one.
    loss : of a regression: its predictions are turned into scores of this loss.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> EstimatorModel(tree, "classification")([[0.0], [3.0]]).round(2)
    array([-36.04,   0.69])
    """

    estimator: Any
    task: Task
    complexity: Any = None
    loss: Loss = field(default_factory=Squared)

    def __call__(self, X: Any) -> Float:
        """Return the predictions, or scores that are positive for the positive class."""
        scores = np.asarray(self._scores(X), dtype=np.float64)
        if scores.shape != (len(X),) or not np.isfinite(scores).all():
            name = type(self.estimator).__name__
            raise ValueError(f"{name} must give one finite number for each of {len(X)} rows")
        return scores

    def describe(self) -> str:
        """Return the estimator's own description if it has one, else its parameters."""
        own = getattr(self.estimator, "describe", None)
        return str(own() if callable(own) else self.estimator)

    def _scores(self, X: Any) -> Any:
        if self.task == "regression":
            return self.loss.link(np.asarray(self.estimator.predict(X), dtype=np.float64))
        if hasattr(self.estimator, "predict_proba"):
            positive = list(self.estimator.classes_).index(1)
            share = np.asarray(self.estimator.predict_proba(X))[:, positive]
            return logit(np.clip(share, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY))
        if hasattr(self.estimator, "decision_function"):
            return self.estimator.decision_function(X)
        return np.where(np.asarray(self.estimator.predict(X)) == 1, 1.0, -1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """An estimator, and the parameters that decide on the sizes of its models.

    A `Rival` shares work between the sizes. One fit of sorb's own estimators has the models of all
    sizes: if the grid holds values of ``max_complexity`` or ``max_rules``, each gets the best model
    within it, and nothing is chosen by cross-validation inside. If the estimator's own value is
    larger than those of the grid, it grows up to there. Any other estimator is fitted from scratch
    for each combination.

    Attributes
    ----------
    estimator : a classifier for the classes 0 and 1, or a regressor.
    task : what it predicts.
    grid : the values of these parameters.
    complexity : gives the size of a fitted estimator, or None.
    loss : the loss that is reported. Sorb minimises it; the other methods that come with sorb
        only have the usual ones; any other estimator is taken as it was set up.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> sweep = Sweep(DecisionTreeRegressor(), "regression", {"max_depth": [1, 2]})
    >>> [fitted.parameters for fitted in sweep.models(*load_diabetes(return_X_y=True))]
    [{'max_depth': 1}, {'max_depth': 2}]
    """

    estimator: Any
    task: Task
    grid: Grid = field(default_factory=dict)
    complexity: Callable[[Any], Any] = complexity_attribute
    loss: Loss = field(default_factory=Squared)

    @property
    def gives_probabilities(self) -> bool:
        """Whether scores are predictions or log-odds, rather than numbers whose sign decides."""
        if isinstance(self.estimator, Rival):
            return self.estimator.gives_probabilities
        return self.task == "regression" or hasattr(self.estimator, "predict_proba")

    def models(
        self,
        X: Any,
        y: Any,
        reg_lambdas: Sequence[float] = (),
        exposure: Float | None = None,
    ) -> Iterator[FittedModel]:
        """Learn a model for each combination of the grid and each L2 penalty."""
        grid = {**self.grid, "reg_lambda": reg_lambdas} if len(reg_lambdas) else self.grid
        if isinstance(self.estimator, Rival):
            require_loss(type(self.estimator).__name__, self.loss, [self.estimator.loss])
            return self.estimator.path(X, y, **grid)
        if isinstance(self.estimator, SingleFit):
            return self._boosted(X, y, grid, exposure)
        return self._fits(X, y, grid, exposure)

    def _boosted(self, X: Any, y: Any, grid: Grid, exposure: Float | None) -> Iterator[FittedModel]:
        """Fit sorb's own estimator once for each combination of the parameters but the size."""
        extra = {} if exposure is None else {"exposure": exposure}
        size = next((name for name in _LIMITED if name in grid), None)
        for rest in _combinations({name: grid[name] for name in grid if name != size}):
            booster = clone(self.estimator).set_params(**rest)
            if self.task == "regression":
                booster.set_params(loss=self.loss.name, **self.loss.parameters)
            if size is None:
                start = perf_counter()
                booster.fit(X, y, **extra)
                yield FittedModel(rest, booster.ensemble_, perf_counter() - start)
                continue
            enough = max(*grid[size], getattr(booster, size) or 0)
            booster.set_params(**{size: enough, "selection": None}).fit(X, y, **extra)
            for most in grid[size]:
                stage = _last_within(booster.stages_, size, most)
                yield FittedModel({size: most, **rest}, stage.ensemble, stage.seconds)

    def _fits(self, X: Any, y: Any, grid: Grid, exposure: Float | None) -> Iterator[FittedModel]:
        extra = {}
        if exposure is not None:
            y, weight = as_rates(self.loss, y, np.ones(len(y)), exposure)
            if not has_fit_parameter(self.estimator, "sample_weight"):
                raise ValueError("the method has no sample_weight, which an exposure needs")
            extra = {"sample_weight": weight}
        for parameters in _combinations(grid):
            start = perf_counter()
            fitted = clone(self.estimator).set_params(**parameters).fit(X, y, **extra)
            seconds = perf_counter() - start
            yield FittedModel(parameters, self._model(fitted), seconds)

    def _model(self, fitted: Any) -> Model:
        ensemble = getattr(fitted, "ensemble_", None)
        if isinstance(ensemble, RuleEnsemble):
            return ensemble
        return EstimatorModel(fitted, self.task, self._complexity(fitted), self.loss)

    def _complexity(self, fitted: Any) -> float | None:
        found = self.complexity(fitted)
        if found is None:
            return None
        if not (isinstance(found, Real) and 0 <= float(found) < np.inf):
            raise ValueError(
                f"the complexity of {type(fitted).__name__} must be a finite number ≥ 0, or None, "
                f"found {found!r}"
            )
        return float(found)


def _last_within(stages: Sequence[Stage], size: str, most: int) -> Stage:
    return [stage for stage in stages if _LIMITED[size](stage) <= most][-1]


def _combinations(grid: Grid) -> Iterator[dict[str, Any]]:
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))
