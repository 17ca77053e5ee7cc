"""The gamma loss, for positive amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from sorb._types import Float
from sorb.losses.base import log
from sorb.losses.log_link import LogLinkLoss

__all__ = ["Gamma"]


@final
@dataclass(frozen=True, slots=True)
class Gamma(LogLinkLoss):
    """Half the gamma deviance, for y > 0: a(f) = f, b(f) = −e⁻ᶠ.

    The size of an error is measured in proportion to what is expected, as suits amounts whose
    spread grows with them: claim sizes, costs, lengths of stay.

    Examples
    --------
    >>> import numpy as np
    >>> Gamma().value(np.array([100.0]), np.log([100.0, 200.0])).round(3)
    array([0.   , 0.193])
    """

    name: ClassVar[str] = "gamma"
    quantity: ClassVar[str] = "expected amount"
    measure: ClassVar[str] = "gamma deviance"

    def check_outcomes(self, y: Float, what: str = "y", rows: Sequence[int] | None = None) -> None:
        """Refuse what is not positive."""
        self._refuse(y, y <= 0, "more than 0", what, rows)

    def constant(self, y: Float) -> Float:
        """−1 − log(y)."""
        result: Float = -1 - log(y)
        return result
