"""Cross-validation along the curve: each growth gives the risk for every budget of complexity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sorb._types import Float, Int
from sorb.learning.boosting import BoostingSettings, Growth, empty_model
from sorb.learning.folds import Fold
from sorb.learning.risk_curve import RiskCurve
from sorb.learning.rows import Rows, matrix_source
from sorb.learning.stages import Stage, refit_stages, staged_scores
from sorb.tables.training import TrainingData

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
            np.concatenate([one.pad(n_budgets) for one in found[k : k + n]], axis=2)
            for k in range(0, len(found), n)
        ]
    )
    weight = np.concatenate([one.weight for one in found[:n]])
    return RiskCurve.of(reg_lambdas, losses, weight)


def _validate(data: TrainingData, plan: Plan, fold: Fold) -> FoldLosses:
    rows = Rows.of(data, fold.training, fold.count)
    growth = Growth.begin(rows, plan.settings, empty_model(data))
    growth.run()
    refitted = refit_stages(rows, data.loss, growth.frontier.stages, plan.reg_lambdas)
    n_budgets = max(stages[-1].complexity for stages in refitted) + 1
    n_rows = len(fold.validation)
    # The rows are in the order of their hashes, so each block is a random sample of them.
    block = np.arange(n_rows) % min(_BLOCKS_PER_FOLD, n_rows)
    losses = [_block_losses(data, fold, block, stages, n_budgets) for stages in refitted]
    weight = np.bincount(block, fold.validation_weight).astype(np.float64)
    return FoldLosses(np.array(losses), weight)


def _block_losses(
    data: TrainingData, fold: Fold, block: Int, stages: Sequence[Stage], n_budgets: int
) -> Float:
    """The losses of the best model within each budget, added up by blocks."""
    source, y = matrix_source(data.X, data.schema, fold.validation), data.y[fold.validation]
    scores = staged_scores([stage.ensemble for stage in stages], source)
    with np.errstate(over="ignore", invalid="ignore"):
        losses = np.array(
            [np.bincount(block, fold.validation_weight * data.loss.value(y, f)) for f in scores]
        )
    complexities = [stage.complexity for stage in stages]
    return losses[np.searchsorted(complexities, np.arange(n_budgets), side="right") - 1]
