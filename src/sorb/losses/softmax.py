"""The softmax loss, for more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from sorb._types import Float
from sorb.losses.base import MARGIN, Readout
from sorb.losses.classes import ClassLoss

__all__ = ["Softmax"]


@final
@dataclass(frozen=True, slots=True)
class Softmax(ClassLoss):
    """The log loss of one score for each class: a(f) = log Σ eᶠ, b(f) = f.

    Examples
    --------
    >>> import numpy as np
    >>> Softmax().mean(np.log([[1.0, 2.0, 5.0]]))
    array([[0.125, 0.25 , 0.625]])
    """

    name: ClassVar[str] = "softmax"
    readout: ClassVar[Readout] = Readout.SOFTMAX

    def link(self, mean: Float) -> Float:
        """The logarithms of the probabilities, shifted so that their sum is zero."""
        score = np.log(np.maximum(mean, MARGIN))
        return np.asarray(score - score.mean(axis=-1, keepdims=True))

    def outcome_words(self, labels: Sequence[str]) -> str:
        """Say what is expected."""
        return "probability"

    def score_words(self, labels: Sequence[str]) -> str:
        """Say what the votes add up to."""
        return "score of each class"

    def vote_words(self, labels: Sequence[str]) -> str:
        """Say what a single vote is about."""
        return "score of the class"
