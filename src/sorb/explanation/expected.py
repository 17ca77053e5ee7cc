"""What each rule adds to the expected outcome: to a probability, or to a count.

Votes add up to the decision value, but the expected outcome is a curved function of it. So what a
vote adds to a probability depends on the other votes. Here all votes grow together, in step, from
nothing to their full size, and each gets the sum of what it moves on the way (the value of Aumann
and Shapley). No order of the rules is preferred, a vote for a class never counts against it, and
what the rules add leads exactly from the expected outcome of the offset to that of the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.losses import Loss
from sorb.rules import RuleEnsemble

__all__ = ["Expected", "expected"]


# Below this step, the slope in the middle is nearer to the mean slope than a quotient of roundings.
SMALL_STEP = 1e-5

# Gauss's quadrature on [0, 1]; a part of the way is short enough if its sum is this exact.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
NODES, SHARES = (_NODES + 1) / 2, _WEIGHTS / 2
TOLERANCE, SHORTEST = 2e-15, 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """The expected outcome, and what each rule adds to it.

    With two classes, everything is about the probability of the second one. With more, there is
    one number for each class, along the last axis.

    Attributes
    ----------
    offset : float, or ndarray of shape (classes,)
        What is expected if no rule applies.
    contributions : ndarray of shape (rows, rules) or (rows, rules, classes)
        What each rule adds.
    """

    offset: float | Float
    contributions: Float
    _total: Float

    def total(self) -> Float:
        """Add up the offset and the contributions: what is expected of each row, exactly."""
        # Rounded sums of the contributions would lose the digits of a small probability.
        return self._total


def expected(ensemble: RuleEnsemble, covered: NDArray[np.bool_], total: Float) -> Expected:
    """Tell what each rule adds to the expected outcome.

    Parameters
    ----------
    ensemble : the rules.
    covered : for each row (first axis) and rule (second axis), whether it applies.
    total : the decision values of the rows.
    """
    loss = ensemble.loss
    offset = np.array(ensemble.offset)
    weights = np.array([rule.vote for rule in ensemble], dtype=np.float64)
    votes = np.where(covered, weights, 0.0)
    if not loss.score_per_class:
        added = votes * _mean_slope(loss, offset, total)[:, None]
        return Expected(float(loss.mean(offset[None])[0]), added, loss.mean(total))
    outputs = np.array([rule.output for rule in ensemble], dtype=np.intp)
    # Rows to which the same rules apply have the same answer, and there are few kinds of them.
    kinds, kind = np.unique(covered, axis=0, return_inverse=True)
    sums = np.where(kinds, weights, 0.0) @ (outputs[:, None] == np.arange(len(offset)))
    slopes = _mean_slopes(loss, offset, sums).transpose(0, 2, 1)[:, outputs]
    added = votes[..., None] * slopes[kind.reshape(-1)]
    return Expected(loss.mean(offset[None])[0], added, loss.mean(total))


def _mean_slope(loss: Loss, start: Float, end: Float) -> Float:
    """By how much the expected outcome rises with the score, on average between two scores."""
    step = end - start
    small = np.abs(step) < SMALL_STEP
    rise = loss.mean(end) - loss.mean(np.broadcast_to(start, end.shape))
    in_the_middle = loss.mean_slope(start + step / 2)
    return np.where(small, in_the_middle, rise / np.where(small, 1.0, step))


def _mean_slopes(loss: Loss, start: Float, step: Float) -> Float:
    """By how much the probability of each class rises with the score of each, on the whole way.

    The way of each row is halved until, on every part of it, quadrature leads from the
    probabilities at its beginning to those at its end, which are known.

    Parameters
    ----------
    loss : the loss of more than two classes.
    start : the scores at the beginning, one for each class.
    step : what each row adds to them, of shape (rows, classes).

    Returns
    -------
    slopes : ndarray of shape (rows, classes whose probability rises, classes whose score rises)
    """
    classes = step.shape[1]
    slopes = np.zeros((len(step), classes, classes))
    row, low, length = np.arange(len(step)), np.zeros(len(step)), 1.0
    # Scores are rounded to their own size.
    tolerance = TOLERANCE * np.maximum(1, np.abs(start).max() + np.abs(step).max(axis=1))

    def probabilities(at: Float) -> Float:
        scores = start + at[..., None] * step[row][:, None]
        return np.asarray(loss.mean(scores.reshape(-1, classes)).reshape(scores.shape))

    while len(row):
        part = length * _slopes(probabilities(low[:, None] + length * NODES))
        ends = probabilities(low[:, None] + [0.0, length])
        missed = np.einsum("rkc,rc->rk", part, step[row]) - (ends[:, 1] - ends[:, 0])
        done = (np.abs(missed).max(axis=1) <= tolerance[row]) | (length <= SHORTEST)
        np.add.at(slopes, row[done], part[done])
        length /= 2
        low = np.concatenate([low[~done], low[~done] + length])
        row = np.tile(row[~done], 2)
    return slopes


def _slopes(p: Float) -> Float:
    """Average the slopes over the nodes of each row, given the probabilities there."""
    slopes: Float = -np.einsum("q,rqk,rqc->rkc", SHARES, p, p)
    diagonal = np.arange(p.shape[2])
    slopes[:, diagonal, diagonal] = 0
    # They cancel in each line; 1 − p would lose all digits where p is almost 1.
    slopes[:, diagonal, diagonal] = -slopes.sum(axis=2)
    return slopes
