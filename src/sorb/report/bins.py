"""Between which numbers values are counted in bins."""

from __future__ import annotations

__all__ = ["bin_ends"]

# Bins of a smaller share of their numbers may be too narrow for the digits that there are, and so
# may those of the smallest numbers.
_NARROWEST, _SMALLEST = 1e-12, 1e-290


def bin_ends(low: float, high: float) -> tuple[float, float]:
    """Give the two ends, or some room around them where bins between them would have no width.

    Examples
    --------
    >>> bin_ends(2.0, 3.0)
    (2.0, 3.0)
    >>> bin_ends(2.0, 2.0)
    (1.5, 2.5)
    >>> bin_ends(1e16, 1e16 + 2)
    (9999999999990000.0, 1.0000000000010002e+16)
    """
    least = max(_NARROWEST * max(abs(low), abs(high)), _SMALLEST)
    if high - low > least:
        return low, high
    room = max(0.5, least)
    return low - room, high + room
