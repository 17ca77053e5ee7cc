"""What each rule adds to the expected outcome: to a probability, or to a count.

Votes add up to the score, but the expected outcome is a nonlinear function of it. So what a vote
adds to a probability depends on the other votes. Here all votes grow together from zero to their
full size, and each is credited with the change it causes on the way (the Aumann–Shapley value). No
order of the rules is preferred, a vote for a class never counts against it, and the contributions
lead exactly from the expected outcome of the offset to that of the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sorb._types import Bool, Float
from sorb.losses import Loss
from sorb.rules import RuleEnsemble
from sorb.rules.scores import contributions

__all__ = ["ExpectedOutcome", "expected_outcome"]


# Below this step, the slope in the middle is closer to the mean slope than a quotient of
# differences that are mostly rounding error.
SMALL_STEP = 1e-5

# Gauss–Legendre quadrature on [0, 1]; a part of the way is short enough if its integral is this
# exact.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
NODES, SHARES = (_NODES + 1) / 2, _WEIGHTS / 2
TOLERANCE, SHORTEST = 2e-15, 2.0**-50


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedOutcome:
    """The expected outcome, and what each rule adds to it.

    With two classes, all numbers are about the probability of the second one. With more, there is
    one number for each class, along the last axis.

    Attributes
    ----------
    offset : float, or ndarray of shape (classes,)
        What is expected of a row that no rule covers.
    contributions : ndarray of shape (rows, rules) or (rows, rules, classes)
        What each rule adds.
    """

    offset: float | Float
    contributions: Float
    _total: Float

    def total(self) -> Float:
        """Give what is expected of each row: the exact sum of the offset and the contributions."""
        # Adding rounded contributions would lose the digits of a small probability.
        return self._total


def expected_outcome(ensemble: RuleEnsemble, covered: Bool, scores: Float) -> ExpectedOutcome:
    """Find what each rule adds to the expected outcome.

    Parameters
    ----------
    ensemble : the rules.
    covered : for each row (first axis), which rules (second axis) cover it.
    scores : the scores of the rows.
    """
    loss = ensemble.loss
    offset = np.array(ensemble.offset)
    added_votes = contributions(ensemble, covered)
    if not loss.score_per_class:
        slopes = _mean_slope(loss, offset, scores)[:, None]
        # What adds nothing adds nothing to an infinite outcome either.
        added = np.zeros_like(added_votes)
        np.multiply(added_votes, slopes, out=added, where=added_votes != 0)
        return ExpectedOutcome(float(loss.mean(offset[None])[0]), added, loss.mean(scores))
    outputs = np.array([rule.output for rule in ensemble], dtype=np.intp)
    # Rows of the same pattern, covered by the same rules, have the same answer.
    patterns, pattern = np.unique(covered, axis=0, return_inverse=True)
    sums = contributions(ensemble, patterns) @ (outputs[:, None] == np.arange(len(offset)))
    slopes = _mean_slopes(loss, offset, sums).transpose(0, 2, 1)[:, outputs]
    added = added_votes[..., None] * slopes[pattern.reshape(-1)]
    return ExpectedOutcome(loss.mean(offset[None])[0], added, loss.mean(scores))


@np.errstate(over="ignore", invalid="ignore")
def _mean_slope(loss: Loss, start: Float, end: Float) -> Float:
    """Give the mean slope of the expected outcome between two scores.

    It is infinite or NaN if an expected outcome is infinite: an exponential may be.
    """
    step = end - start
    small = np.abs(step) < SMALL_STEP
    rise = loss.mean(end) - loss.mean(np.broadcast_to(start, end.shape))
    in_the_middle = loss.mean_slope(start + step / 2)
    return np.where(small, in_the_middle, rise / np.where(small, 1.0, step))


def _mean_slopes(loss: Loss, start: Float, step: Float) -> Float:
    """Give the mean slope of the probability of each class in the score of each, along the way.

    The way of each row is halved until, on every part of it, quadrature leads from the known
    probabilities at its beginning to those at its end.

    Parameters
    ----------
    loss : a loss with a score for each class.
    start : the scores at the beginning, one for each class.
    step : what each row adds to them, of shape (rows, classes).

    Returns
    -------
    slopes : ndarray of shape (rows, classes whose probability rises, classes whose score rises)
    """
    classes = step.shape[1]
    slopes = np.zeros((len(step), classes, classes))
    row, low, length = np.arange(len(step)), np.zeros(len(step)), 1.0
    # The rounding error of scores is proportional to their size.
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
    """Average the slopes over the nodes of each row, given the probabilities at the nodes."""
    slopes: Float = -np.einsum("q,rqk,rqc->rkc", SHARES, p, p)
    diagonal = np.arange(p.shape[2])
    slopes[:, diagonal, diagonal] = 0
    # Each line sums to zero; 1 − p would lose all digits where p is almost 1.
    slopes[:, diagonal, diagonal] = -slopes.sum(axis=2)
    return slopes
