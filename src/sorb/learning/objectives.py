"""Boosting objectives: what a condition promises to gain, before any weight is refitted.

With g the gradient of the loss, h its second derivative and every sum taken over the in-bag rows
that satisfy the condition, weighted: S = Σg, N = Σ1, H = Σh.

====================  =====================================================================
gradient_sum          |S|
gradient_boosting     |S| / √N
second_order          S² / (H + 2λ)
orthogonal            |S⊥| / (‖q⊥‖ + ε), after projection off the span of the rules so far
====================  =====================================================================
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Float, Int
from sorb.learning.rows import Rows

OBJECTIVES = ("gradient_sum", "gradient_boosting", "second_order", "orthogonal")
_EPSILON = 1e-4
_NO_BASIS = np.empty((0, 0))


@dataclass(frozen=True, slots=True)
class Situation:
    """What a search is asked to improve: one output of the model, in one round.

    `weight` is zero for rows out of the bag; `strength` is weight times gradient. `pattern` and
    `fires` say which of the rules so far hold for each row: row i has the rules
    `fires[pattern[i]]`, and the second derivative of its loss is `curvature[pattern[i]]`.
    """

    rows: Rows
    weight: Float
    strength: Float
    pattern: NDArray[np.int32]
    fires: NDArray[np.uint8]
    curvature: Float
    reg_lambda: float


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective in a given situation: the arrays that the kernels sum.

    `gain` and `mass` are the summands of numerator and denominator for each row; `ridge` is what
    is added to the denominator; `basis` holds, for the orthogonal objective, the values on each
    pattern of orthonormal functions that span the rules so far.
    """

    kind: int
    ridge: float
    gain: Float
    mass: Float
    pattern: NDArray[np.int32]
    basis: Float

    @property
    def arrays(self) -> tuple[int, float, Float, Float, NDArray[np.int32], Float]:
        """The objective as the kernels take it."""
        return self.kind, self.ridge, self.gain, self.mass, self.pattern, self.basis

    def score(self, rows: Int, sign: int) -> float:
        """What the rows with these numbers promise, if their gradient has the given sign."""
        return _kernels.score(self.arrays, rows, sign)

    def cut(self, rows: Int, projection: Float, sign: int) -> tuple[float, float]:
        """The best threshold, and its score, for keeping the rows with the larger projections.

        Exact: it lies between two rows, and no other threshold that keeps some of the rows and
        drops others scores higher. A score of 0 means that none gains anything.
        """
        return _kernels.best_cut(self.arrays, rows, projection, sign)


def prepare(name: str, situation: Situation) -> Objective:
    """The named objective in a given situation."""
    if name == "orthogonal":
        return _orthogonal(situation)
    kind, ridge, mass = OBJECTIVES.index(name), 0.0, situation.weight
    if name == "second_order":
        ridge = 2 * situation.reg_lambda
        mass = situation.weight * situation.curvature[situation.pattern]
    return Objective(kind, ridge, situation.strength, mass, situation.pattern, _NO_BASIS)


def _orthogonal(situation: Situation) -> Objective:
    """Project on the patterns: the rules so far are constant on each, so their span is too."""
    fires, pattern, weight = situation.fires, situation.pattern, situation.weight
    gain, basis = _kernels.project_off(fires, pattern, weight, situation.strength)
    return Objective(3, _EPSILON, gain, weight, pattern, basis.reshape(len(fires), -1))
