"""The paper's protocol: its splits, its normalised risk, and how its curves are summed up.

The L2 penalty λ is that of the paper's text, which minimises Σℓ + λ‖β‖² with
ℓ = (y − f)²/2 or the logistic loss: the estimators' ``reg_lambda``. scikit-learn's
``Ridge(alpha)`` is alpha = 2λ, and ``LogisticRegression(C)`` is C = 1/(2λ).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sorb.lab.datasets import Dataset, FloatArray
from sorb.losses import LOSSES

SEED = 111
REPETITIONS = 15
MAX_TRAINING_ROWS = 3000
MAX_COMPLEXITY = 100
REG_LAMBDAS = (1e-10, 1e-3, 0.1, 1.0, 10.0)
REDUCTIONS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Training rows, drawn with replacement, and the rows that were never drawn.

    Attributes
    ----------
    drawn : ndarray of int
        The training rows in the order of drawing, with their copies.
    test : ndarray of int
        The rows that were not drawn.
    """

    drawn: NDArray[np.int64]
    test: NDArray[np.int64]

    def weighted(self) -> tuple[NDArray[np.int64], FloatArray]:
        """Return each training row once, and how often it was drawn."""
        rows, counts = np.unique(self.drawn, return_counts=True)
        return rows, counts.astype(np.float64)


