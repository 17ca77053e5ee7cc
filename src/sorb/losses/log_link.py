"""What the losses with a logarithmic link share: votes multiply a positive expected outcome."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sorb._types import Bool, Float
from sorb.losses.base import Loss, Readout

__all__ = ["LogLinkLoss"]

# Smaller floats have few digits, and zero has no logarithm.
LEAST_MEAN = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True)
class LogLinkLoss(Loss, ABC):
    """The score is the logarithm of the expected outcome.

    Attributes
    ----------
    quantity : str
        What the expected outcome is called.
    """

    quantity: ClassVar[str]
    readout: ClassVar[Readout] = Readout.EXPONENTIAL
    centred: ClassVar[bool] = False
    non_negative: ClassVar[bool] = True

    def link(self, mean: Float) -> Float:
        """The logarithm."""
        return np.asarray(np.log(np.maximum(mean, LEAST_MEAN)))

    def can_learn_from(self, y: Float) -> Bool:
        """Those above zero."""
        return np.asarray(y > 0)

    def check_training(self, y: Float, weight: Float, where: str = "") -> None:
        """Refuse outcomes that are all zero: the logarithm of their mean is infinite."""
        if not self.can_learn_from(y[weight > 0]).any():
            raise ValueError(
                f"the loss {self.name!r} needs some y above zero{where}: "
                f"the logarithm of an {self.quantity} of zero is infinite"
            )

    def information(self, f: Float) -> Float:
        """The curvature that is expected at the scores: that of an outcome equal to its mean."""
        # a′ = b′·mean, and the mean is its own derivative, so a″ − b″·mean = b′·mean = a′.
        return self._derivatives(f, 1)[0]

    def mean_slope(self, f: Float) -> Float:
        """The expected outcome itself."""
        return self.mean(f)

    def outcome_words(self, labels: Sequence[str]) -> str:
        """Say what is expected."""
        return self.quantity

    def score_words(self, labels: Sequence[str]) -> str:
        """Say what the votes add up to."""
        return f"logarithm of the {self.quantity}"

    def vote_words(self, labels: Sequence[str]) -> str:
        """Say what a single vote is about."""
        return f"logarithm of the {self.quantity}"
