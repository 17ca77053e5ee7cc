"""Cross-validation along the curve: each growth gives the risk for every budget of complexity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sorb._types import Bool, Float, Int
from sorb.learning.boosting import BoostingSettings, Growth, empty_model
from sorb.learning.fitted_rules import FittedRules
from sorb.learning.folds import SHARED_BLOCKS, Fold
from sorb.learning.risk_curve import RiskCurve
from sorb.learning.rows import Rows, matrix_source
from sorb.learning.stages import refit_models
from sorb.losses import Loss
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.tables.training import TrainingData

# One revisit after each round says as much about the sizes as more, and takes less time.
_MOST_REVISITS = 1
# The rows of a fold are divided into so many blocks, whose losses tell how much risks vary.
_BLOCKS_PER_FOLD = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """How models are grown, and the penalties with which their votes are refitted."""

    settings: BoostingSettings
    reg_lambdas: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FoldLosses:
    """The losses of the validation rows of one fold, added up by blocks of rows.

    Attributes
    ----------
    losses : array (penalties, budgets, blocks)
    weight : array (blocks,): the weights of the rows, added up.
    """

    losses: Float
    weight: Float

    def pad(self, n_budgets: int) -> Float:
        """The losses for more budgets, at which the last model is kept."""
        last = self.losses.shape[1] - 1
        return self.losses[:, np.minimum(np.arange(n_budgets), last)]


def cross_validate(
    data: TrainingData,
    folds: Sequence[Fold],
    plans: Sequence[Plan],
    after_fit: Callable[[], None] = lambda: None,
    **parallel: Any,
) -> RiskCurve:
    """Grow models on each fold by each plan, and validate them for all budgets and penalties.

    Parameters
    ----------
    data : the whole training data.
    folds : training and validation rows; without any, the risks are NaN.
    plans : what to try.
    after_fit : called after each growth.
    parallel : passed to joblib.
    """
    tasks = [(plan, fold) for plan in plans for fold in folds]
    found = []
    fits = Parallel(return_as="generator", **parallel)
    for losses in fits(delayed(_validate)(data, *task) for task in tasks):
        found.append(losses)
        after_fit()
    reg_lambdas = np.array([value for plan in plans for value in plan.reg_lambdas])
    if not folds:
        return RiskCurve.unknown(reg_lambdas)
    n_budgets = max(one.losses.shape[1] for one in found)
    n = len(folds)
    losses = np.concatenate(
        [
            _combine(folds, [one.pad(n_budgets) for one in found[k : k + n]])
            for k in range(0, len(found), n)
        ]
    )
    weight = _combine(folds, [one.weight for one in found[:n]])
    return RiskCurve.of(reg_lambdas, losses[..., weight > 0], weight[weight > 0])


def _combine(folds: Sequence[Fold], by_fold: Sequence[Float]) -> Float:
    """Put the sums over the blocks of all folds together; the last axis is that of the blocks."""
    if folds[0].block is None:
        return np.concatenate(by_fold, axis=-1)
    return np.asarray(np.sum(by_fold, axis=0))


def _validate(data: TrainingData, plan: Plan, fold: Fold) -> FoldLosses:
    rows = Rows.of(data, fold.training, fold.count)
    settings = replace(plan.settings, revisits=min(plan.settings.revisits, _MOST_REVISITS))
    growth = Growth.begin(rows, settings, empty_model(data))
    growth.run()
    stages = growth.frontier.stages
    blocks = _Blocks.of(data, fold)
    shape = len(plan.reg_lambdas), stages[-1].complexity + 1, len(blocks.weight)
    losses = np.full(shape, np.nan)
    best = np.full(len(plan.reg_lambdas), np.inf)
    for stage, models in zip(
        stages, refit_models(rows, data.loss, stages, plan.reg_lambdas), strict=True
    ):
        covered = blocks.covered_by(stage.ensemble)
        for k, model in enumerate(models):
            # The best within a budget is a smaller model, where the larger one is no better.
            if model.objective < best[k]:
                best[k] = model.objective
                losses[k, stage.complexity :] = blocks.losses(model, covered)
    return FoldLosses(losses, blocks.weight)


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    """The observations of the validation rows of a fold, divided into blocks.

    The rows are in the order of their hashes, so each block of a fold is a random sample of them,
    unless the fold says which block a row belongs to.
    """

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
        row = np.repeat(np.arange(len(fold.validation)), fold.observations.astype(np.intp))
        row_weight = fold.validation_weight / fold.observations
        if fold.block is None:
            n_blocks = min(_BLOCKS_PER_FOLD, len(row))
            block = np.arange(len(row)) % n_blocks
        else:
            n_blocks, block = SHARED_BLOCKS, fold.block[row]
        source = matrix_source(data.X, data.schema, fold.validation)
        total = np.bincount(block, row_weight[row], n_blocks).astype(np.float64)
        return cls(data.loss, source, data.y[fold.validation], row, row_weight, block, total)

    def covered_by(self, ensemble: RuleEnsemble) -> Float:
        """1 where a rule (column) covers a row, else 0."""
        for rule in ensemble:
            if rule.condition not in self.known:
                self.known[rule.condition] = rule.condition.covers(self.source)
        columns = [self.known[rule.condition] for rule in ensemble]
        return np.array(columns, dtype=np.float64).reshape(len(columns), len(self.y)).T

    def losses(self, model: FittedRules, covered: Float) -> Float:
        """The losses of the rows with the votes of a model, added up by blocks."""
        with np.errstate(over="ignore", invalid="ignore"):
            loss = self.row_weight * self.loss.value(self.y, model.scores(covered))
            return np.bincount(self.block, loss[self.row], len(self.weight)).astype(np.float64)
