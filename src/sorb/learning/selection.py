"""Which candidate becomes the next rule: the one worth its complexity on the validation rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sorb._types import Float

# It keeps the logarithm of a risk of zero finite.
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, slots=True)
class Selection:
    """Ranks candidates by what they are worth for their complexity.

    A candidate is worth (log risk before − log risk after) / complexity^price on the validation
    rows; with a price of 0 only the risk matters.
    """

    price: float

    def __call__(self, before: float, after: Float, complexities: Sequence[float]) -> list[int]:
        """The indices of the candidates, the best first; of those worth the same, in order."""
        risks = after.tolist()
        worth = [self._worth(before, a, c) for a, c in zip(risks, complexities, strict=True)]
        return sorted(range(len(worth)), key=worth.__getitem__, reverse=True)

    def _worth(self, before: float, after: float, complexity: float) -> tuple[float, ...]:
        """Numbers in the order of the worths: the sign, a logarithm that no price overflows."""
        if not math.isfinite(after):
            return (-2.0,)
        gain = math.log(max(before, _TINY)) - math.log(max(after, _TINY))
        log_price = self.price * math.log(complexity)
        if gain > 0:
            return 1.0, math.log(gain) - log_price, -after
        # A higher risk is worse if it costs more.
        return (-1.0, -math.log(-gain) - log_price, -after) if gain < 0 else (0.0,)
