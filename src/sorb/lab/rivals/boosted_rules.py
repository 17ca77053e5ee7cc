"""TGB: gradient boosting of axis-parallel rules, with all votes refitted after each rule.

It is sorb's own booster with the axis-parallel search and without validation. The published
results of the paper come from the objective "gradient_boosting" with thresholds at quintiles;
"gradient_sum" is the objective of its text, and "orthogonal" that of Yang et al. (2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from sorb.lab.rivals.rival import FittedModel, Grid, Rival, RivalClassifier, RivalRegressor
from sorb.learning.boosting import BoostingSettings, Growth, Limits, first_model
from sorb.learning.objectives import OBJECTIVES
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch
from sorb.tables.training import TrainingData

__all__ = ["BoostedRulesClassifier", "BoostedRulesRegressor"]


class _BoostedRules(Rival):
    """Boost axis-parallel rules, for either task."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 0, None, closed="left")],
        "max_complexity": [Interval(Integral, 0, None, closed="left"), None],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
        "objective": [StrOptions(set(OBJECTIVES))],
        "n_quantiles": [Interval(Integral, 2, None, closed="left"), None],
        "as_published": ["boolean"],
    }

    def __init__(
        self,
        *,
        max_rules: int = 10,
        max_complexity: int | None = None,
        reg_lambda: float = 1.0,
        objective: str = "gradient_boosting",
        n_quantiles: int | None = 5,
        as_published: bool = False,
    ) -> None:
        self.max_rules = max_rules
        self.max_complexity = max_complexity
        self.reg_lambda = reg_lambda
        self.objective = objective
        self.n_quantiles = n_quantiles
        self.as_published = as_published

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        """Boost once for each penalty; the stages are the models of all sizes."""
        sizes = self._values(grid, "max_rules")
        rows = Rows.of(data)
        start = first_model(data)
        for reg_lambda in self._values(grid, "reg_lambda"):
            growth = Growth.begin(rows, self._settings(data, reg_lambda, max(sizes)), start)
            growth.run()
            stages = growth.stages
            for size in sizes:
                stage = [stage for stage in stages if len(stage.ensemble) <= size][-1]
                parameters = {"max_rules": size, "reg_lambda": reg_lambda}
                yield FittedModel(parameters, stage.ensemble, stage.seconds)

    def _settings(self, data: TrainingData, reg_lambda: float, max_rules: int) -> BoostingSettings:
        # A condition grows as long as each proposition improves its objective.
        limits = Limits(max_rules, self.max_complexity, max_rule_complexity=2 * len(data.X))
        search = AxisSearch(self.objective, self.n_quantiles)
        return BoostingSettings(
            data.loss, search, None, reg_lambda, 0, limits, from_zero=self.as_published
        )


class BoostedRulesClassifier(RivalClassifier, _BoostedRules):
    """Tell two classes apart by boosted axis-parallel rules.

    Parameters
    ----------
    max_rules : int, default=10
        The largest number of rules, ≥ 0. There are fewer if no more can be found.
    max_complexity : int or None, default=None
        The largest complexity of the model, ≥ 0. None sets no limit.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the votes, ≥ 0.
    objective : {"gradient_boosting", "gradient_sum", "second_order", "orthogonal"}, \
            default="gradient_boosting"
        The objective by which conditions are compared.
    n_quantiles : int or None, default=5
        Thresholds separate this many groups of rows of equal weight, ≥ 2; None tries all.
    as_published : bool, default=False
        Whether to search for the first rule as if there were no offset, as in the published
        results.

    Attributes
    ----------
    ensemble_ : RuleEnsemble
        The rules.
    complexity_ : int
        The number of rules, propositions and coefficients.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb.lab.rivals import BoostedRulesClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> print(BoostedRulesClassifier(max_rules=1).fit(X, y).describe())
    The log-odds of 1 against 0, as a sum of votes (1 rule, complexity 7):
    +1.99  always
    −4.66  if  "worst perimeter" ≥ 105.8  and  "mean concave points" ≥ 0.04841  and
    "worst texture" ≥ 20.17
    """


class BoostedRulesRegressor(RivalRegressor, _BoostedRules):
    """Predict a number by boosted axis-parallel rules.

    Parameters
    ----------
    max_rules : int, default=10
        The largest number of rules, ≥ 0. There are fewer if no more can be found.
    max_complexity : int or None, default=None
        The largest complexity of the model, ≥ 0. None sets no limit.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the votes, ≥ 0.
    objective : {"gradient_boosting", "gradient_sum", "second_order", "orthogonal"}, \
            default="gradient_boosting"
        The objective by which conditions are compared.
    n_quantiles : int or None, default=5
        Thresholds separate this many groups of rows of equal weight, ≥ 2; None tries all.
    as_published : bool, default=False
        Whether to search for the first rule as if there were no offset, as in the published
        results.

    Attributes
    ----------
    ensemble_ : RuleEnsemble
        The rules.
    complexity_ : int
        The number of rules, propositions and coefficients.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sorb.lab.rivals import BoostedRulesRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> print(BoostedRulesRegressor(max_rules=1).fit(X, y).describe())
    The prediction, as a sum of votes (1 rule, complexity 7):
    +128    always
     +92.6  if  bmi ≥ 26.95  and  s5 ≥ 4.449  and  bp ≥ 83.5
    """
