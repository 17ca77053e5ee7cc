"""The squared loss, for numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from sorb._types import Float
from sorb.losses.base import Loss, Readout

__all__ = ["Squared"]


@final
@dataclass(frozen=True, slots=True)
class Squared(Loss):
    """(y − f)² / 2: a(f) = f² / 2, b(f) = f.

    Examples
    --------
    >>> import numpy as np
    >>> Squared().value(np.array([1.0]), np.array([3.0]))
    array([2.])
    """

    name: ClassVar[str] = "squared"
    readout: ClassVar[Readout] = Readout.IDENTITY
    measure: ClassVar[str] = "mean squared error"
    centred: ClassVar[bool] = True
    non_negative: ClassVar[bool] = False

    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Accept every number."""

    def check_training(self, y: Float, weight: Float, where: str = "") -> None:
        """Accept any numbers."""

    def link(self, mean: Float) -> Float:
        """The mean itself."""
        return np.asarray(mean, dtype=np.float64)

    def constant(self, y: Float) -> Float:
        """y² / 2."""
        return y * y / 2

    def rounding(self, y: Float, weight: Float, shift: float = 0.0) -> float:
        """The digits that a sum of squares loses, and those that the outcomes themselves lack."""
        of_outcomes = 4 * float(np.finfo(np.float64).eps) * shift
        return Loss.rounding(self, y, weight) + of_outcomes**2

    def value(self, y: Float, f: Float) -> Float:
        """The loss of each row; the sum of its parts would cancel for large y."""
        return (y - f) ** 2 / 2

    def outcome_words(self, labels: Sequence[str]) -> str:
        """Say what is expected."""
        return "prediction"

    def score_words(self, labels: Sequence[str]) -> str:
        """Say what the votes add up to."""
        return "prediction"

    def vote_words(self, labels: Sequence[str]) -> str:
        """Say what a single vote is about."""
        return "prediction"
