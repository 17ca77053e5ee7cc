"""RFObTr: RuleFit on oblique trees.

A forest of small oblique trees proposes rules, an L1-penalised regression selects the requested
number of them, and their votes are then refitted with an L2 penalty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sorb import _kernels
from sorb._types import Bool
from sorb.lab.rivals.oblique_forest import forest_conditions
from sorb.lab.rivals.rival import (
    FittedModel,
    Grid,
    Rival,
    RivalClassifier,
    RivalRegressor,
    constant_model,
)
from sorb.lab.rivals.rule_selection import patterns_of, supports
from sorb.learning.refit import Patterns, refit
from sorb.learning.rows import Rows
from sorb.rules import Condition, Rule, RuleEnsemble
from sorb.tables.training import TrainingData

__all__ = ["ObliqueRuleFitClassifier", "ObliqueRuleFitRegressor"]


@dataclass(frozen=True, slots=True)
class _Pool:
    """Conditions to choose from; `covered[i, j]` tells whether condition j covers row i."""

    conditions: tuple[Condition, ...]
    covered: Bool

    @classmethod
    def from_forest(cls, data: TrainingData, rows: Rows, rng: np.random.Generator) -> _Pool:
        """Keep the simplest of conditions that cover the same rows, or exactly the others.

        With a free offset, all of them would give the same models.
        """
        found = list(forest_conditions(rows, data.classes is not None, rng))
        simplest: dict[int | None, tuple[Condition, Bool]] = {}
        for condition, covered in sorted(found, key=lambda pair: pair[0].complexity):
            simplest.setdefault(_kernels.division(covered), (condition, covered))
        conditions = tuple(condition for condition, _ in simplest.values())
        columns = [covered for _, covered in simplest.values()]
        return cls(conditions, np.array(columns, dtype=np.bool_).reshape(-1, len(rows)).T)


class _ObliqueRuleFit(Rival):
    """Select rules from a forest of oblique trees, for either task."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rules": [Interval(Integral, 1, None, closed="left")],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self, *, n_rules: int = 10, reg_lambda: float = 1.0, random_state: Any = 0
    ) -> None:
        self.n_rules = n_rules
        self.reg_lambda = reg_lambda
        self.random_state = random_state

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        """Learn one forest and one path of selections for all models.

        A number of rules that is out of reach gives the largest model, once.
        """
        started = perf_counter()
        sizes = self._values(grid, "n_rules")
        rows = Rows.of(data)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        pool = _Pool.from_forest(data, rows, np.random.default_rng(seed))
        selected = supports(pool.covered, rows, data.loss, max(sizes))
        shared = perf_counter() - started
        for size in _reachable_sizes(sizes, len(selected)):
            started = perf_counter()
            chosen = selected[min(size, len(selected)) - 1].rules if selected else ()
            conditions = [pool.conditions[j] for j in chosen]
            patterns = patterns_of(pool.covered[:, chosen])
            prepared = shared + perf_counter() - started
            for reg_lambda in self._values(grid, "reg_lambda"):
                started = perf_counter()
                model = _fit_votes(data, rows, conditions, patterns, reg_lambda)
                parameters = {"n_rules": size, "reg_lambda": reg_lambda}
                yield FittedModel(parameters, model, prepared + perf_counter() - started)


def _reachable_sizes(sizes: Sequence[int], most: int) -> list[int]:
    """Drop the sizes that are out of reach, except one that stands for the largest model."""
    within = [size for size in sizes if size <= most]
    beyond = [size for size in sizes if size > most]
    return within if most in within else within + beyond[:1]


def _fit_votes(
    data: TrainingData,
    rows: Rows,
    conditions: Sequence[Condition],
    patterns: Patterns,
    reg_lambda: float,
) -> RuleEnsemble:
    """Fit the offset and the votes of rules with these conditions."""
    constant = constant_model(data)
    if not conditions:
        return constant
    start = np.zeros(1 + len(conditions))
    theta, _ = refit(data.loss, patterns, rows.y, rows.weight, reg_lambda, start)
    rules = tuple(map(Rule, conditions, theta[1:].tolist()))
    offset = float(theta[0]) + rows.shift
    return RuleEnsemble(offset, rules, constant.columns, constant.loss, constant.classes)


class ObliqueRuleFitClassifier(RivalClassifier, _ObliqueRuleFit):
    """Tell two classes apart by rules selected from a forest of oblique trees.

    Up to 40 trees of depth 2 and 3, whose splits combine 2 to 5 columns, learn from samples of
    70 % of the rows, drawn with replacement. Every node but the root is a rule. Of rules that
    cover the same training rows, or exactly the others, the simplest is kept: with a free offset
    they all give the same models, and the selection could only choose one at random.
    L1-penalised logistic regression on the rules as 0 or 1 then selects `n_rules` of them, and
    their votes are fitted with an L2 penalty. The offset is not penalised in either.

    Parameters
    ----------
    n_rules : int, default=10
        The number of rules, ≥ 1. There are fewer if no others help.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the votes, ≥ 0.
    random_state : int, RandomState instance or None, default=0
        Draws the rows and columns of the trees, and where their searches start.

    Attributes
    ----------
    ensemble_ : RuleEnsemble
        The rules.
    complexity_ : int
        The number of rules, propositions and coefficients.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb.lab.rivals.oblique_rulefit import ObliqueRuleFitClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ObliqueRuleFitClassifier(n_rules=3).fit(X, y == 1)
    >>> len(model.ensemble_), bool(model.score(X, y == 1) > 0.95)
    (3, True)
    """


class ObliqueRuleFitRegressor(RivalRegressor, _ObliqueRuleFit):
    """Predict a number by rules selected from a forest of oblique trees.

    Up to 40 trees of depth 2 and 3, whose splits combine 2 to 5 columns, learn from samples of
    70 % of the rows, drawn with replacement. Every node but the root is a rule. Of rules that
    cover the same training rows, or exactly the others, the simplest is kept: with a free offset
    they all give the same models, and the selection could only choose one at random.
    The lasso on the rules as 0 or 1 then selects `n_rules` of them, and their votes are fitted
    with an L2 penalty. The offset is not penalised in either.

    Parameters
    ----------
    n_rules : int, default=10
        The number of rules, ≥ 1. There are fewer if no others help.
    reg_lambda : float, default=1.0
        The L2 penalty λ on the votes, ≥ 0. Squared losses are halved.
    random_state : int, RandomState instance or None, default=0
        Draws the rows and columns of the trees, and where their searches start.

    Attributes
    ----------
    ensemble_ : RuleEnsemble
        The rules.
    complexity_ : int
        The number of rules, propositions and coefficients.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman2
    >>> from sorb.lab.rivals.oblique_rulefit import ObliqueRuleFitRegressor
    >>> X, y = make_friedman2(300, random_state=0)
    >>> model = ObliqueRuleFitRegressor(n_rules=3).fit(X, y)
    >>> len(model.ensemble_), bool(model.score(X, y) > 0.6)
    (3, True)
    """
