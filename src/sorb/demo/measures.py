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
    "CHOICES",
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
SPLITS = 20  # of the curves
CHOICES = 10  # splits on which the size is chosen


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
    share : mean over the splits, for the largest model within the complexity.
    error : standard error of that mean.
    """

    complexity: Int
    share: Float
    error: Float


def learn(example: Example, split: ExampleSplit, search: str) -> Result:
    """Choose the size of a model by cross-validation, and learn the model."""
    started = time.perf_counter()
    model = example.cv_estimator(
        search=search, max_complexity=READABLE_COMPLEXITY, selection="one_se"
    ).fit(split.X, split.y)
    seconds = time.perf_counter() - started
    risks = _test_risks(model, split)
    score = model.score(split.X_test, split.y_test)
    return Result(model, score, risks[-1], risks[-1] / risks[0], seconds)


def curve(example: Example, search: str) -> RiskCurve:
    """Learn from several splits, and average the risk that they reach within each complexity."""
    budgets = np.arange(MAX_COMPLEXITY + 1)
    shares = []
    for seed in range(SPLITS):
        split = example.split(seed)
        model = example.estimator(search=search, max_rules=30, max_complexity=MAX_COMPLEXITY)
        risks = _test_risks(model.fit(split.X, split.y), split)
        complexities = [stage.ensemble.complexity for stage in model.stages_]
        shares.append(_within(budgets, complexities, risks) / risks[0])
    error = np.std(shares, axis=0) / np.sqrt(SPLITS - 1)
    return RiskCurve(budgets, np.mean(shares, axis=0), error)


def _test_risks(model: Any, split: ExampleSplit) -> Float:
    """Give the mean loss of each stage."""
    X, y = split.X_test, split.y_test
    if hasattr(model, "classes_"):
        y = (y == model.classes_[1]).astype(np.float64)
    loss = model.ensemble_.loss
    return np.array([loss.value(y, stage.ensemble(X)).mean() for stage in model.stages_])


def _within(budgets: Int, complexities: Sequence[int], risks: Float) -> Float:
    """Give the risk of the largest model within each budget."""
    return np.asarray(risks[np.searchsorted(complexities, budgets, side="right") - 1])
