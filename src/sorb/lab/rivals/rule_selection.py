"""Select a few of many rules: the supports of L1-penalised regression as the penalty falls."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from sorb._types import Bool, Float
from sorb.lab.rivals.rival import require_loss
from sorb.learning import separators
from sorb.learning.refit import Patterns, refit
from sorb.learning.rows import Rows
from sorb.losses import Logistic, Loss, Squared

_NEARLY_FREE = 1e-6  # an L2 penalty that only keeps logistic weights finite
_NOISE = 1e-9  # a smaller share of the largest gradient is rounding error


@dataclass(frozen=True, slots=True)
class Support:
    """The rules that have a weight at some L1 penalty.

    Attributes
    ----------
    rules : their indices.
    penalty : weights on exactly these rules minimise Σ loss + penalty·|weights|₁. Where rules are
        linearly dependent, others may do so as well. It is 0 if this number of rules is not on
        the path; then they were grown from the support before.
    """

    rules: tuple[int, ...]
    penalty: float


def supports(covered: Bool, rows: Rows, loss: Loss, most: int) -> list[Support]:
    """Choose one rule, two rules, and so on up to `most`, as long as another one helps.

    The offset is not penalised. Each support is the first on the path with its number of rules.
    Where the path skips a number, or ends, the previous support grows by the rule with the largest
    gradient after a refit without the L1 penalty.

    Parameters
    ----------
    covered : whether each rule (second axis) covers each row (first axis).
    rows : the outcomes and weights of the rows.
    loss : squared or logistic.
    most : the largest number of rules.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.losses import Squared
    >>> x = np.arange(8.0)
    >>> y = 2.0 * (x >= 3) + (x >= 6)
    >>> rows = Rows.from_table(x[:, None], y, np.ones(8), ("x",), centred=True)
    >>> covered = rows.X[rows.origin] >= [1.0, 3.0, 6.0]
    >>> [support.rules for support in supports(covered, rows, Squared(), 3)]
    [(1,), (1, 2)]
    """
    if not covered.shape[1]:
        return []
    require_loss("the selection of rules", loss, _LASSOS)
    follow, free = _LASSOS[loss]
    found: dict[int, Support] = {}
    for support in follow(covered, rows, most):
        if len(support.rules) > max(found, default=0):
            found[len(support.rules)] = support
    chosen = [Support((), np.inf)]
    while len(chosen) <= most:
        larger = found.get(len(chosen)) or _grow(chosen[-1], covered, rows, loss, free)
        if larger is None:
            break
        chosen.append(larger)
    return chosen[1:]


def _logistic_path(covered: Bool, rows: Rows, most: int) -> Iterator[Support]:
    Z = covered.astype(np.float32, order="F")  # exact, with half the memory traffic
    # Rules that tie enter together, and some leave again: look a little further.
    for separator in separators.path(Z, 2 * rows.y - 1, rows.weight, most + 2):
        yield Support(tuple(separator.support), separator.penalty)


def _lasso_path(covered: Bool, rows: Rows, most: int) -> Iterator[Support]:
    """Follow the path until `most` rules have a weight.

    Centring the columns frees the offset, and a weight of k multiplies a row by √k. Outcomes are
    divided by their spread, because the path ends at a fixed absolute penalty.
    """
    length = np.sqrt(rows.weight)
    Z = (covered - np.average(covered, axis=0, weights=rows.weight)) * length[:, None]
    y = (rows.y - np.average(rows.y, weights=rows.weight)) * length
    spread = y.std()
    y /= spread
    steps = most
    penalties, weights = _segments(Z, y, steps)
    while len(penalties) == steps and np.count_nonzero(weights, axis=0).max() < most:
        steps *= 2
        penalties, weights = _segments(Z, y, steps)
    for penalty, column in zip(spread * penalties, weights.T, strict=True):
        yield Support(tuple(np.flatnonzero(column).tolist()), float(penalty))


def _segments(Z: Float, y: Float, steps: int) -> tuple[Float, Float]:
    """Return penalty and weights (rules × segments) at the middle of each segment of the path.

    Within a segment the same rules have a weight, and it is linear in the penalty.
    """
    with warnings.catch_warnings():
        # A rule that is a combination of others is dropped, as it should be.
        warnings.simplefilter("ignore", ConvergenceWarning)
        penalties, _, weights = lars_path(Z, y, method="lasso", max_iter=steps)
    middle = len(y) * (penalties[:-1] + penalties[1:]) / 2
    return middle, (weights[:, :-1] + weights[:, 1:]) / 2


def _grow(support: Support, covered: Bool, rows: Rows, loss: Loss, free: float) -> Support | None:
    """Add the rule with the largest gradient, unless that is only rounding error."""
    patterns = patterns_of(covered[:, support.rules])
    start = np.zeros(1 + len(support.rules))
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
    """Return the absolute derivative of the loss by the weight of each rule."""
    return np.abs((rows.weight * (mean - rows.y)) @ covered)


def patterns_of(covered: Bool) -> Patterns:
    """Group the rows by the rules that cover them."""
    patterns = Patterns.without_rules(len(covered), 1)
    for column in covered.T:
        patterns = patterns.split(column, 0)
    return patterns


# How the path is followed for a loss, and the L2 penalty with which its votes are refitted.
_LASSOS: dict[Loss, tuple[Callable[[Bool, Rows, int], Iterator[Support]], float]] = {
    Squared(): (_lasso_path, 0.0),
    Logistic(): (_logistic_path, _NEARLY_FREE),
}
