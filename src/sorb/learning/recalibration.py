"""Offsets that make a model expect, on average, what occurs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

from sorb._types import Float
from sorb.learning.whole_table import WholeTable
from sorb.losses import Loss
from sorb.rules import RuleEnsemble
from sorb.rules.scores import sum_votes

__all__ = ["find_correction", "recalibrate"]

# Of the mean probabilities.
_TOLERANCE = 1e-12
# Offsets that were fitted are off by less.
_LEAST_CORRECTION = 1e-5


def recalibrate(ensemble: RuleEnsemble, table: WholeTable, classes: NDArray[Any]) -> RuleEnsemble:
    """Give the same rules and votes, with offsets that fit the shares of the classes of a table."""
    if ensemble.classes is None or len(classes) == 1:
        return ensemble
    last = classes.tolist()[-1]
    if not ensemble.loss.score_per_class and ensemble.classes[-1] != last:
        return recalibrate(ensemble.about(last), table, classes).about(ensemble.classes[-1])
    conditions = list(dict.fromkeys(rule.condition for rule in ensemble))
    sums = table.sums(conditions, 0.0)
    covered = (sums.covered[rule.condition] for rule in ensemble)
    scores = sum_votes(ensemble.offset, ensemble.rules, covered, len(sums.weight))
    offsets = np.array(ensemble.offsets) + offset_shift(ensemble.loss, scores, sums.y, sums.weight)
    start = tuple(offsets.tolist()) if ensemble.loss.score_per_class else float(offsets[0])
    return ensemble.with_votes(start, [rule.vote for rule in ensemble])


def find_correction(ensemble: RuleEnsemble, scores: Float, y: Float, weight: Float) -> Float:
    """What was added to fitted offsets, by the rows that they were fitted to.

    The weights are those of the fit, after which each class is expected as often as it occurs.
    """
    shift = offset_shift(ensemble.loss, scores, y, weight)
    return np.where(np.abs(shift).max() > _LEAST_CORRECTION, -shift, 0.0)


def offset_shift(loss: Loss, scores: Float, y: Float, weight: Float) -> Float:
    """Find what to add to all scores so that each mean probability is the share of its class.

    Parameters
    ----------
    loss : the loss of classes.
    scores : the score of each row, or one for each class.
    y : the index of the class of each row, or the mean index of a group of rows.
    weight : the weight of each row.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> shift = offset_shift(Logistic(), np.array([0.0, 0.0]), np.array([0.0, 0.25]), np.ones(2))
    >>> Logistic().mean(shift).round(3)
    array([0.125])
    """
    share = weight / weight.sum()
    occurs = np.atleast_1d(share @ y)
    if loss.score_per_class:
        occurs = share @ (y[:, None] == np.arange(scores.shape[1]))

    def expected(shift: Float) -> Float:
        # A score for each class has one degree of freedom too many: only differences matter.
        return np.atleast_1d(share @ loss.mean(scores + (shift if len(shift) > 1 else shift[0])))

    start = loss.link(occurs) - loss.link(expected(np.zeros(len(occurs))))
    if len(occurs) == 1:
        found = root(lambda shift: expected(shift) - occurs, start, tol=_TOLERANCE)
        return np.asarray(found.x)
    found = root(
        lambda rest: (expected(np.append(rest, 0.0)) - occurs)[:-1],
        start[:-1] - start[-1],
        tol=_TOLERANCE,
    )
    shift = np.append(found.x, 0.0)
    return np.asarray(shift - shift.mean())
