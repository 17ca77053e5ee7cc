"""The logistic loss, for two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from sorb._types import Float
from sorb.losses.base import MARGIN, Readout
from sorb.losses.classes import ClassLoss

__all__ = ["Logistic"]


@final
@dataclass(frozen=True, slots=True)
class Logistic(ClassLoss):
    """The log loss of the log-odds f of the second class: a(f) = log(1 + eᶠ), b(f) = f.

    Examples
    --------
    >>> import numpy as np
    >>> Logistic().value(np.array([1.0, 0.0]), np.array([0.0, 0.0])).round(3)
    array([0.693, 0.693])
    """

    name: ClassVar[str] = "logistic"
    readout: ClassVar[Readout] = Readout.SIGMOID

    def link(self, mean: Float) -> Float:
        """The log-odds of a probability."""
        p = np.clip(mean, MARGIN, 1 - MARGIN)
        return np.asarray(np.log(p) - np.log1p(-p))

    def outcome_words(self, labels: Sequence[str]) -> str:
        """Say what is expected."""
        return f"probability of {_second(labels)}"

    def score_words(self, labels: Sequence[str]) -> str:
        """Say what the votes add up to."""
        return f"log-odds of {' against '.join(reversed(labels)) or _second(labels)}"

    def vote_words(self, labels: Sequence[str]) -> str:
        """Say what a single vote is about."""
        return f"log-odds of {_second(labels)}"


def _second(labels: Sequence[str]) -> str:
    return labels[-1] if labels else "the positive class"
