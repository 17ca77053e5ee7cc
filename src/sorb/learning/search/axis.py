"""Axis-parallel search: propositions of one column each, added greedily."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from sorb import _kernels
from sorb._kernels import CategorySet, HalfSpace, SparseTable
from sorb._types import Float, Matrix, Table
from sorb.learning.objectives import Objective, SearchInput, prepare
from sorb.learning.rows import Rows
from sorb.learning.search.candidates import Candidate, objective_value

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class AxisSearch:
    """Conditions that compare single columns with thresholds.

    All thresholds between the rows are tried, or only those between `n_quantiles` groups of rows
    of about equal weight; a column with no more values than that has one group per value.
    """

    objective: str
    n_quantiles: int | None = None
    _known: list[tuple[Rows, _Grid]] = field(default_factory=list, compare=False, repr=False)

    def __call__(
        self, search_input: SearchInput, max_weights: int, threads: int
    ) -> list[Candidate]:
        """One condition for each sign and number of propositions, while more of them gain."""
        objective = prepare(self.objective, search_input)
        chains = self._chains(objective, search_input, max_weights, threads)
        return [candidate for chain in chains for candidate in chain]

    def best(
        self, search_input: SearchInput, max_weights: int, max_complexity: float, threads: int
    ) -> tuple[float, Candidate] | None:
        """The end of the chain that begins best; of equal beginnings, the one that ends best.

        A proposition and its complement begin equally well if the gradients sum to zero.
        """
        objective = prepare(self.objective, search_input)
        simple = (
            [candidate for candidate in chain if candidate.complexity <= max_complexity]
            for chain in self._chains(objective, search_input, max_weights, threads)
        )
        ends = [
            (objective_value(objective, chain[0]), objective_value(objective, chain[-1]), chain[-1])
            for chain in simple
            if chain
        ]
        if not ends:
            return None
        enough = max(begin for begin, _, _ in ends) * (1 - _ROUNDING)
        good = [(value, candidate) for begin, value, candidate in ends if begin >= enough]
        return max(good, key=lambda pair: pair[0])

    def _chains(
        self, objective: Objective, search_input: SearchInput, max_weights: int, threads: int
    ) -> list[list[Candidate]]:
        grid = self._grid(search_input.rows)
        chains = _kernels.axis_levels(
            search_input.rows.Z if grid is None else grid.groups,
            objective,
            search_input.weight,
            max_weights,
            threads,
            search_input.column_info(whole=False),
            search_input.seconds,
        )
        found = [[Candidate.of(level) for level in chain] for chain in chains]
        return found if grid is None else [[grid.ungroup(c) for c in chain] for chain in found]

    def _grid(self, rows: Rows) -> _Grid | None:
        """The groups of the rows, computed once for all rounds."""
        if self.n_quantiles is None:
            return None
        for known, grid in self._known:
            if known is rows:
                return grid
        grid = _Grid.of(rows, self.n_quantiles)
        self._known[:] = [(rows, grid)]
        return grid


@dataclass(frozen=True, slots=True)
class _Grid:
    """The columns as group numbers, and the thresholds between the groups."""

    groups: Table
    borders: list[Float]

    @classmethod
    def of(cls, rows: Rows, n_groups: int) -> _Grid:
        Z = rows.Z
        if isinstance(Z, SparseTable):
            return cls._of_sparse(Z, rows, n_groups)
        groups = np.zeros(Z.shape, order="F")
        borders = []
        for j in range(Z.shape[1]):
            groups[:, j], border = _group_column(Z[:, j], rows, j, n_groups)
            borders.append(border)
        return cls(groups, borders)

    @classmethod
    def _of_sparse(cls, Z: SparseTable, rows: Rows, n_groups: int) -> _Grid:
        values, others, borders = np.empty(len(Z.values)), np.zeros(Z.shape[1]), []
        for j in range(Z.shape[1]):
            groups, border = _group_column(Z.column(j), rows, j, n_groups)
            stored = slice(Z.starts[j], Z.starts[j + 1])
            values[stored] = groups[Z.rows[stored]]
            elsewhere = np.ones(len(groups), dtype=np.bool_)
            elsewhere[Z.rows[stored]] = False
            others[j] = groups[elsewhere.argmax()]
            borders.append(border)
        return cls(SparseTable(len(Z), Z.starts, Z.rows, values, others), borders)

    def ungroup(self, candidate: Candidate) -> Candidate:
        """The same condition on the columns themselves."""
        return replace(candidate, parts=[self._ungroup_part(part) for part in candidate.parts])

    def _ungroup_part(self, part: HalfSpace | CategorySet) -> HalfSpace | CategorySet:
        if isinstance(part, CategorySet):
            return part
        (column,), (direction,), cut = part.columns, part.weights, part.threshold
        # The cut may fall on a group without rows, so both bounds are respected.
        below = math.ceil(cut) - 1 if direction > 0 else math.floor(-cut)
        border = direction * float(self.borders[column][below])
        return HalfSpace([column], [direction], border, part.covers_missing)


def _group_column(column: Matrix, rows: Rows, j: int, n_groups: int) -> tuple[Float, Float]:
    """The group of each row in column j, zero where the value is missing, and the borders."""
    missing = rows.missing.get(j)
    known = np.ones(len(rows), dtype=np.bool_) if missing is None else ~missing
    groups = np.zeros(len(rows))
    groups[known], borders = _group(column[known].astype(np.float64), rows.weight[known], n_groups)
    return groups, borders


def _group(values: Float, weight: Float, n_groups: int) -> tuple[Float, Float]:
    """The group of each value, from 0 on, and the borders half-way between groups."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    share = np.cumsum(weight[order])
    edges = np.unique(ordered)
    if len(edges) > n_groups:
        levels = np.arange(1, n_groups) / n_groups * share[-1]
        edges = np.unique(ordered[np.searchsorted(share, levels)])
    edges = edges[edges < ordered.max(initial=-np.inf)]
    above = ordered[np.searchsorted(ordered, edges, side="right")]
    return np.searchsorted(edges, values).astype(np.float64), (edges + above) / 2
