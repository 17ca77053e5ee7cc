"""How class weights change the share of each class, which is what probabilities are about."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.rules import notation

__all__ = ["MOVED_SHARES", "class_shares", "describe_moved_shares"]

# How the warning begins.
MOVED_SHARES = "class_weight changes the probabilities"
# Smaller changes of a share are not worth a warning.
_NOTICEABLE = 0.01


def class_shares(index: Float, weight: Float) -> Float:
    """Give the share of each class in the weight of all rows, by the index of each row's class.

    Examples
    --------
    >>> import numpy as np
    >>> class_shares(np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, 1.0]))
    array([0.5, 0.5])
    """
    total = np.bincount(index.astype(np.intp), weight)
    return np.asarray(total / total.sum())


def describe_moved_shares(classes: NDArray[Any], before: Float, after: Float) -> str | None:
    """Say which class gains most by class weights, and what to do; None if none gains much.

    Examples
    --------
    >>> classes = np.array(["ill", "well"])
    >>> print(describe_moved_shares(classes, np.array([0.12, 0.88]), np.array([0.5, 0.5])))
    class_weight changes the probabilities: 'ill' is the class of 12 % of the rows, but of 50 % of
    their weight, and is expected accordingly. To expect each class as often as it occurs,
    recalibrate: recalibrate(X, y) in Python, --recalibrate on the command line
    >>> describe_moved_shares(classes, np.array([0.5, 0.5]), np.array([0.5, 0.5]))
    """
    k = int((after - before).argmax())
    if after[k] - before[k] < _NOTICEABLE:
        return None
    return (
        f"{MOVED_SHARES}: {classes.tolist()[k]!r} is the class of "
        f"{_percent(before[k])} of the rows, but of {_percent(after[k])} of their weight, and is "
        "expected accordingly. To expect each class as often as it occurs, recalibrate: "
        "recalibrate(X, y) in Python, --recalibrate on the command line"
    )


def _percent(share: float) -> str:
    return f"{notation.number(100 * float(share), 2)} %"
