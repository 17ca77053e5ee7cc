"""How much of the outcome a single column tells, each half of the rows predicted from the other."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from sorb._types import Bool, Float
from sorb.checks.checked_table import Column, Outcome

__all__ = ["Told", "told_by"]

# The outcome at a value is the mean over at least so many rows around it.
_WINDOW = 3


@dataclass(frozen=True, slots=True)
class Told:
    """How much of the outcome something tells.

    Attributes
    ----------
    share : the share of the variance of the outcome that it explains: of the indicators of classes,
        or of the ranks of numbers.
    right : the share of the rows whose class it tells; None for numbers.
    log_chance : the logarithm of the probability that chance tells as much.
    """

    share: float
    right: float | None
    log_chance: float


def told_by(column: Column, outcome: Outcome, half: Bool) -> Told:
    """Measure how much of the outcome a column tells, being missing included.

    In each half of the rows, outcomes are looked up in the other half: those of the rows with the
    same value or, for numbers, with the values around it.
    """
    targets = outcome.targets
    predicted = np.empty_like(targets)
    for training in (half, ~half):
        if not training.any():
            return Told(0.0, None, 0.0)
        predicted[~training] = _look_up(column, targets, training)
    return measure(predicted, outcome)


def measure(predicted: Float, outcome: Outcome) -> Told:
    """Compare predicted targets with the outcome."""
    targets = outcome.targets
    total = float(((targets - targets.mean(axis=0)) ** 2).sum())
    share = 1.0 - float(((targets - predicted) ** 2).sum()) / total if total else 0.0
    if outcome.classes is None:
        return Told(share, None, _chance_of_correlation(share, len(targets)))
    if targets.shape[1] == 1:
        guess = (predicted[:, 0] > 0.5).astype(np.float64)
    else:
        guess = predicted.argmax(axis=1).astype(np.float64)
    hits = int((guess == outcome.y).sum())
    return Told(share, hits / len(guess), _chance_of_hits(hits, guess, outcome))


def _look_up(column: Column, targets: Float, training: Bool) -> Float:
    """Predict the targets of the other rows from the training rows."""
    x, known = column.values, ~np.isnan(column.values)
    predicted = np.tile(targets[training].mean(axis=0), (int((~training).sum()), 1))
    empty = training & ~known
    if empty.any():
        predicted[~known[~training]] = targets[empty].mean(axis=0)
    learned, asked = training & known, ~training & known
    if not learned.any() or not asked.any():
        return predicted
    place = known[~training]
    if column.labels is None:
        values, means = _means_around(x[learned], targets[learned])
        for k in range(targets.shape[1]):
            predicted[place, k] = np.interp(x[asked], values, means[:, k])
        return predicted
    codes = x[learned].astype(np.intp)
    count = np.bincount(codes, minlength=len(column.labels))
    wanted = x[asked].astype(np.intp)
    seen = count[wanted] > 0
    rows = np.flatnonzero(place)[seen]
    for k in range(targets.shape[1]):
        total = np.bincount(codes, targets[learned, k], len(count))
        predicted[rows, k] = (total / np.maximum(count, 1))[wanted[seen]]
    return predicted


def _means_around(x: Float, targets: Float) -> tuple[Float, Float]:
    """The different values, and the mean targets of the rows around each."""
    order = np.argsort(x)
    x = x[order]
    sums = np.vstack([np.zeros(targets.shape[1]), np.cumsum(targets[order], axis=0)])
    first = np.flatnonzero(np.diff(x, prepend=np.nan) != 0)
    last = np.append(first[1:], len(x))
    lacking = np.maximum(0, _WINDOW - (last - first) + 1) // 2
    start, stop = np.maximum(first - lacking, 0), np.minimum(last + lacking, len(x))
    return x[first], (sums[stop] - sums[start]) / (stop - start)[:, None]


def _chance_of_hits(hits: int, guess: Float, outcome: Outcome) -> float:
    """The log probability of so many hits, if guesses and classes were shuffled."""
    assert outcome.classes is not None
    n_classes = len(outcome.classes)
    guessed, true = (
        np.bincount(codes.astype(np.intp), minlength=n_classes) / len(guess)
        for codes in (guess, outcome.y)
    )
    return float(binom.logsf(hits - 1, len(guess), float((guessed * true).sum())))


def _chance_of_correlation(share: float, n_rows: int) -> float:
    """The log probability of such a correlation between numbers that have none."""
    if n_rows < 5 or share <= 0:
        return 0.0
    z = atanh(min(sqrt(share), 1 - 1e-12)) * sqrt(n_rows - 3)
    return float(norm.logsf(z))


def group_means(groups: NDArray[np.intp], targets: Float) -> Float:
    """The mean targets of each row's group."""
    count = np.bincount(groups)
    return np.column_stack(
        [(np.bincount(groups, t) / np.maximum(count, 1))[groups] for t in targets.T]
    )
