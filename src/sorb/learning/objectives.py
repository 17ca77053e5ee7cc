"""Boosting objectives: the gain expected of a condition, before any vote is refitted.

With g the gradient of the loss, h its expected curvature, and weighted sums over the training rows
of the bag that the condition covers: S = Σg, N = Σ1, H = Σh.

====================  =====================================================================
gradient_sum          |S|
gradient_boosting     |S| / √N
second_order          S² / (H + 2λ)
orthogonal            |S⊥| / (‖q⊥‖ + ε), after projection off the span of the rules so far
refitted              S⊥² / (‖q⊥‖² + 2λ), the same with h for weights
====================  =====================================================================

For the squared loss, the last one is what a rule gains if its vote is penalised and the others are
refitted without a penalty. It is not among those that users choose from.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._kernels import ColumnInfo, Objective, ObjectiveKind
from sorb._types import Float
from sorb.learning.rows import Rows
from sorb.tables.column_constraints import NO_CONSTRAINTS, ColumnConstraints

OBJECTIVES = tuple(ObjectiveKind.__members__)
_EPSILON = 1e-4  # of the root of the mean weight

__all__ = ["OBJECTIVES", "Objective", "SearchInput", "prepare"]


@dataclass(frozen=True, slots=True)
class SearchInput:
    """What a search is asked to improve, for one output in one round.

    `weight` is zero outside the bag; `weighted_gradient` is weight times gradient. Row i is
    covered by the rules `patterns[pattern[i]]`, and its loss has the curvature
    `curvature()[pattern[i]]`, which most objectives never ask for. `mean_weight` is that of all
    rows, in the bag or not. A search that is not done at the `deadline` of the performance counter
    raises `OutOfTimeError`. Conditions obey the `constraints`.
    """

    rows: Rows
    weight: Float
    weighted_gradient: Float
    pattern: NDArray[np.int32]
    patterns: NDArray[np.uint8]
    curvature: Callable[[], Float]
    reg_lambda: float
    mean_weight: float = 1.0
    deadline: float = math.inf
    constraints: ColumnConstraints = NO_CONSTRAINTS

    @property
    def seconds(self) -> float:
        """The time that is left."""
        return self.deadline - time.perf_counter()

    def column_info(self, whole: bool) -> ColumnInfo:
        """What the kernels need to know about the columns besides Z."""
        return self.rows.column_info(whole, self.constraints)


def prepare(name: str, search_input: SearchInput) -> Objective:
    """Set up the named objective for a search input."""
    gain, mass, ridge = search_input.weighted_gradient, search_input.weight, 0.0
    match name:
        case "orthogonal":
            # Norms are roots of weights.
            epsilon = _EPSILON * math.sqrt(search_input.mean_weight)
            return _off_span(ObjectiveKind.orthogonal, epsilon, search_input, mass)
        case "second_order" | "refitted":
            ridge = 2 * search_input.reg_lambda
            mass = mass * search_input.curvature()[search_input.pattern]
            if name == "refitted":
                return _off_span(ObjectiveKind.second_order, ridge, search_input, mass)
        case "gradient_sum" | "gradient_boosting":
            pass
        case _:
            raise ValueError(f"objective must be one of {', '.join(OBJECTIVES)}, found {name}")
    return Objective(ObjectiveKind[name], ridge, gain, mass)


def _off_span(
    kind: ObjectiveKind, ridge: float, search_input: SearchInput, mass: Float
) -> Objective:
    """Project on the patterns: the rules so far are constant on each, so their span is too."""
    gain, span = _kernels.project_off(
        search_input.patterns, search_input.pattern, mass, search_input.weighted_gradient
    )
    return Objective(kind, ridge, gain, mass, span)
