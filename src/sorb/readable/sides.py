"""On which side of a proposition each row stands, and which other numbers leave it there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb.rules import Proposition
from sorb.rules.columns import Take

__all__ = ["Gap", "Sides"]

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Gap:
    """The thresholds above `lower` and not above `upper`, and how wide that is among the sums."""

    lower: float
    upper: float
    relative_width: float


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """The rows, for which of them a proposition holds, and how many of them may change side.

    Examples
    --------
    >>> import numpy as np
    >>> age = {"age": np.array([30.0, 39.0, 41.0])}
    >>> sides = Sides.of(Proposition(("age",), (1.0,), 40.123), age.__getitem__)
    >>> gap = sides.gap((1.0,), 40.123)
    >>> gap.lower, gap.upper
    (39.0, 41.0)
    >>> sides.changed(Proposition(("age",), (1.0,), 39.0))
    array([1])
    """

    take: Take
    columns: tuple[str, ...]
    holds: Bool
    changes: int = 0

    @classmethod
    def of(cls, proposition: Proposition, take: Take, changes: int = 0) -> Sides:
        """Ask a proposition about all rows."""
        return cls(take, proposition.columns, proposition.holds(take), changes)

    def changed(self, proposition: Proposition) -> NDArray[np.intp]:
        """Give the rows for which another proposition says something else."""
        return np.flatnonzero(proposition.holds(self.take) != self.holds)

    def margin(self, proposition: Proposition) -> tuple[float | None, float | None]:
        """Give the distance of the nearest row to the border, and as a share of the farthest's."""
        with np.errstate(over="ignore", invalid="ignore"):
            distances = np.abs(self.sums(proposition.weights) - proposition.threshold)
        known = distances[np.isfinite(distances)]
        if not len(known):
            return None, None
        nearest, farthest = float(known.min()), float(known.max())
        return nearest, nearest / farthest if farthest > 0 else 0.0

    def sums(self, weights: Sequence[float]) -> Float:
        """Give the weighted sums, in the very order in which a proposition forms them."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = weights[0] * self.take(self.columns[0])
            for column, weight in zip(self.columns[1:], weights[1:], strict=True):
                total += weight * self.take(column)
        return np.asarray(total)

    def gap(self, weights: Sequence[float], threshold: float) -> Gap | None:
        """Find where the threshold may lie if the weights are these; None if nowhere.

        If no row stands on one side, the present threshold limits the gap on that side: nothing
        in the data says how far it might move.
        """
        sums = self.sums(weights)
        # Tiny weights may turn a sum into NaN or infinity that was none, and the other way round.
        if np.isnan(sums[self.holds]).any():
            return None
        limits = self._limits(sums) if self.changes == 0 else self._tolerant_limits(sums)
        if limits is None:
            return None
        lower, upper = _closed(*limits, threshold)
        if not (lower < upper and math.isfinite(lower) and math.isfinite(upper)):
            return None
        finite = sums[np.isfinite(sums)]
        spread = float(finite.max() / 2 - finite.min() / 2) if len(finite) else 0.0
        width = upper / 2 - lower / 2
        return Gap(lower, upper, min(1.0, width / spread) if spread > 0 else 1.0)

    def _limits(self, sums: Float) -> tuple[float, float]:
        inside, outside = sums[self.holds], sums[~self.holds]
        upper = float(inside.min(initial=math.inf))
        lower = float(np.fmax.reduce(outside, initial=-math.inf))
        return lower, upper

    def _tolerant_limits(self, sums: Float) -> tuple[float, float] | None:
        """Find the thresholds around the best one for which few enough rows change side."""
        known = ~np.isnan(sums)  # the others hold neither before nor after
        order = np.argsort(sums[known], kind="stable")
        ordered, holds = sums[known][order], self.holds[known][order]
        # A threshold right above the first i sums loses the rows among them that hold, and gains
        # the rows after them that do not.
        lost = np.concatenate([[0], np.cumsum(holds)])
        gained = np.concatenate([np.cumsum(~holds[::-1])[::-1], [0]])
        # No threshold lies between equal sums.
        edges = np.flatnonzero(np.concatenate([[True], ordered[1:] > ordered[:-1], [True]]))
        changes = (lost + gained)[edges]
        best = int(changes.argmin())
        if changes[best] > self.changes:
            return None
        refused = np.flatnonzero(changes > self.changes)
        first = int(refused[refused < best].max(initial=-1)) + 1
        last = int(refused[refused > best].min(initial=len(edges))) - 1
        bounded = np.concatenate([[-math.inf], ordered, [math.inf]])
        return float(bounded[edges[first]]), float(bounded[edges[last] + 1])


def _closed(lower: float, upper: float, threshold: float) -> tuple[float, float]:
    if lower == -math.inf:
        lower = math.nextafter(min(threshold, upper), -math.inf)
    if upper == math.inf:
        upper = max(threshold, math.nextafter(lower, math.inf))
    return lower, upper
