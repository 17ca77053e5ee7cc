"""What the demo measures of its models."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sorb._types import Float, Int
from sorb.demo.examples import Example, ExampleSplit
from sorb.rules import RuleEnsemble

__all__ = [
    "MAX_COMPLEXITY",
    "SEARCHES",
    "SPLITS",
    "Result",
    "RiskCurve",
    "curve",
    "learn",
]


SEARCHES = {"oblique": "oblique", "axis": "axis-parallel"}

# A printed model should fit on a screen.
READABLE_COMPLEXITY = 20
MAX_COMPLEXITY = 60
SPLITS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A model, and how well it does on the test rows.

    Attributes
    ----------
    model : the fitted estimator.
    score : accuracy or R².
    risk : mean loss.
    share : the risk divided by that of the model without rules.
    seconds : the time to choose its size and to learn it.
    """

    model: Any
    score: float
    risk: float
    share: float
    seconds: float

    @property
    def ensemble(self) -> RuleEnsemble:
        """The model's rules."""
        ensemble: RuleEnsemble = self.model.ensemble_
        return ensemble


@dataclass(frozen=True, slots=True, eq=False)
class RiskCurve:
    """The risk on test rows, as a share of that without rules, up to each complexity.

    Attributes
    ----------
    complexity : 0, 1, 2, ….
    share : mean over the splits, for the model of at most this complexity.
    error : standard error of that mean.
    """

    complexity: Int
    share: Float
    error: Float


def learn(example: Example, split: ExampleSplit, search: str) -> Result:
    """Choose the size of a model by cross-validation, and learn the model."""
    started = time.perf_counter()
    model = example.estimator(
        search=search, max_complexity=READABLE_COMPLEXITY, selection="one_se"
    ).fit(split.X, split.y)
    seconds = time.perf_counter() - started
    risk, without_rules = _test_risks([model.ensemble_, model.stages_[0].ensemble], split)
    score = model.score(split.X_test, split.y_test)
    return Result(model, score, risk, risk / without_rules, seconds)


def curve(example: Example, search: str) -> RiskCurve:
    """Grow models on several splits, and average the risk that they reach with each complexity."""
    budgets = np.arange(MAX_COMPLEXITY + 1)
    shares = []
    for seed in range(SPLITS):
        split = example.split(seed)
        model = example.estimator(search=search, max_complexity=MAX_COMPLEXITY, selection=None)
        stages = model.fit(split.X, split.y).stages_
        risks = _test_risks([stage.ensemble for stage in stages], split)
        complexities = [stage.complexity for stage in stages]
        shares.append(_within(budgets, complexities, risks) / risks[0])
    error = np.std(shares, axis=0) / np.sqrt(SPLITS - 1)
    return RiskCurve(budgets, np.mean(shares, axis=0), error)


def _test_risks(ensembles: Sequence[RuleEnsemble], split: ExampleSplit) -> Float:
    """Give the mean loss of each model."""
    loss, classes, y = ensembles[0].loss, ensembles[0].classes, split.y_test
    if classes:
        y = (y == classes[1]).astype(np.float64)
    return np.array([loss.value(y, ensemble(split.X_test)).mean() for ensemble in ensembles])


def _within(budgets: Int, complexities: Sequence[int], risks: Float) -> Float:
    """Give the risk of the model for each budget."""
    return np.asarray(risks[np.searchsorted(complexities, budgets, side="right") - 1])
