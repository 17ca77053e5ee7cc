"""From the rows of a run to numbers: which models count, their curves, and summaries of curves.

Everything here follows the paper's protocol, whose ambiguities are resolved as follows. The
penalty is chosen for each size of model, by cross-validation or, for the oracle, on the test rows.
A target that needs a complexity of more than 100 is not reached. The interval of a median states
its true coverage. Where the paper takes the least test risk within a complexity, the risk of the
largest model within it is given as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sorb._types import Float

PenaltyChoice = Literal["cv", "oracle"]
Measure = Literal["risk", "error"]
Subset = Literal["train", "test"]

MAX_COMPLEXITY = 100
TARGET_COMPLEXITY = 50
REDUCTIONS = (0.25, 0.5, 0.75)
CONFIDENCE = 0.88  # the coverage of the paper's interval for 15 repetitions

SEARCHES = ("path", "bisection")
"""The methods that count iterations, and learn no model."""

UNIT = ["dataset", "method", "repetition"]
CRITERION = {"cv": "cv_risk", "oracle": "test_risk"}
VALUES = ["complexity", "train_risk", "test_risk", "train_error", "test_error"]


class MissingResults(ValueError):  # noqa: N818
    """The results contain nothing to make a table or a figure from."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, its interval, and the number of repetitions that it is based on."""

    value: float
    low: float
    high: float
    repetitions: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit without a result, and the reason."""

    dataset: str
    method: str
    repetition: int
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class TradeOffCurve:
    """Risk or error against complexity in one repetition, one point for each size of model.

    Attributes
    ----------
    step : ndarray of int
        The index of the size, ascending.
    complexity, train, test, seconds : ndarray of float
        Of the model of that size: its complexity (NaN if none is claimed), its values on the
        training and on the test rows relative to the model without rules, and its training time.
    """

    step: NDArray[np.int64]
    complexity: Float
    train: Float
    test: Float
    seconds: Float

    @property
    def is_sized(self) -> bool:
        """Whether the method claims a complexity."""
        return bool(np.isfinite(self.complexity).all())


TradeOffCurves: TypeAlias = Mapping[tuple[str, str], Sequence[TradeOffCurve]]


def failures(results: pd.DataFrame) -> list[Failure]:
    """List the units without a result."""
    rows = results[results["failure"].notna()].sort_values(UNIT)
    return [Failure(*row) for row in rows[[*UNIT, "failure"]].itertuples(index=False, name=None)]


def with_chosen_penalty(results: pd.DataFrame, choice: PenaltyChoice) -> pd.DataFrame:
    """Keep one row for each repetition and size of model: the one with the chosen penalty.

    Parameters
    ----------
    results : DataFrame
        The rows of a run; failed units and counts of iterations are ignored.
    choice : {"cv", "oracle"}
        Whether the penalty with the least cross-validated risk is chosen, or with the least test
        risk. In a tie, the larger penalty is chosen.

    Returns
    -------
    DataFrame
        Sorted by unit and step, without final rows of a unit that only repeat the one before.

    Raises
    ------
    ValueError
        If there are several rows for a size, and no criterion to choose by.
    """
    criterion = CRITERION[choice]
    rows = results[results["failure"].isna() & ~results["method"].isin(SEARCHES)]
    order = [*UNIT, "step", criterion, "reg_lambda"]
    rows = rows.sort_values(order, ascending=[True] * (len(order) - 1) + [False])
    size = [*UNIT, "step"]
    repeated = rows.duplicated(size, keep=False)
    chosen = rows.drop_duplicates(size)
    _check_chosen(chosen[chosen[criterion].isna() & repeated[chosen.index]], criterion)
    return _until_last_change(chosen)


def _check_chosen(undecided: pd.DataFrame, criterion: str) -> None:
    for row in undecided.itertuples():
        raise ValueError(
            f"{row.method} on {row.dataset} (repetition {row.repetition}, step {row.step}) has "
            f"several rows and no {criterion} to choose by: one row was expected"
        )


def _until_last_change(rows: pd.DataFrame) -> pd.DataFrame:
    before = rows.groupby(UNIT)[VALUES].shift()
    place = rows.groupby(UNIT).cumcount()
    same = (rows[VALUES] == before) | (rows[VALUES].isna() & before.isna())
    changed = place.where(~same.all(axis=1) | (place == 0))
    last = changed.groupby([rows[name] for name in UNIT]).transform("max")
    return rows[place <= last]


def trade_off_curves(
    results: pd.DataFrame, choice: PenaltyChoice = "cv", measure: Measure = "risk"
) -> dict[tuple[str, str], tuple[TradeOffCurve, ...]]:
    """Return the curves of all repetitions for each dataset and method that has the measure.

    Examples
    --------
    >>> import pandas as pd
    >>> from sorb.lab.statistics import trade_off_curves
    >>> blank = dict.fromkeys(["failure", "train_error", "test_error"])
    >>> row = {"dataset": "iris", "method": "LLTB", "repetition": 0, "step": 1, "seconds": 0.1,
    ...        "complexity": 4.0, "train_risk": 0.3, "test_risk": 0.4, **blank}
    >>> penalties = [{"reg_lambda": 0.1, "cv_risk": 0.5}, {"reg_lambda": 1.0, "cv_risk": 0.6}]
    >>> found = trade_off_curves(pd.DataFrame([row | penalty for penalty in penalties]))
    >>> found["iris", "LLTB"][0].test
    array([0.4])
    """
    rows = with_chosen_penalty(results, choice)
    known = rows[f"test_{measure}"].astype(float).notna()
    rows = rows[known.groupby([rows["dataset"], rows["method"]]).transform("any")]
    found: dict[tuple[str, str], list[TradeOffCurve]] = {}
    for unit, curve in zip(_units(rows), _curves(rows, measure), strict=True):
        found.setdefault(unit, []).append(curve)
    return {key: tuple(repetitions) for key, repetitions in found.items()}


def _units(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Return dataset and method of each unit, in the order of the rows."""
    units = rows.drop_duplicates(UNIT)
    return list(zip(units["dataset"], units["method"], strict=True))


