"""Estimators of the library imodels, with their models as rule ensembles.

imodels learns; here its trees and rules are only rewritten as a `RuleEnsemble` with the same
scores. For regression the outcomes are standardised first, because imodels drops rules whose votes
are below a threshold that does not scale with the outcomes.

imodels' `BoostedRulesRegressor` has no adapter: it predicts the weighted median of its stumps,
which is not a sum of rules.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from threading import Lock
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sorb._types import Bool, Float
from sorb.lab.rivals.rival import (
    FittedModel,
    Grid,
    Rival,
    RivalClassifier,
    RivalRegressor,
    constant_model,
)
from sorb.lab.rivals.trees_as_rules import AdditiveModel, Bound, Leaf, leaves_of
from sorb.rules import RuleEnsemble
from sorb.tables.training import TrainingData

_SIZE = [Interval(Integral, 1, None, closed="left")]


def _imodels() -> Any:
    try:
        import imodels
    except ImportError as error:
        raise ImportError('this rival needs imodels: pip install "sorb[lab]"') from error
    return imodels


class _ImodelsRival(Rival):
    """An estimator of imodels, fitted from scratch for each size."""

    _size: ClassVar[str]

    @abstractmethod
    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        """Fit imodels' estimator to outcomes that are 0 and 1, or standardised."""

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        for size in self._values(grid, self._size):
            start = perf_counter()
            model = self._model(data, size, seed)
            yield FittedModel({self._size: size}, model, perf_counter() - start)

    def _model(self, data: TrainingData, size: int, seed: int) -> RuleEnsemble:
        shift, scale = 0.0, 1.0
        if data.classes is None:
            shift, scale = float(data.y.mean()), float(data.y.std())
        if scale == 0 or not np.ptp(data.X, axis=0).any():
            return constant_model(data)
        X, y = data.X.astype(np.float64), (data.y - shift) / scale
        with _undisturbed(seed):
            return self._additive_model(X, y, size, seed).to_ensemble(data, shift, scale)


# NumPy's global random state and the warning filters are shared by all threads.
_ONE_AT_A_TIME = Lock()


@contextmanager
def _undisturbed(seed: int) -> Iterator[None]:
    """Let imodels use NumPy's global random state, and restore it afterwards."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        # It calls scikit-learn in deprecated ways, and tries penalties that are too small.
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "Inconsistent values: penalty")
        warnings.filterwarnings("ignore", "TAO regression is experimental")
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(state)  # noqa: NPY002


class _FIGS(_ImodelsRival):
    _size = "max_rules"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": _SIZE,
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
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsFIGSClassifier(max_rules=1).fit(X, X[:, 0] > 3).model_)
    −1  always
    +2  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        figs = _imodels().FIGSClassifier(max_rules=size, random_state=seed).fit(X, y)
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
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsFIGSRegressor(max_rules=1).fit(X, X[:, 0] > 3).model_)
    +0  always
    +1  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        figs = _imodels().FIGSRegressor(max_rules=size, random_state=seed).fit(X, y)
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


class _RuleFit(_ImodelsRival):
    _size = "max_rules"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": _SIZE,
        "n_estimators": _SIZE,
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, max_rules: int = 30, n_estimators: int = 100, random_state: Any = 0
    ) -> None:
        self.max_rules = max_rules
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _fit_rules(
        self, estimator: type, X: Float, y: Float, size: int, seed: int
    ) -> AdditiveModel:
        fitted = estimator(
            max_rules=size,
            n_estimators=self.n_estimators,
            include_linear=False,
            cv=False,
            random_state=seed,
        ).fit(X, y)
        rules = [
            (_rulefit_path(rule), rule.args[0]) for rule in fitted.rules_without_feature_names_
        ]
        return AdditiveModel(float(np.ravel(fitted.intercept)[0]), rules)


def _rulefit_path(rule: Any) -> tuple[Bound, ...]:
    """Read a rule whose columns are called X_0, X_1 …; a column equals itself on every row."""
    return tuple(
        Bound(int(column.removeprefix("X_")), float(threshold), symbol == ">")
        for (column, symbol), threshold in rule.agg_dict.items()
        if symbol != "=="
    )


class ImodelsRuleFitClassifier(_RuleFit, RivalClassifier):
    """Tell two classes apart by rules from boosted trees, chosen by an L1 penalty (RuleFit).

    The penalty is the smallest that leaves at most `max_rules` rules. Linear terms are left out,
    because they are not rules. imodels turns the score s of its logistic regression into the
    log-odds 2s − 1, and so does this adapter.

    Parameters
    ----------
    max_rules : int, default=30
        The largest number of rules.
    n_estimators : int, default=100
        The number of trees whose leaves are the candidates.
    random_state : int, RandomState instance or None, default=0
        The source of random numbers.

    Attributes
    ----------
    model_ : RuleEnsemble
        The rules with their votes.
    complexity_ : int
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> fit = ImodelsRuleFitClassifier(max_rules=9, n_estimators=10).fit(X, X[:, 0] > 0)
    >>> len(fit.model_) <= 9, fit.score(X, X[:, 0] > 0)
    (True, 1.0)
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        score = self._fit_rules(_imodels().RuleFitClassifier, X, y, size, seed)
        return AdditiveModel(
            2 * score.offset - 1, [(path, 2 * weight) for path, weight in score.rules]
        )


