"""A single small tree, which many people would try first."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier as Classifier
from sklearn.tree import DecisionTreeRegressor as Regressor
from sklearn.utils._param_validation import Interval

from sorb.lab.rivals.rival import FittedModel, Grid, Rival, RivalClassifier, RivalRegressor
from sorb.lab.rivals.trees_as_rules import AdditiveModel, Leaf, leaves_of
from sorb.tables.training import TrainingData


class _DecisionTreeRival(Rival):
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_leaves": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, max_leaves: int = 8, random_state: Any = 0) -> None:
        self.max_leaves = max_leaves
        self.random_state = random_state

    @abstractmethod
    def _leaves(self, data: TrainingData, max_leaves: int) -> list[Leaf]:
        """Grow a tree, and return its leaves with their scores."""

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        for max_leaves in self._values(grid, "max_leaves"):
            start = perf_counter()
            model = AdditiveModel(trees=[self._leaves(data, max_leaves)]).to_ensemble(data)
            yield FittedModel({"max_leaves": max_leaves}, model, perf_counter() - start)


class DecisionTreeClassifier(_DecisionTreeRival, RivalClassifier):
    """Tell two classes apart by one tree of scikit-learn (CART), grown best split first.

    Each leaf but one becomes a rule. The log-odds of a leaf come from its rows and one more of
    each class, so that they stay finite.

    Parameters
    ----------
    max_leaves : int, default=8
        The largest number of leaves, ≥ 2.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits.

    Attributes
    ----------
    model_ : RuleEnsemble
        The leaves as rules.
    complexity_ : int
        The complexity of these rules.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> print(DecisionTreeClassifier(max_leaves=2).fit(X, X[:, 0] > 3).model_)
    −1.61  always
    +3.22  if  x0 ≥ 3.5
    """

    def _leaves(self, data: TrainingData, max_leaves: int) -> list[Leaf]:
        tree = Classifier(max_leaf_nodes=max_leaves, random_state=self.random_state)
        nodes = tree.fit(data.X, data.y).tree_
        first, second = nodes.value[:, 0].T * nodes.weighted_n_node_samples + 1
        return leaves_of(nodes, np.log(second / first))


class DecisionTreeRegressor(_DecisionTreeRival, RivalRegressor):
    """Predict a number by one tree of scikit-learn (CART), grown best split first.

    Each leaf but one becomes a rule.

    Parameters
    ----------
    max_leaves : int, default=8
        The largest number of leaves, ≥ 2.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits.

    Attributes
    ----------
    model_ : RuleEnsemble
        The leaves as rules.
    complexity_ : int
        The complexity of these rules.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(8.0)[:, None]
    >>> print(DecisionTreeRegressor(max_leaves=2).fit(X, 2 * (X[:, 0] > 3) + 1).model_)
    +1  always
    +2  if  x0 ≥ 3.5
    """

    def _leaves(self, data: TrainingData, max_leaves: int) -> list[Leaf]:
        tree = Regressor(max_leaf_nodes=max_leaves, random_state=self.random_state)
        nodes = tree.fit(data.X, data.y).tree_
        return leaves_of(nodes, nodes.value[:, 0, 0])
