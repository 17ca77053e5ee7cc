"""A few of many rules: the supports of L1-penalised regression as its penalty falls."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from sorb._types import Bool, Float
from sorb.learning import separators as sparse_logistic
from sorb.learning.refit import Patterns, refit
from sorb.learning.rows import Rows
from sorb.losses import Loss

_NEARLY_FREE = 1e-6  # an L2 penalty that only keeps logistic weights finite
_NOISE = 1e-9  # share of the largest gradient below which there is only rounding


@dataclass(frozen=True, slots=True)
class Support:
    """The rules that have a weight at some L1 penalty.

    Attributes
    ----------
    rules : their numbers.
    penalty : minimising Σ loss + penalty·|weights|₁ gives weight to these rules alone. It is 0
        where no penalty does so for this number of rules; then they were grown.
    """

    rules: tuple[int, ...]
    penalty: float


def supports(covered: Bool, rows: Rows, loss: Loss, most: int) -> list[Support]:
    """Choose one rule, two rules, … and so on up to `most`, as long as any helps.

    The offset is free. For each number of rules it is the first support on the path that has so
    many. Where the path goes on to more rules at once, or ends, the support before it grows by the
    rule of the largest gradient after a refit without L1 penalty.

    Parameters
    ----------
    covered : for each row (first axis) whether each rule (second axis) holds.
    rows : the outcomes and weights of the rows.
    loss : squared or logistic.
    most : the largest number of rules.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.losses import LOSSES
    >>> x = np.arange(8.0)
    >>> y = 2.0 * (x >= 3) + (x >= 6)
    >>> rows = Rows.from_table(x[:, None], y, np.ones(8), ("x",), centred=True)
    >>> covered = rows.X[rows.origin] >= [1.0, 3.0, 6.0]
    >>> [support.rules for support in supports(covered, rows, LOSSES["squared"], 3)]
    [(1,), (1, 2)]
    """
    if not covered.shape[1]:
        return []
    follow = _lasso_path if loss.name == "squared" else _logistic_path
    found: dict[int, Support] = {}
    for support in follow(covered, rows, most):
        if len(support.rules) > max(found, default=0):
            found[len(support.rules)] = support
    chosen = [Support((), np.inf)]
    while len(chosen) <= most:
        larger = found.get(len(chosen)) or _grown(chosen[-1], covered, rows, loss)
        if larger is None:
            break
        chosen.append(larger)
    return chosen[1:]


def _logistic_path(covered: Bool, rows: Rows, most: int) -> Iterator[Support]:
    Z = covered.astype(np.float32, order="F")  # exact, and half the memory to run through
    # Rules that are equally good come at once, and some go again: look a little beyond.
    for separator in sparse_logistic.path(Z, 2 * rows.y - 1, rows.weight, most + 2):
        yield Support(tuple(separator.support), separator.penalty)


def _lasso_path(covered: Bool, rows: Rows, most: int) -> Iterator[Support]:
    """Follow the path until it holds `most` rules.

    A free offset means centred columns, and a weight of k is a row √k times as long. Outcomes are
    divided by their spread, since the path is followed down to a penalty of fixed size.
    """
    length = np.sqrt(rows.weight)
    Z = (covered - np.average(covered, axis=0, weights=rows.weight)) * length[:, None]
    y = (rows.y - np.average(rows.y, weights=rows.weight)) * length
    spread = y.std()
    y /= spread
    steps = most
    penalties, weights = _stretches(Z, y, steps)
    while len(penalties) == steps and np.count_nonzero(weights, axis=0).max() < most:
        steps *= 2
        penalties, weights = _stretches(Z, y, steps)
    for penalty, column in zip(spread * penalties, weights.T, strict=True):
        yield Support(tuple(np.flatnonzero(column).tolist()), float(penalty))


def _stretches(Z: Float, y: Float, steps: int) -> tuple[Float, Float]:
    """Give the middle of each stretch of the path: the penalty, and the weights (rules × steps).

    On a stretch the same rules have a weight, which is linear in the penalty.
    """
    with warnings.catch_warnings():
        # A rule that others add up to is left out, as it should be.
        warnings.simplefilter("ignore", ConvergenceWarning)
        penalties, _, weights = lars_path(Z, y, method="lasso", max_iter=steps)
    middle = len(y) * (penalties[:-1] + penalties[1:]) / 2
    return middle, (weights[:, :-1] + weights[:, 1:]) / 2


def _grown(support: Support, covered: Bool, rows: Rows, loss: Loss) -> Support | None:
    """Add the rule of the largest gradient, if there is any that is more than rounding."""
    patterns = fired(covered[:, support.rules])
    start = np.zeros(1 + len(support.rules))
    free = 0.0 if loss.name == "squared" else _NEARLY_FREE
    theta, _ = refit(loss, patterns, rows.y, rows.weight, free, start)
    mean = loss.mean(patterns.scores(theta)[patterns.index, 0])
    at_first = _gradients(covered, rows, np.average(rows.y, weights=rows.weight))
    gradients = _gradients(covered, rows, mean)
    gradients[list(support.rules)] = 0
    best = int(gradients.argmax())
    if gradients[best] <= _NOISE * at_first.max():
        return None
    return Support((*support.rules, best), 0.0)


def _gradients(covered: Bool, rows: Rows, mean: Float | np.floating) -> Float:
    """Give the size of the derivative of the loss with respect to the weight of each rule."""
    return np.abs((rows.weight * (mean - rows.y)) @ covered)


def fired(covered: Bool) -> Patterns:
    """Tell which rules fire together on which rows."""
    patterns = Patterns.without_rules(len(covered), 1)
    for column in covered.T:
        patterns = patterns.split(column, 0)
    return patterns