def _curves(rows: pd.DataFrame, measure: Measure) -> list[TradeOffCurve]:
    starts = np.flatnonzero(~rows.duplicated(UNIT).to_numpy())[1:]
    names = ["complexity", f"train_{measure}", f"test_{measure}", "seconds"]
    steps = np.split(rows["step"].to_numpy(dtype=np.int64), starts)
    values = np.split(rows[names].to_numpy(dtype=np.float64), starts)
    return [
        TradeOffCurve(step, *columns.T)
        for step, columns in zip(steps, values, strict=True)
        if len(step)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class MeanCurve:
    """Means over repetitions for each size of model, up to a mean complexity of 100.

    Attributes
    ----------
    complexity, value : ndarray of float
        The means.
    complexity_margin, value_margin : ndarray of float
        Half the width of their 95 % intervals over repetitions; 0 for a single repetition.
    """

    complexity: Float
    complexity_margin: Float
    value: Float
    value_margin: Float


def mean_curve(repetitions: Sequence[TradeOffCurve], subset: Subset = "test") -> MeanCurve:
    """Average complexity and value over repetitions.

    A repetition that stopped early keeps its last model; before its first model, the model without
    rules counts. A method without a complexity is not limited to 100.
    """
    complexity = _aligned(repetitions, [curve.complexity for curve in repetitions], 0.0)
    values = _aligned(repetitions, [getattr(curve, subset) for curve in repetitions], 1.0)
    affordable = ~(complexity.mean(axis=0) > MAX_COMPLEXITY)  # NaN is affordable
    return MeanCurve(
        *_mean_and_margin(complexity[:, affordable]), *_mean_and_margin(values[:, affordable])
    )


def _aligned(repetitions: Sequence[TradeOffCurve], values: Sequence[Float], before: float) -> Float:
    """Return a row for each repetition, and a column for each step that any of them has."""
    steps = np.unique(np.concatenate([curve.step for curve in repetitions]))
    return np.array(
        [
            np.append(before, row)[np.searchsorted(curve.step, steps, side="right")]
            for curve, row in zip(repetitions, values, strict=True)
        ]
    )


def _mean_and_margin(values: Float) -> tuple[Float, Float]:
    n = len(values)
    if n == 1:
        return values[0], np.zeros(values.shape[1])
    from scipy.stats import t

    margin = t.ppf(0.975, n - 1) * values.std(axis=0, ddof=1) / np.sqrt(n)
    return values.mean(axis=0), np.asarray(margin)


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean over repetitions with its 95 % interval by Student's t.

    Examples
    --------
    >>> from sorb.lab.statistics import mean_estimate
    >>> mean_estimate([2.0, 2.0])
    Estimate(value=2.0, low=2.0, high=2.0, repetitions=2)
    """
    (mean,), (margin,) = _mean_and_margin(np.array(values, dtype=np.float64)[:, np.newaxis])
    return Estimate(float(mean), float(mean - margin), float(mean + margin), len(values))


@dataclass(frozen=True, slots=True)
class Average:
    """The value over all sizes of model up to complexity 100.

    Attributes
    ----------
    mean : float
        Mean over the sizes whose mean complexity is at most 100; NaN if there are none.
    spread : float
        Standard deviation over those sizes.
    margin : float
        Half of the 95 % interval of `mean`, 1.96 standard errors over those sizes. Like the
        paper's ±, it says nothing about repetitions.
    """

    mean: float
    spread: float
    margin: float


def average(repetitions: Sequence[TradeOffCurve], subset: Subset = "test") -> Average:
    """Average complexity and value over repetitions, then the value over sizes of model.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.lab.statistics import TradeOffCurve, average
    >>> complexity, risk = np.array([4.0, 8.0, 101.0]), np.array([0.7, 0.5, 0.1])
    >>> average([TradeOffCurve(np.arange(1, 4), complexity, risk, risk, np.zeros(3))]).mean
    0.6
    """
    points = mean_curve(repetitions, subset).value
    if not len(points):
        return Average(np.nan, np.nan, np.nan)
    error = points.std(ddof=1) / np.sqrt(len(points)) if len(points) > 1 else 0.0
    return Average(float(points.mean()), float(points.std()), float(1.96 * error))


def area(curve: TradeOffCurve) -> float:
    """Return the mean over c = 1 … 100 of the test value of the largest model within c.

    Before the first model it is 1.
    """
    order = np.argsort(curve.complexity, kind="stable")
    budgets = np.arange(1, MAX_COMPLEXITY + 1)
    affordable = np.searchsorted(curve.complexity[order], budgets, side="right")
    return float(np.append(1.0, curve.test[order])[affordable].mean())


def complexity_at(curve: TradeOffCurve, reduction: float) -> float:
    """Return the least complexity up to 100 whose test value is lower by this share; else ∞."""
    enough = (curve.test <= 1 - reduction) & (curve.complexity <= MAX_COMPLEXITY)
    return float(curve.complexity[enough].min(initial=np.inf))


def median_complexity_at(repetitions: Sequence[TradeOffCurve], reduction: float) -> float:
    """Return the median over repetitions of `complexity_at`."""
    return float(np.median([complexity_at(curve, reduction) for curve in repetitions]))


def least_within(
    curve: TradeOffCurve, subset: Subset, complexity: float = TARGET_COMPLEXITY
) -> float:
    """Return the least value of all models within a complexity, or 1 if there is none.

    This is what the paper does. On the test rows it is optimistic, because they choose the model.
    """
    within = getattr(curve, subset)[curve.complexity <= complexity]
    return float(within.min()) if len(within) else 1.0


def largest_within(
    curve: TradeOffCurve, subset: Subset, complexity: float = TARGET_COMPLEXITY
) -> float:
    """Return the value of the largest model within a complexity, or 1 if there is none."""
    return _of_largest(curve, getattr(curve, subset), complexity, 1.0)


def seconds_at(curve: TradeOffCurve, complexity: float) -> float:
    """Return the training time of the largest model within a complexity, or NaN."""
    return _of_largest(curve, curve.seconds, complexity, np.nan)


def _of_largest(curve: TradeOffCurve, values: Float, complexity: float, otherwise: float) -> float:
    order = np.argsort(curve.complexity, kind="stable")
    affordable = int(np.searchsorted(curve.complexity[order], complexity, side="right"))
    return float(values[order][affordable - 1]) if affordable else otherwise


def coverage(n: int) -> float:
    """Return the probability that the interval of `median_estimate` covers the true median.

    Examples
    --------
    >>> from sorb.lab.statistics import coverage
    >>> f"{coverage(15):.1%}"
    '88.2%'
    """
    return _coverage(n, *_ranks(n))


def _coverage(n: int, low: int, high: int) -> float:
    """Return P(X₍low₎ ≤ median < X₍high₎): low to high − 1 values lie below the median."""
    return float(sum(comb(n, j) for j in range(low, high)) / 2**n)


def _ranks(n: int) -> tuple[int, int]:
    """Return the innermost pair of order statistics with enough coverage, or the outermost."""
    for low in range((n + 1) // 2, 0, -1):
        if _coverage(n, low, n + 1 - low) >= CONFIDENCE:
            return low, n + 1 - low
    return 1, n


def median_estimate(values: Sequence[float]) -> Estimate:
    """Return the median over repetitions with its distribution-free interval.

    The interval is that between two order statistics, such as the 5th and the 11th of 15; it
    covers the true median with the probability `coverage`.

    Examples
    --------
    >>> from sorb.lab.statistics import median_estimate
    >>> median_estimate([*range(1, 15), float("inf")])
    Estimate(value=8.0, low=5.0, high=11.0, repetitions=15)
    """
    low, high = _ranks(len(values))
    ordered = np.sort(np.array(values, dtype=np.float64))
    return Estimate(
        float(np.median(ordered)),
        float(ordered[low - 1]),
        float(ordered[high - 1]),
        len(values),
    )


def seconds_estimate(repetitions: Sequence[TradeOffCurve], reduction: float) -> Estimate:
    """Return the median time to learn a model of the median complexity that a reduction needs.

    It is infinite if that complexity is.
    """
    complexity = median_complexity_at(repetitions, reduction)
    if not np.isfinite(complexity):
        return Estimate(np.inf, np.inf, np.inf, len(repetitions))
    seconds = [seconds_at(curve, complexity) for curve in repetitions]
    return median_estimate([value for value in seconds if not np.isnan(value)])