def splits(n: int, repetitions: int = REPETITIONS) -> tuple[Split, ...]:
    """Draw the paper's bootstrap splits of n rows, one after the other from one generator.

    Examples
    --------
    >>> from sorb.lab.protocol import splits
    >>> first, second = splits(6, repetitions=2)
    >>> first.drawn, first.test
    (array([2, 0, 4, 1, 4, 3]), array([5]))
    """
    rng = np.random.default_rng(SEED)
    size = min(n, MAX_TRAINING_ROWS)
    draws = [rng.choice(n, size, replace=True) for _ in range(repetitions)]
    return tuple(Split(drawn, np.setdiff1d(np.arange(n), drawn)) for drawn in draws)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Risk against complexity in one repetition: one point per number of rules, from 1.

    Attributes
    ----------
    reg_lambda, complexity, train_risk, test_risk, seconds : ndarray of shape (R,)
        The L2 penalty that was chosen for the number of rules, and for the model fitted with
        it: its complexity, its normalised risks, and its training time.
    """

    reg_lambda: FloatArray
    complexity: FloatArray
    train_risk: FloatArray
    test_risk: FloatArray
    seconds: FloatArray


def run_repetition(dataset: Dataset, split: Split, chooser: Any, learner: Any) -> Curve:
    """Choose L2 for each number of rules inside the training rows, refit, and test.

    Parameters
    ----------
    dataset : Dataset
        The table.
    split : Split
        Its training and test rows. Copies of a row are given as its weight, so that they
        are never divided between the folds.
    chooser : LLTBoostClassifierCV or LLTBoostRegressorCV
        Compares the penalties by cross-validation.
    learner : LLTBoostClassifier or LLTBoostRegressor
        Is fitted on all training rows, once for each penalty that was chosen at least once.

    Returns
    -------
    Curve
        Up to the largest number of rules that was reached.
    """
    rows, counts = split.weighted()
    X, y = dataset.X[rows], dataset.y[rows]
    chosen = chosen_penalties(chooser.fit(X, y, sample_weight=counts).curve_)
    paths = {
        penalty: clone(learner).set_params(reg_lambda=penalty).fit(X, y, sample_weight=counts)
        for penalty in set(chosen)
    }
    stages = [_stage_of(paths[penalty].stages_, r) for r, penalty in enumerate(chosen, start=1)]
    grown = _until_last_growth([stage.ensemble.complexity for stage in stages])
    return _curve(dataset, split, chosen[:grown], stages[:grown])


def chosen_penalties(cv_curve: Any) -> tuple[float, ...]:
    """Return the penalty of least held-out risk for each number of rules, from 1."""
    risk = np.where(np.isnan(cv_curve.risk), np.inf, cv_curve.risk)[:, 1:]
    reached = np.isfinite(risk).any(axis=0)
    best = risk.argmin(axis=0)[reached]
    return tuple(float(cv_curve.reg_lambda[i]) for i in best)


def _stage_of(stages: Sequence[Any], rules: int) -> Any:
    """Return the model of at most this many rules."""
    return stages[min(rules, len(stages) - 1)]


def _until_last_growth(complexities: Sequence[int]) -> int:
    """Count the points up to the last one that differs from the point before."""
    changes = np.flatnonzero(np.diff([0, *complexities]))
    return int(changes[-1]) + 1 if len(changes) else 0


def _curve(
    dataset: Dataset, split: Split, penalties: Sequence[float], stages: Sequence[Any]
) -> Curve:
    loss = LOSSES["logistic" if dataset.task == "classification" else "squared"]
    drawn = dataset.y[split.drawn].astype(np.float64)
    (offset,) = loss.best_constant(drawn, np.ones(len(drawn)))

    def normalised(rows: NDArray[np.int64]) -> FloatArray:
        X, y = dataset.X[rows], dataset.y[rows].astype(np.float64)
        base = float(loss.value(y, np.full(len(y), offset)).mean())
        risks = [float(loss.value(y, stage.ensemble(X)).mean()) for stage in stages]
        return np.array(risks) / base

    return Curve(
        np.array(penalties, dtype=np.float64),
        np.array([stage.ensemble.complexity for stage in stages], dtype=np.float64),
        normalised(split.drawn),
        normalised(split.test),
        np.array([stage.seconds for stage in stages], dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class Average:
    """The normalised test risk over all models up to complexity 100.

    Attributes
    ----------
    mean : float
        Mean over the numbers of rules whose mean complexity is at most 100.
    spread : float
        Standard deviation over those numbers of rules.
    margin : float
        Half of the 95 % interval of `mean`, 1.96 standard errors over those numbers of
        rules: it has the size of the paper's ±.
    """

    mean: float
    spread: float
    margin: float


def average(curves: Sequence[Curve]) -> Average:
    """Average complexity and test risk over repetitions, then risk over numbers of rules.

    A repetition that stopped early keeps its last model.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.lab.protocol import Curve, average
    >>> complexity, risk = np.array([4.0, 8.0, 101.0]), np.array([0.7, 0.5, 0.1])
    >>> average([Curve(np.zeros(3), complexity, risk, risk, np.zeros(3))]).mean
    0.6
    """
    length = max(len(curve.complexity) for curve in curves)
    complexity = np.mean([_extended(0.0, curve.complexity, length) for curve in curves], axis=0)
    risk = np.mean([_extended(1.0, curve.test_risk, length) for curve in curves], axis=0)
    points = risk[complexity <= MAX_COMPLEXITY]
    if not len(points):
        return Average(np.nan, np.nan, np.nan)
    error = points.std(ddof=1) / np.sqrt(len(points)) if len(points) > 1 else 0.0
    return Average(float(points.mean()), float(points.std()), float(1.96 * error))


def _extended(constant_model: float, values: FloatArray, length: int) -> FloatArray:
    """Repeat the last value, or that of the model without rules, up to this length."""
    return np.pad(np.append(constant_model, values), (0, length - len(values)), mode="edge")[1:]


def area(curve: Curve) -> float:
    """Return the mean over c = 1 … 100 of the test risk of the largest model within c.

    Before the first model the risk is 1.
    """
    order = np.argsort(curve.complexity, kind="stable")
    budgets = np.arange(1, MAX_COMPLEXITY + 1)
    affordable = np.searchsorted(curve.complexity[order], budgets, side="right")
    return float(np.append(1.0, curve.test_risk[order])[affordable].mean())


def complexity_at(curve: Curve, reduction: float) -> float:
    """Return the least complexity up to 100 whose risk is lower by this share; else infinity."""
    enough = (curve.test_risk <= 1 - reduction) & (curve.complexity <= MAX_COMPLEXITY)
    return float(curve.complexity[enough].min(initial=np.inf))


def median_complexity_at(curves: Sequence[Curve], reduction: float) -> float:
    """Return the median over repetitions of `complexity_at`."""
    return float(np.median([complexity_at(curve, reduction) for curve in curves]))
