"""The corrective refit of all votes.

Rows that are covered by the same rules are alike to the refit. They are one pattern, with the sums
of their weights and outcomes, and there are far fewer patterns than rows. That is enough for every
loss that is linear in the outcome: rows with the same score f have the loss a(f)·Σw − b(f)·Σwy,
plus what no vote can change.

Examples
--------
>>> import numpy as np
>>> patterns = Patterns.without_rules(4, 1).split(np.array([True, True, False, False]), 0)
>>> patterns.split(np.array([True, False, False, False]), 0).table
array([[0, 0],
       [1, 0],
       [1, 1]], dtype=uint8)
"""

from __future__ import annotations

import numpy as np

from sorb import _kernels
from sorb._kernels import Patterns
from sorb._types import Bool, Float
from sorb.losses import Loss
from sorb.tables.column_constraints import VoteRange

__all__ = ["Patterns", "refit", "validation_risks"]


def refit(
    loss: Loss, patterns: Patterns, y: Float, weight: Float, reg_lambda: float, start: Float
) -> tuple[Float, float]:
    """Minimise the sum of losses + reg_lambda·|votes|²; offsets are not penalised.

    Each vote stays in the range that the patterns have for it. The votes are as exact as the
    objective can tell. With S the sum of the absolute values of its terms, each derivative is at
    most 1e-7·√(S·C), where C is the second derivative in the same direction: changing one vote
    alone could lower the objective by 1e-14·S at most. At an end of its range, the derivative of a
    vote may be larger if it leads beyond. For classes, whose S and C vanish where rules tell them
    apart completely, it may also be up to 1e-7·Σw.

    Returns
    -------
    theta : the offsets, then the votes.
    losses : the sum of the losses at theta, without the penalty and without what no vote can
        change.
    """
    return _kernels.refit_votes(loss.kernel, patterns, y, weight, reg_lambda, start)


def validation_risks(
    loss: Loss,
    patterns: Patterns,
    y: Float,
    training: Float,
    validation: Float,
    reg_lambda: float,
    theta: Float,
    rules: list[tuple[Bool, int, VoteRange]],
    n_threads: int = 1,
) -> tuple[float, Float]:
    """The validation risk of the old rules, and after adding each rule to them.

    A rule is given by the rows that it covers, its output, and the range of its vote. All votes are
    refitted on the training rows, starting from theta, with and without the rule.
    """
    losses, _ = _kernels.validation_losses(
        loss.kernel, patterns, y, training, validation, reg_lambda, theta, rules, n_threads
    )
    risks = np.array(losses) / float(validation.sum()) + loss.mean_constant(y, validation)
    return float(risks[0]), risks[1:]
