"""Lists of rules and risk scores of the library imodels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sorb._types import Float
from sorb.lab.rivals.imodels_rival import SIZE, ImodelsRival, load_imodels
from sorb.lab.rivals.rival import RivalClassifier, RivalRegressor
from sorb.lab.rivals.trees_as_rules import AdditiveModel, Bound


class _RuleFit(ImodelsRival):
    _size = "max_rules"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": SIZE,
        "n_estimators": SIZE,
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
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> fit = ImodelsRuleFitClassifier(max_rules=9, n_estimators=10).fit(X, X[:, 0] > 0)
    >>> len(fit.model_) <= 9, fit.score(X, X[:, 0] > 0)
    (True, 1.0)
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        score = self._fit_rules(load_imodels().RuleFitClassifier, X, y, size, seed)
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
        Its number of rules, propositions and coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> fit = ImodelsRuleFitRegressor(max_rules=4, n_estimators=10).fit(X, X[:, 0] > 1)
    >>> len(fit.model_) <= 4, round(fit.score(X, X[:, 0] > 1), 2)
    (True, 1.0)
    """

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        return self._fit_rules(load_imodels().RuleFitRegressor, X, y, size, seed)


class ImodelsRiskScoreClassifier(ImodelsRival, RivalClassifier):
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
        Its number of rules, propositions and coefficients.
    """

    _size = "max_conditions"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_conditions": SIZE,
        "n_thresholds": SIZE,
    }
    random_state = 0  # nothing is random

    def __init__(self, *, max_conditions: int = 5, n_thresholds: int = 9) -> None:
        self.max_conditions = max_conditions
        self.n_thresholds = n_thresholds

    def _additive_model(self, X: Float, y: Float, size: int, seed: int) -> AdditiveModel:
        score = load_imodels().FastRiskScoreClassifier(k=size, n_thresholds=self.n_thresholds)
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
