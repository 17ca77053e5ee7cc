"""The area under the ROC curve: how often a row of the positive class has the higher score."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.measures.estimate import QUANTILE, Estimate, grouped_variance, wilson

__all__ = ["auc", "mean_auc"]

Group = NDArray[np.intp]


def auc(score: Float, positive: Bool, weight: Float, group: Group | None = None) -> Estimate | None:
    """Estimate the area under the ROC curve; None if there are not both kinds of rows.

    It is the probability that a positive row has a higher score than a negative one, where equal
    scores count half. The interval is that of DeLong, on the logit scale; with groups of rows that
    may be alike, that of Obuchowski. Where there is no variance to be seen, because all pairs are
    in order or because there is a single row of a kind, it is Wilson's interval for as many
    pairs as can be formed without using a row twice, which is never too short.

    Parameters
    ----------
    score : one for each row.
    positive : whether the row is of the positive class.
    weight : its weight: k counts as k rows.
    group : the number of the group that the row belongs to, if there are groups.

    Examples
    --------
    >>> score = np.array([0.1, 0.1, 0.3, 0.6, 0.6, 0.6])
    >>> positive = np.array([False, False, False, False, True, True])
    >>> round(auc(score, positive, np.ones(6)).value, 3)
    0.875
    """
    known = weight > 0
    if not (positive & known).any() or not (~positive & known).any():
        return None
    area, deviation = _area(score, positive, weight)
    kinds = float(weight[positive].sum()), float(weight[~positive].sum())
    if group is not None:
        variance = grouped_variance(weight * deviation, group, known)
    elif min(kinds) <= 1:
        variance = math.inf
    else:
        variance = float(weight @ (_unbiased(deviation, positive, kinds) ** 2))
    return _interval(area, variance, min(kinds))


def mean_auc(
    scores: Float, y: NDArray[np.intp], weight: Float, group: Group | None = None
) -> Estimate | None:
    """Estimate the mean area of each class against all others; None if a class has no rows.

    `scores` has one column for each class, and `y` the class of each row.
    """
    n_classes = scores.shape[1]
    totals = np.bincount(y, weight, n_classes)
    if not (totals > 0).all():
        return None
    areas, deviation = 0.0, np.zeros(len(y))
    for k in range(n_classes):
        positive = y == k
        area, part = _area(scores[:, k], positive, weight)
        kinds = float(totals[k]), float(totals.sum() - totals[k])
        if group is None and min(kinds) > 1:
            part = _unbiased(part, positive, kinds)
        areas += area / n_classes
        deviation += part / n_classes
    if group is not None:
        variance = grouped_variance(weight * deviation, group, weight > 0)
    elif totals.min() <= 1:
        variance = math.inf
    else:
        variance = float(weight @ deviation**2)
    return _interval(areas, variance, float(totals.min()))


def _area(score: Float, positive: Bool, weight: Float) -> tuple[float, Float]:
    """The area, and how much one unit of weight of each row moves it."""
    _, place = np.unique(score, return_inverse=True)
    of_kind = [np.bincount(place, weight * kind) for kind in (positive, ~positive)]
    # How much of the other kind is below each score; equal scores count half.
    below = [np.cumsum(total) - total / 2 for total in of_kind]
    m, n = (float(total.sum()) for total in of_kind)
    area = float(of_kind[0] @ below[1]) / (m * n)
    wins = np.where(positive, below[1][place] / n, 1 - below[0][place] / m)
    return area, (wins - area) / np.where(positive, m, n)


def _unbiased(deviation: Float, positive: Bool, kinds: tuple[float, float]) -> Float:
    """Scale deviations so that their squares add up to the variance of DeLong."""
    m, n = kinds
    return deviation * np.sqrt(np.where(positive, m / (m - 1), n / (n - 1)))


def _interval(area: float, variance: float, n_pairs: float) -> Estimate:
    inside = min(area, 1 - area)
    # Rounding alone leaves less than this.
    if inside < 1e-12 or not math.isfinite(variance):
        return wilson(min(1.0, max(0.0, area)), n_pairs)
    half = QUANTILE * math.sqrt(variance) / (area * (1 - area))
    logit = math.log(area / (1 - area))
    return Estimate(area, min(area, _expit(logit - half)), max(area, _expit(logit + half)))


def _expit(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
