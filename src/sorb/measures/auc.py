"""The area under the ROC curve: how often a row of the positive class has the higher score."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float
from sorb.measures.estimate import Estimate, Units, add_freedom, student_quantile, wilson

__all__ = ["auc", "mean_auc"]

Group = NDArray[np.intp]


def auc(
    score: Float,
    positive: Bool,
    weight: Float,
    group: Group | None = None,
    fold: Group | None = None,
    count: Float | None = None,
) -> Estimate | None:
    """Estimate the area under the ROC curve; None if there are not both kinds of rows.

    It is the probability that a positive row has a higher score than a negative one, where equal
    scores count half. The interval is that of DeLong, on the logit scale; with groups of rows that
    may be alike, that of Obuchowski. It is as wide as in Student's where a kind has few rows or
    groups. Where there is no variance to be seen, because all pairs are in order or because there
    is a single row of a kind, it is Wilson's interval for as many pairs as can be formed without
    using a row, or a group, twice, which is never too short.

    Parameters
    ----------
    score : one for each row.
    positive : whether the row is of the positive class.
    weight : its weight.
    group : the number of the group that the row belongs to, if there are groups.
    fold : the number of the model that gave the score, if there are several: only the scores of
        the same model are compared.
    count : how many rows each stands for; by default what the weights say.

    Examples
    --------
    >>> score = np.array([0.1, 0.1, 0.3, 0.6, 0.6, 0.6])
    >>> positive = np.array([False, False, False, False, True, True])
    >>> round(auc(score, positive, np.ones(6)).value, 3)
    0.875
    """
    scores = np.column_stack([-score, score])
    return mean_auc(scores, positive * 1, weight, group, fold, count)


def mean_auc(
    scores: Float,
    y: NDArray[np.intp],
    weight: Float,
    group: Group | None = None,
    fold: Group | None = None,
    count: Float | None = None,
) -> Estimate | None:
    """Estimate the mean area of each class against all others; None if a class has no rows.

    `scores` has one column for each class, and `y` the class of each row. Of two classes, both
    areas are the same.
    """
    totals = np.bincount(y, weight, scores.shape[1])
    if not (totals > 0).all():
        return None
    classes = range(1, 2) if len(totals) == 2 else range(len(totals))
    folds = np.zeros(len(y), dtype=np.intp) if fold is None else fold
    units = Units.of(weight, group, count)
    found = [_mean_over_folds(scores[:, k], y == k, weight, folds, units) for k in classes]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    area = float(np.mean([value for value, _ in known]))
    deviation = weight * np.mean([part for _, part in known], axis=0)
    kinds = [np.where(y == k, deviation, 0.0) for k in range(len(totals))]
    sizes = [units.number(np.where(y == k, weight, 0.0)) for k in range(len(totals))]
    of_kinds = [units.variance(part) for part in kinds]
    freedom = add_freedom(of_kinds, [size - 1 for size in sizes])
    return _interval(area, units.variance(deviation), freedom, min(sizes))


def _mean_over_folds(
    score: Float, positive: Bool, weight: Float, fold: Group, units: Units
) -> tuple[float, Float] | None:
    """The area over the pairs within folds, and how much one unit of weight of each row moves it.

    The variance of the sum of these deviations is that of DeLong. None if no fold has rows of both
    kinds.
    """
    areas, pairs, deviations = [], [], []
    for k in np.unique(fold):
        rows = np.flatnonzero((fold == k) & (weight > 0))
        m, n = (float(weight[rows][kind].sum()) for kind in (positive[rows], ~positive[rows]))
        if not (m and n):
            continue
        area, part = _area(score[rows], positive[rows], weight[rows])
        # A single row of a kind shows no variance: any is possible.
        free = [
            units.take(rows).correction(kind * weight[rows])
            for kind in (positive[rows], ~positive[rows])
        ]
        with np.errstate(invalid="ignore"):
            part = part * np.sqrt(np.where(positive[rows], *free))
        whole = np.zeros(len(score))
        whole[rows] = np.where(np.isfinite(part), part, math.inf)
        areas.append(area)
        pairs.append(m * n)
        deviations.append(whole)
    if not areas:
        return None
    share = np.array(pairs) / sum(pairs)
    return float(share @ areas), np.asarray(share @ np.array(deviations))


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


def _interval(area: float, variance: float, freedom: float, n_pairs: float) -> Estimate:
    inside = min(area, 1 - area)
    # Rounding alone leaves less than this.
    if inside < 1e-12 or not math.isfinite(variance):
        return wilson(min(1.0, max(0.0, area)), n_pairs)
    half = student_quantile(freedom) * math.sqrt(variance) / (area * (1 - area))
    logit = math.log(area / (1 - area))
    return Estimate(area, min(area, _expit(logit - half)), max(area, _expit(logit + half)))


def _expit(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
