"""The Tweedie loss, for amounts that are often zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from sorb._types import Float
from sorb.losses.log_link import LogLinkLoss

__all__ = ["Tweedie"]

# Powers this close to a limit lose the digits in which losses differ.
TOO_CLOSE = 1e-7
LIMITS = {1: "poisson", 2: "gamma"}


@final
@dataclass(frozen=True, slots=True)
class Tweedie(LogLinkLoss):
    """Half the Tweedie deviance, for y ≥ 0: a(f) = e⁽²⁻ᵖ⁾ᶠ / (2 − p), b(f) = e⁽¹⁻ᵖ⁾ᶠ / (1 − p).

    It suits sums of a random number of random amounts, such as all claims of a year, which are
    often zero. The spread of y grows with the power p of what is expected: near 1 it is that of
    counts, near 2 that of the gamma distribution.

    Parameters
    ----------
    power : float, default=1.5
        The power p, between 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> Tweedie(1.5).value(np.array([0.0, 4.0]), np.log([4.0, 4.0]))
    array([4., 0.])
    """

    power: float = 1.5

    name: ClassVar[str] = "tweedie"
    quantity: ClassVar[str] = "expected amount"
    measure: ClassVar[str] = "Tweedie deviance"

    def __post_init__(self) -> None:
        if not 1 < self.power < 2:
            raise ValueError(f"power must be between 1 and 2, found {self.power}")
        # Other numbers, such as those of NumPy, cannot be written to a model file.
        object.__setattr__(self, "power", float(self.power))

    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Refuse negative numbers."""
        self._refuse(y, y < 0, "0 or more", what, rows)

    def check_training(self, y: Float, weight: Float, where: str = "") -> None:
        """Refuse outcomes that are all zero, and a power that is nearly that of another loss."""
        LogLinkLoss.check_training(self, y, weight, where)
        for limit, loss in LIMITS.items():
            if abs(self.power - limit) < TOO_CLOSE:
                raise ValueError(
                    f"power={self.power} is too close to {limit} to learn with: use the loss "
                    f"{loss!r} instead"
                )

    def constant(self, y: Float) -> Float:
        """y²⁻ᵖ / ((1 − p)(2 − p))."""
        return y ** (2 - self.power) / ((1 - self.power) * (2 - self.power))
