"""Axis-parallel search: propositions of one column each, added greedily."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb.objectives import Situation, prepare
from sorb.rows import Rows
from sorb.search.candidates import Candidate, HalfSpace

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AxisSearch:
    """Conditions that compare single columns with thresholds.

    All thresholds between the rows are tried, or only those between `n_quantiles` groups of rows
    of about equal weight.
    """

    objective: str
    n_quantiles: int | None = None

    def __call__(self, situation: Situation, max_weights: int, threads: int) -> list[Candidate]:
        """One condition for each sign and number of propositions, as long as it gains."""
        grid = None if self.n_quantiles is None else _Grid.of(situation.rows, self.n_quantiles)
        chains = _kernels.axis_levels(
            situation.rows.Z if grid is None else grid.groups,
            prepare(self.objective, situation).arrays,
            situation.weight,
            max_weights,
        )
        found = [Candidate(*level) for chain in chains for level in chain]
        if grid is None:
            return found
        return [replace(c, halves=[grid.ungrouped(half) for half in c.halves]) for c in found]


@dataclass(frozen=True, slots=True)
class _Grid:
    """Columns replaced by the numbers of groups of values, and the thresholds between groups."""

    groups: Float
    borders: list[Float]

    @classmethod
    def of(cls, rows: Rows, n_groups: int) -> _Grid:
        groups = np.empty(rows.Z.shape, order="F")
        borders = []
        for j in range(rows.Z.shape[1]):
            groups[:, j], border = _grouped(rows.Z[:, j].astype(np.float64), rows.weight, n_groups)
            borders.append(border)
        return cls(groups, borders)

    def ungrouped(self, half: HalfSpace) -> HalfSpace:
        """The half-space on the columns themselves."""
        (column,), (direction,), cut = half
        # The cut may fall on a group without rows: it is kept from above as well as from below.
        below = math.ceil(cut) - 1 if direction > 0 else math.floor(-cut)
        return [column], [direction], direction * float(self.borders[column][below])


def _grouped(values: Float, weight: Float, n_groups: int) -> tuple[Float, Float]:
    """The group of each value, counted from 0, and the borders half-way between groups."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    share = np.cumsum(weight[order])
    levels = np.arange(1, n_groups) / n_groups * share[-1]
    edges = np.unique(ordered[np.searchsorted(share, levels)])
    edges = edges[edges < ordered[-1]]
    above = ordered[np.searchsorted(ordered, edges, side="right")]
    return np.searchsorted(edges, values).astype(np.float64), (edges + above) / 2
