"""Sums of trees of the library imodels, with their leaves as rules.

imodels' `BoostedRulesRegressor` has no adapter: it predicts the weighted median of its stumps,
which is not a sum of rules.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from sorb._types import Bool, Float
from sorb.lab.rivals.imodels_rival import SIZE, ImodelsRival, load_imodels
from sorb.lab.rivals.rival import RivalClassifier, RivalRegressor
from sorb.lab.rivals.trees_as_rules import AdditiveModel, Bound, Leaf, leaves_of


class _FIGS(ImodelsRival):
    _size = "max_rules"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": SIZE,
        "random_state": ["random_state"],
    }

    def __init__(self, *, max_rules: int = 12, random_state: Any = 0) -> None:
        self.max_rules = max_rules
        self.random_state = random_state


class ImodelsFIGSClassifier(_FIGS, RivalClassifier):
    """Tell two classes apart by a sum of small trees, grown together split by split (FIGS).

    Each tree adds to the probabilities of both classes. imodels takes the softmax of the two sums,
    so the log-odds are their difference: mostly between −1 and 1, however clear the case.

    Parameters
    ----------
    max_rules : int, default=12
        The number of splits in all trees.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits.

    Attributes
    ----------
    model_ : RuleEnsemble
        The sum of trees, with a rule for each leaf but one of each tree.
    complexity_ : int
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsFIGSClassifier(max_rules=1).fit(X, X[:, 0] > 3).model_)
    −1  always
    +2  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        figs = load_imodels().FIGSClassifier(max_rules=size, random_state=seed).fit(X, y)
        return AdditiveModel(trees=[_figs_leaves(tree) for tree in figs.trees_])


class ImodelsFIGSRegressor(_FIGS, RivalRegressor):
    """Predict a number by a sum of small trees, grown together split by split (FIGS).

    Parameters
    ----------
    max_rules : int, default=12
        The number of splits in all trees.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits.

    Attributes
    ----------
    model_ : RuleEnsemble
        The sum of trees, with a rule for each leaf but one of each tree.
    complexity_ : int
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsFIGSRegressor(max_rules=1).fit(X, X[:, 0] > 3).model_)
    +0  always
    +1  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        figs = load_imodels().FIGSRegressor(max_rules=size, random_state=seed).fit(X, y)
        return AdditiveModel(trees=[_figs_leaves(tree) for tree in figs.trees_])


def _figs_leaves(node: Any, path: tuple[Bound, ...] = ()) -> list[Leaf]:
    if node.left is None:
        # Either one value, or one for each class.
        return [(path, float(node.value[-1] - (node.value[0] if len(node.value) > 1 else 0.0)))]
    column, threshold = int(node.feature), float(node.threshold)
    return [
        *_figs_leaves(node.left, (*path, Bound(column, threshold, above=False))),
        *_figs_leaves(node.right, (*path, Bound(column, threshold, above=True))),
    ]


class _Tao(ImodelsRival):
    _size = "max_leaves"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_leaves": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(self, *, max_leaves: int = 8, random_state: Any = 0) -> None:
        self.max_leaves = max_leaves
        self.random_state = random_state

    def _tree(self, estimator: type, X: Float, y: Float, size: int, seed: int) -> Any:
        """Return scikit-learn's tree, with the splits that imodels changed."""
        arguments = {"max_leaf_nodes": size, "random_state": seed}
        return estimator(model_args=arguments).fit(X, y).model


class ImodelsTaoClassifier(_Tao, RivalClassifier):
    """Tell two classes apart by a tree whose splits are improved one after the other (TAO).

    imodels starts from scikit-learn's tree, and splits on single columns. It leaves the leaves as
    they were before their rows changed, so here their log-odds come from the rows that reach them
    in the end, and one more of each class.

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
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsTaoClassifier(max_leaves=2).fit(X, X[:, 0] > 3).model_)
    −1.61  always
    +3.56  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        tree = self._tree(load_imodels().TaoTreeClassifier, X, y, size, seed)
        leaf, n_nodes = tree.apply(X), tree.tree_.node_count
        second, first = (
            np.bincount(leaf, weights=rows, minlength=n_nodes) + 1 for rows in (y, 1 - y)
        )
        return AdditiveModel(trees=[leaves_of(tree.tree_, np.log(second / first))])


class ImodelsTaoRegressor(_Tao, RivalRegressor):
    """Predict a number by a tree whose splits are improved one after the other (TAO).

    imodels starts from scikit-learn's tree, and splits on single columns.

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
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsTaoRegressor(max_leaves=2).fit(X, X[:, 0] > 3).model_)
    +0  always
    +1  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        tree = self._tree(load_imodels().TaoTreeRegressor, X, y, size, seed).tree_
        return AdditiveModel(trees=[leaves_of(tree, tree.value[:, 0, 0])])


class ImodelsBoostedRulesClassifier(ImodelsRival, RivalClassifier):
    """Tell two classes apart by the votes of stumps, each boosted on the errors of those before.

    As in scikit-learn's AdaBoost, the log-odds are twice the weighted mean of the votes −1 and 1:
    never beyond ±2, however clear the case.

    Parameters
    ----------
    n_estimators : int, default=15
        The number of stumps.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between stumps.

    Attributes
    ----------
    model_ : RuleEnsemble
        One rule for each stump, and an offset.
    complexity_ : int
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsBoostedRulesClassifier().fit(X, X[:, 0] > 3).model_)
    −2  always
    +4  if  x0 ≥ 3.5
    """

    _size = "n_estimators"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_estimators": SIZE,
        "random_state": ["random_state"],
    }

    def __init__(self, *, n_estimators: int = 15, random_state: Any = 0) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        boosted = load_imodels().BoostedRulesClassifier(n_estimators=size, random_state=seed)
        try:
            boosted.fit(X, y)
        except ValueError as error:
            if "worse than random" not in str(error):
                raise
            return AdditiveModel()
        weights = boosted.estimator_weights_[: len(boosted.estimators_)]
        weights = 2 * weights / weights.sum()
        return AdditiveModel(
            trees=[
                leaves_of(stump.tree_, np.where(_says_second(stump.tree_), w, -w))
                for stump, w in zip(boosted.estimators_, weights, strict=True)
            ]
        )


def _says_second(tree: Any) -> Bool:
    """Return whether most rows of each node are of the second class."""
    return np.asarray(tree.value[:, 0, 1] > tree.value[:, 0, 0])