class ImodelsRuleFitRegressor(_RuleFit, RivalRegressor):
    """Predict a number by rules from boosted trees, chosen by an L1 penalty (RuleFit).

    The penalty is the smallest that leaves at most `max_rules` rules. Linear terms are left out,
    because they are not rules.

    Parameters
    ----------
    max_rules : int, default=30
        The largest number of rules.
    n_estimators : int, default=100
        The number of trees whose leaves are the candidates.
    random_state : int, RandomState instance or None, default=0
        The source of random numbers.

    Attributes
    ----------
    model_ : RuleEnsemble
        The rules with their votes.
    complexity_ : int
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> fit = ImodelsRuleFitRegressor(max_rules=4, n_estimators=10).fit(X, X[:, 0] > 1)
    >>> len(fit.model_) <= 4, round(fit.score(X, X[:, 0] > 1), 2)
    (True, 1.0)
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        return self._fit_rules(_imodels().RuleFitRegressor, X, y, size, seed)


class ImodelsRiskScoreClassifier(_ImodelsRival, RivalClassifier):
    """Tell two classes apart by whole points for a few conditions, added up (FastRiskScore).

    A condition compares one column with one of its deciles. The log-odds are a linear function of
    the points, so each condition becomes a rule.

    Parameters
    ----------
    max_conditions : int, default=5
        The largest number of conditions.
    n_thresholds : int, default=9
        The number of quantiles of each column that are tried.

    Attributes
    ----------
    model_ : RuleEnsemble
        One rule for each condition with points.
    complexity_ : int
        Its number of rules, propositions and weights.
    """

    _size = "max_conditions"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_conditions": _SIZE,
        "n_thresholds": _SIZE,
    }
    random_state = 0  # nothing is random

    def __init__(self, *, max_conditions: int = 5, n_thresholds: int = 9) -> None:
        self.max_conditions = max_conditions
        self.n_thresholds = n_thresholds

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        score = _imodels().FastRiskScoreClassifier(k=size, n_thresholds=self.n_thresholds)
        score.fit(X, y)
        return AdditiveModel(
            score.intercept_,
            [
                ((_condition_bound(column, kind, float(value)),), score.scale_ * float(points))
                for points, (column, kind, value, _) in zip(
                    score.coef_, score.binarizer_.rules_, strict=True
                )
                if points
            ],
        )


def _condition_bound(column: int, kind: str, value: float) -> Bound:
    if kind == "le":
        return Bound(column, value, above=False)
    # The column has two values, and equals the larger one: it is not below it.
    return Bound(column, float(np.nextafter(value, -np.inf)), above=True)


class _Tao(_ImodelsRival):
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
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsTaoClassifier(max_leaves=2).fit(X, X[:, 0] > 3).model_)
    −1.61  always
    +3.56  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        tree = self._tree(_imodels().TaoTreeClassifier, X, y, size, seed)
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
        Its number of rules, propositions and weights.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> print(ImodelsTaoRegressor(max_leaves=2).fit(X, X[:, 0] > 3).model_)
    +0  always
    +1  if  x0 ≥ 3.5
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        tree = self._tree(_imodels().TaoTreeRegressor, X, y, size, seed).tree_
        return AdditiveModel(trees=[leaves_of(tree, tree.value[:, 0, 0])])


class ImodelsBoostedRulesClassifier(_ImodelsRival, RivalClassifier):
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
        Its number of rules, propositions and weights.

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
        "n_estimators": _SIZE,
        "random_state": ["random_state"],
    }

    def __init__(self, *, n_estimators: int = 15, random_state: Any = 0) -> None:
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        boosted = _imodels().BoostedRulesClassifier(n_estimators=size, random_state=seed)
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
