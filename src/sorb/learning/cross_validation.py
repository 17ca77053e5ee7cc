"""Cross-validation along the curve: each growth gives the risk for every budget of complexity."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sorb import _kernels
from sorb._kernels import OutOfTimeError
from sorb._types import Bool, Float, Int
from sorb.learning.boosting import BoostingSettings, Growth, first_model
from sorb.learning.fitted_rules import FittedRules
from sorb.learning.folds import N_BLOCKS, Fold
from sorb.learning.risk_curve import RiskCurve
from sorb.learning.rows import Rows, matrix_source
from sorb.learning.stages import refit_models
from sorb.losses import Loss
from sorb.rules import Condition
from sorb.rules.columns import ColumnSource
from sorb.tables.training import TrainingData


@dataclass(frozen=True, slots=True)
class Plan:
    """How models are grown, and the penalties with which their votes are refitted."""

    settings: BoostingSettings
    reg_lambdas: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FoldLosses:
    """The losses of the validation rows of one or more folds, added up by blocks of rows.

    Attributes
    ----------
    losses : array (penalties, budgets, blocks)
    weight : array (blocks,): the weights of the rows, added up.
    """

    losses: Float
    weight: Float

    @property
    def n_budgets(self) -> int:
        """The number of budgets: the largest complexity, and 0."""
        return int(self.losses.shape[1])

    def pad(self, n_budgets: int) -> Float:
        """The losses for more budgets, at which the last model is kept."""
        return self.losses[:, np.minimum(np.arange(n_budgets), self.n_budgets - 1)]

    def __add__(self, other: FoldLosses) -> FoldLosses:
        n = max(self.n_budgets, other.n_budgets)
        return FoldLosses(self.pad(n) + other.pad(n), self.weight + other.weight)


def cross_validate(
    data: TrainingData,
    folds: Sequence[Fold],
    plans: Sequence[Plan],
    after_fit: Callable[[], None] = lambda: None,
    deadline: float = math.inf,
    **parallel: Any,
) -> RiskCurve:
    """Grow models on each fold by each plan, and validate them for all budgets and penalties.

    Parameters
    ----------
    data : the whole training data.
    folds : training and validation rows; without any, the risks are NaN.
    plans : what to try.
    after_fit : called after each growth.
    deadline : when the time is over, by the performance counter; folds that were not begun by then
        are left out.
    parallel : passed to joblib.
    """
    reg_lambdas = np.array([value for plan in plans for value in plan.reg_lambdas])
    if not folds:
        return RiskCurve.unknown(reg_lambdas)
    tasks = [(plan, fold) for fold in folds for plan in plans]
    by_plan: list[FoldLosses] = []
    of_fold: list[FoldLosses | None] = []
    fits = Parallel(return_as="generator", **parallel)
    for found in fits(delayed(_validate)(data, *task, deadline) for task in tasks):
        of_fold.append(found)
        after_fit()
        if len(of_fold) == len(plans):
            complete = [losses for losses in of_fold if losses is not None]
            if len(complete) == len(plans):
                sums = zip(by_plan, complete, strict=True) if by_plan else ()
                by_plan = [one + other for one, other in sums] or complete
            of_fold = []
    if not by_plan:
        return RiskCurve.unknown(reg_lambdas)
    n_budgets = max(losses.n_budgets for losses in by_plan)
    losses = np.concatenate([losses.pad(n_budgets) for losses in by_plan])
    weight = by_plan[0].weight
    return RiskCurve.of(reg_lambdas, losses[..., weight > 0], weight[weight > 0])


def _validate(data: TrainingData, plan: Plan, fold: Fold, deadline: float) -> FoldLosses | None:
    started = time.perf_counter()
    if started > deadline:
        return None
    try:
        rows = Rows.of(data, fold.training, fold.count, deadline)
    except OutOfTimeError:
        return None
    # Without revisits, the risks say as much about the sizes, and take half the time.
    settings = replace(plan.settings, revisits=0, seed=_seed(plan.settings.seed, fold.repeat))
    growth = Growth.begin(rows, settings, first_model(data))
    growth.started = started
    growth.run()
    grown = [timed.model for timed in growth.models]
    blocks = _Blocks.of(data, fold)
    shape = len(plan.reg_lambdas), grown[-1].complexity + 1, len(blocks.weight)
    losses = np.full(shape, np.nan)
    best = np.full(len(plan.reg_lambdas), np.inf)
    for refitted in refit_models(grown, plan.reg_lambdas):
        terms, covered = refitted[0].terms, blocks.covered_by(refitted[0])
        for k, model in enumerate(refitted):
            if len(model.terms) != len(terms):  # some got no vote
                terms, covered = model.terms, blocks.covered_by(model)
            # The best within a budget is a smaller model, where the larger one is no better.
            if model.objective < best[k]:
                # No model is smaller than the first one, which may have rules that are given.
                least = 0 if np.isinf(best[k]) else model.complexity
                best[k] = model.objective
                losses[k, least:] = blocks.losses(model, covered)
    return FoldLosses(losses, blocks.weight)


def _seed(seed: int, repeat: int) -> int:
    """A seed of its own for each time that the rows are divided into folds."""
    if not repeat:
        return seed
    return int(_kernels.scramble(np.array([seed], dtype=np.uint64), repeat)[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """The observations of the validation rows of a fold, divided into blocks."""

    loss: Loss
    source: ColumnSource
    y: Float
    row: Int  # of each observation
    row_weight: Float
    block: Int  # of each observation
    weight: Float
    known: dict[Condition, Bool] = field(default_factory=dict)

    @classmethod
    def of(cls, data: TrainingData, fold: Fold) -> _Blocks:
        row_weight = fold.validation_weight / np.bincount(fold.observed)
        source = matrix_source(data.X, data.schema, fold.validation)
        weight = np.bincount(fold.block, row_weight[fold.observed], N_BLOCKS).astype(np.float64)
        y = data.y[fold.validation]
        return cls(data.loss, source, y, fold.observed, row_weight, fold.block, weight)

    def covered_by(self, model: FittedRules) -> Float:
        """1 where a term (column) covers a row, else 0."""
        for term in model.terms:
            if term.condition not in self.known:
                self.known[term.condition] = term.condition.covers(self.source)
        columns = [self.known[term.condition] for term in model.terms]
        return np.array(columns, dtype=np.float64).reshape(len(columns), len(self.y)).T

    def losses(self, model: FittedRules, covered: Float) -> Float:
        """The losses of the rows with the votes of a model, added up by blocks."""
        with np.errstate(over="ignore", invalid="ignore"):
            loss = self.row_weight * self.loss.value(self.y, model.scores(covered))
            return np.bincount(self.block, loss[self.row], len(self.weight)).astype(np.float64)
