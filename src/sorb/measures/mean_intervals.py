"""The 95 % intervals of measures that are means over the rows, or made of such means."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.measures.estimate import estimate_share
from sorb.measures.mean import average, interval_above_zero
from sorb.tables.targets import Outcomes

__all__ = ["MeanIntervals"]

Interval = tuple[float, float]


@dataclass(slots=True)
class MeanIntervals:
    """Collects the intervals of measures of one model on some rows.

    Attributes
    ----------
    outcomes : the outcomes of the rows.
    group : the number of the group of each row, if rows of a group may be alike.
    found : the intervals so far, by the names of their measures; those that the rows do not tell
        are not among them.
    """

    outcomes: Outcomes
    group: NDArray[np.intp] | None = None
    found: dict[str, Interval] = field(default_factory=dict)

    def add_risk(self, scores: Float) -> None:
        """Add that of the mean loss."""
        with np.errstate(over="ignore", invalid="ignore"):
            losses = self.outcomes.loss.value(self.outcomes.y, scores)
        self.add_mean("risk", losses)

    def add_mean(self, name: str, values: Float, largest: float = math.inf) -> None:
        """Add that of a mean of values from 0 to the largest that there can be."""
        found = interval_above_zero(average(self.outcomes, values, self.group))
        self._add(name, found and (found[0], min(found[1], largest)))

    def add_error(self, wrong: Bool) -> None:
        """Add that of the share of rows for which another class is predicted."""
        share = self._share(wrong, np.ones(len(wrong), dtype=np.bool_))
        self._add("error", share)

    def add_balanced_accuracy(self, hit: Bool, y: NDArray[np.intp]) -> None:
        """Add that of the mean share that is recognised of each class.

        The distances to the ends of the classes' intervals add up as independent errors do.
        """
        weight = self.outcomes.weight
        below = above = value = 0.0
        labels = np.unique(y[weight > 0]).tolist()
        for label in labels:
            among = y == label
            share = float(np.average(hit[among], weights=weight[among]))
            interval = self._share(hit, among)
            if interval is None:
                return
            value += share / len(labels)
            below += ((share - interval[0]) / len(labels)) ** 2
            above += ((interval[1] - share) / len(labels)) ** 2
        self._add("balanced_accuracy", (value - math.sqrt(below), value + math.sqrt(above)))

    def add_numbers(self, errors: Float, squares: Float) -> None:
        """Add those of R² and of the root of the mean squared error.

        Parameters
        ----------
        errors : the squared error of each row.
        squares : the squared difference of each outcome and the mean outcome.
        """
        found = average(self.outcomes, errors, self.group)
        mse = interval_above_zero(found)
        if mse is not None:
            self._add("rmse", (math.sqrt(mse[0]), math.sqrt(mse[1])))
        spread = float(np.average(squares, weights=self.outcomes.weight))
        if not spread or not math.isfinite(found.value):
            return
        # How the share that is not explained changes with each row, to first order.
        share = found.value / spread
        change = average(self.outcomes, (errors - share * squares) / spread, self.group)
        rest = interval_above_zero(replace(change, value=share))
        if rest is not None:
            self._add("r2", (1 - rest[1], 1 - rest[0]))

    def _share(self, hit: Bool, among: Bool) -> Interval | None:
        outcomes = self.outcomes
        found = estimate_share(hit, among, outcomes.weight, self.group, outcomes.copies)
        return None if found is None else (found.low, found.high)

    def _add(self, name: str, interval: Interval | None) -> None:
        if interval is not None:
            self.found[name] = interval
