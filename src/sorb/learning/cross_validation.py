"""Cross-validation along the stages: each fit gives the risk for every number of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sorb._types import Float
from sorb.learning.boosting import BoostingSettings, boost, empty_model
from sorb.learning.folds import Fold
from sorb.learning.rows import Rows, matrix_source
from sorb.learning.stages import staged_scores
from sorb.tables.training import TrainingData


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Validation risk against the number of rules, for each L2 penalty.

    Attributes
    ----------
    reg_lambda : ndarray of shape (n_penalties,)
        The L2 penalties, as they were given.
    risk : ndarray of shape (n_penalties, most_rules + 1)
        The mean loss of the validation rows with 0, 1, … rules: the mean over the folds, each
        weighted by its validation rows. It goes up to the most rules that any fit learned, at most
        `max_rules`; a fit that ended earlier keeps its last risk.
    standard_error : ndarray of shape (n_penalties, most_rules + 1)
        The standard error of that mean, from the differences between the folds; 0 if there is
        only one fold.
    complexity : ndarray of shape (n_penalties, most_rules + 1)
        The mean complexity over the folds.

    Examples
    --------
    >>> import numpy as np
    >>> curve = Curve(
    ...     np.array([1.0]),
    ...     risk=np.array([[0.7, 0.4, 0.39]]),
    ...     standard_error=np.array([[0.01, 0.02, 0.02]]),
    ...     complexity=np.array([[0.0, 3.0, 8.0]]),
    ... )
    >>> curve.choose("best"), curve.choose("one_se")
    ((1.0, 2), (1.0, 1))
    """

    reg_lambda: Float
    risk: Float
    standard_error: Float
    complexity: Float

    def choose(self, selection: str) -> tuple[float, int]:
        """Choose a penalty and a number of rules.

        Parameters
        ----------
        selection : {"best", "one_se"}
            The lowest risk, or the lowest complexity among those whose risk is within one standard
            error of the lowest. Ties are broken by lower complexity or risk, then by fewer rules,
            then by the larger penalty.

        Returns
        -------
        reg_lambda : float
        n_rules : int
        """
        penalty, rules = np.indices(self.risk.shape).reshape(2, -1)
        risk, complexity = self.risk.ravel(), self.complexity.ravel()
        order = np.lexsort((-self.reg_lambda[penalty], rules, complexity, risk))
        if selection == "one_se":
            best = order[0]
            near = ~(risk > risk[best] + self.standard_error.ravel()[best])
            order = np.lexsort((-self.reg_lambda[penalty], rules, risk, complexity, ~near))
        return float(self.reg_lambda[penalty[order[0]]]), int(rules[order[0]])


@dataclass(frozen=True, slots=True, eq=False)
class StageRisks:
    """Validation risk and complexity with 0, 1, … rules, from one fit."""

    risk: Float
    complexity: Float

    def pad(self, length: int) -> StageRisks:
        """Repeat the last model up to a length."""
        number = np.minimum(np.arange(length), len(self.risk) - 1)
        return StageRisks(self.risk[number], self.complexity[number])


def cross_validate(
    data: TrainingData,
    folds: Sequence[Fold],
    all_settings: Sequence[BoostingSettings],
    after_fit: Callable[[], None] = lambda: None,
    **parallel: Any,
) -> Curve:
    """Train on each fold with each penalty, and validate all stages.

    Parameters
    ----------
    data : the whole training data.
    folds : training and validation rows; without any, the risks are NaN.
    all_settings : one for each penalty.
    after_fit : called after each fit.
    parallel : passed to joblib.
    """
    tasks = [(settings, fold) for settings in all_settings for fold in folds]
    found = []
    fits = Parallel(return_as="generator", **parallel)
    for risks in fits(delayed(_validate_stages)(data, *task) for task in tasks):
        found.append(risks)
        after_fit()
    length = max((len(risks.risk) for risks in found), default=1)
    padded = [risks.pad(length) for risks in found]
    shape = (len(all_settings), len(folds), length)
    risk = np.reshape([risks.risk for risks in padded], shape)
    complexity = np.reshape([risks.complexity for risks in padded], shape)
    reg_lambdas = np.array([settings.reg_lambda for settings in all_settings])
    weight = np.array([fold.validation_weight.sum() for fold in folds])
    return _mean_over_folds(reg_lambdas, risk, complexity, weight)


def _mean_over_folds(reg_lambdas: Float, risk: Float, complexity: Float, weight: Float) -> Curve:
    n_folds = len(weight)
    if not n_folds:
        unknown = np.full((len(reg_lambdas), risk.shape[2]), np.nan)
        return Curve(reg_lambdas, unknown, unknown, np.zeros_like(unknown))
    share = weight / weight.sum()
    # A model without a penalty may rule out what occurs: its risk is infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.einsum("k,lkr->lr", share, risk)
        variance = np.einsum("k,lkr->lr", share, np.square(risk - mean[:, None]))
    standard_error = np.sqrt(variance / max(n_folds - 1, 1))
    return Curve(reg_lambdas, mean, standard_error, complexity.mean(axis=1))


def _validate_stages(data: TrainingData, settings: BoostingSettings, fold: Fold) -> StageRisks:
    rows = Rows.of(data, fold.training, fold.count)
    stages = boost(rows, settings, empty_model(data))
    source, y = matrix_source(data.X, data.schema, fold.validation), data.y[fold.validation]
    share = fold.validation_weight / fold.validation_weight.sum()
    ensembles = [stage.ensemble for stage in stages]
    risk = [float(share @ data.loss.value(y, f)) for f in staged_scores(ensembles, source)]
    return StageRisks(np.array(risk), np.array([float(e.complexity) for e in ensembles]))
