"""What the losses for classes share: their outcomes are class indices, made from any labels."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sorb._types import Float
from sorb.losses.base import Loss

__all__ = ["ClassLoss"]


@dataclass(frozen=True, slots=True)
class ClassLoss(Loss, ABC):
    """The mean log loss of classes; the package `tables` checks their labels."""

    measure: ClassVar[str] = "log loss"
    centred: ClassVar[bool] = False
    non_negative: ClassVar[bool] = False

    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Accept the class indices that the labels were turned into."""

    def check_training(self, y: Float, weight: Float, where: str = "") -> None:
        """Accept a single class, too: the model then always predicts it."""

    def constant(self, y: Float) -> Float:
        """Nothing: the best probability of a class is 1, and its logarithm 0."""
        return np.zeros(len(y))

    def rounding(self, y: Float, weight: Float, shift: float = 0.0) -> float:
        """Nothing: a certain prediction is one that rounds to certainty."""
        return 0.0

    def mean_constant(self, y: Float, weight: Float) -> float:
        """Nothing, without looking at the rows."""
        return 0.0
