"""From the rows of a run to curves: risk or error against complexity, one for each repetition.

The penalty is chosen for each size of model, by cross-validation or, for the oracle, on the test
rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from sorb._types import Float, Int

PenaltyChoice = Literal["cv", "oracle"]
Measure = Literal["risk", "error"]

SEARCHES = ("path", "bisection")
"""The methods that count iterations, and learn no model."""

UNIT = ["dataset", "method", "repetition"]
CRITERION = {"cv": "cv_risk", "oracle": "test_risk"}
VALUES = ["complexity", "train_risk", "test_risk", "train_error", "test_error"]


class MissingResults(ValueError):  # noqa: N818
    """The results contain nothing to make a table or a figure from."""


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

    step: Int
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
    >>> from sorb.lab.curves import trade_off_curves
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
