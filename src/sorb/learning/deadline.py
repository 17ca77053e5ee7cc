"""The time that a fit has; when it is over, whatever is going on is given up."""

from __future__ import annotations

import time

from sorb._kernels import OutOfTimeError

__all__ = ["OutOfTimeError", "require_time", "seconds_until"]


def seconds_until(deadline: float) -> float:
    """The seconds that are left until a deadline of the performance counter; none after it."""
    return max(0.0, deadline - time.perf_counter())


def require_time(deadline: float) -> None:
    """Raise `OutOfTimeError` after a deadline of the performance counter.

    Examples
    --------
    >>> import math
    >>> require_time(math.inf)
    """
    if time.perf_counter() > deadline:
        raise OutOfTimeError
