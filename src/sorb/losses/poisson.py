"""The Poisson loss, for counts and rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from sorb._types import Float
from sorb.losses.base import log
from sorb.losses.log_link import LogLinkLoss

__all__ = ["Poisson"]

_TINY = 1e-300  # it has a logarithm


@final
@dataclass(frozen=True, slots=True)
class Poisson(LogLinkLoss):
    """Half the Poisson deviance, for y ≥ 0: a(f) = eᶠ, b(f) = f.

    Examples
    --------
    >>> import numpy as np
    >>> Poisson().value(np.array([1.0]), np.log([1.0, 2.0])).round(3)
    array([0.   , 0.307])
    """

    name: ClassVar[str] = "poisson"
    quantity: ClassVar[str] = "expected count"
    measure: ClassVar[str] = "Poisson deviance"

    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Refuse negative numbers."""
        self._refuse(y, y < 0, "0 or more", what, rows)

    def constant(self, y: Float) -> Float:
        """y·log(y) − y."""
        # Where y is 0, so is its product with any number.
        result: Float = y * log(y.clip(_TINY, None)) - y
        return result
