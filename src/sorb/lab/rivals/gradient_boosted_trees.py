"""Gradient-boosted trees: how accurate a model can be that nobody needs to read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils._param_validation import Interval

from sorb._types import Float
from sorb.lab.rivals.rival import FittedModel, Grid, Rival, RivalClassifier, RivalRegressor
from sorb.rules import notation
from sorb.tables.training import TrainingData

# With fewer rows, or fewer of a class, none can be spared for early stopping.
_FEWEST_ROWS = 20


@dataclass(frozen=True, slots=True, eq=False)
class GradientBoostedTrees:
    """A sum of trees learned by scikit-learn, without a size that compares with that of rules.

    Attributes
    ----------
    estimator : the fitted estimator of scikit-learn.
    """

    estimator: Any

    @property
    def complexity(self) -> None:
        """None: nobody reads that many trees."""
        return

    def __call__(self, X: Any) -> Float:
        """Return the predictions, or the log-odds of the second class."""
        decide = getattr(self.estimator, "decision_function", self.estimator.predict)
        return np.asarray(decide(np.asarray(X)), dtype=np.float64)

    def describe(self) -> str:
        """Say how many trees there are."""
        return f"A sum of {notation.count(self.estimator.n_iter_, 'gradient-boosted tree')}"


class _GradientBoostedTreesRival(Rival):
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_trees": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, max_trees: int = 1000, random_state: Any = 0) -> None:
        self.max_trees = max_trees
        self.random_state = random_state

    @abstractmethod
    def _booster(self, data: TrainingData) -> tuple[type, int]:
        """Return the class of scikit-learn, and the number of rows of the rarest class."""

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        booster, n_rows = self._booster(data)
        for max_trees in self._values(grid, "max_trees"):
            start = perf_counter()
            estimator = booster(
                max_iter=max_trees,
                early_stopping=n_rows >= _FEWEST_ROWS,
                random_state=self.random_state,
            ).fit(data.X, data.y)
            yield FittedModel(
                {"max_trees": max_trees}, GradientBoostedTrees(estimator), perf_counter() - start
            )


class GradientBoostedTreesClassifier(_GradientBoostedTreesRival, RivalClassifier):
    """Tell two classes apart by scikit-learn's histogram gradient boosting, stopped early.

    A tenth of the rows decide when to stop, unless a class has fewer than twenty rows.

    Parameters
    ----------
    max_trees : int, default=1000
        The largest number of trees.
    random_state : int, RandomState instance or None, default=0
        Selects the rows that decide when to stop.

    Attributes
    ----------
    model_ : GradientBoostedTrees
        The trees.
    complexity_ : None
        They have no size that compares with that of rules.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> print(GradientBoostedTreesClassifier(max_trees=3).fit(X, X[:, 0] > X[:, 1]).describe())
    A sum of 3 gradient-boosted trees
    """

    def _booster(self, data: TrainingData) -> tuple[type, int]:
        return HistGradientBoostingClassifier, int(np.bincount(data.y.astype(np.intp)).min())


class GradientBoostedTreesRegressor(_GradientBoostedTreesRival, RivalRegressor):
    """Predict a number by scikit-learn's histogram gradient boosting, stopped early.

    A tenth of the rows decide when to stop, unless there are fewer than twenty.

    Parameters
    ----------
    max_trees : int, default=1000
        The largest number of trees.
    random_state : int, RandomState instance or None, default=0
        Selects the rows that decide when to stop.

    Attributes
    ----------
    model_ : GradientBoostedTrees
        The trees.
    complexity_ : None
        They have no size that compares with that of rules.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> print(GradientBoostedTreesRegressor(max_trees=3).fit(X, X[:, 0] * X[:, 1]).describe())
    A sum of 3 gradient-boosted trees
    """

    def _booster(self, data: TrainingData) -> tuple[type, int]:
        return HistGradientBoostingRegressor, len(data.y)
