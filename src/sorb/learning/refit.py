"""The corrective refit of all votes.

Rows that are covered by the same rules are alike to the refit. They are one pattern, with the sums
of their weights and outcomes, and there are far fewer patterns than rows. That is enough for every
loss that is linear in the outcome: rows with the same score f have the loss a(f)·Σw − b(f)·Σwy,
plus what no vote can change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sorb import _kernels
from sorb._types import Bool, Float
from sorb.losses import Loss


@dataclass(frozen=True, slots=True)
class Patterns:
    """Which rules cover rows together: the pattern of each row, and the rules of each pattern.

    Examples
    --------
    >>> import numpy as np
    >>> patterns = Patterns.without_rules(4, 1).split(np.array([True, True, False, False]), 0)
    >>> patterns.split(np.array([True, False, False, False]), 0).table
    array([[0, 0],
           [1, 0],
           [1, 1]], dtype=uint8)
    """

    index: NDArray[np.int32]
    table: NDArray[np.uint8]
    outputs: NDArray[np.int32]
    n_outputs: int

    @classmethod
    def without_rules(cls, n_rows: int, n_outputs: int) -> Patterns:
        """One pattern that all rows share."""
        return cls(
            np.zeros(n_rows, dtype=np.int32),
            np.zeros((1, 0), dtype=np.uint8),
            np.zeros(0, dtype=np.int32),
            n_outputs,
        )

    def split(self, covered: Bool, output: int) -> Patterns:
        """The patterns after adding a rule that covers the given rows and votes for an output."""
        index, table = _kernels.divide_patterns(self.index, self.table, covered)
        outputs = np.append(self.outputs, np.int32(output))
        return Patterns(index, table, outputs, self.n_outputs)

    def scores(self, theta: Float) -> Float:
        """The score of each pattern for each output; theta holds the offsets, then the votes."""
        return _kernels.pattern_scores(self.table, self.outputs, self.n_outputs, theta)

    def sums(self, y: Float, weight: Float) -> tuple[Float, Float]:
        """For each pattern the sum of the weights, and of the outcomes (P × outputs)."""
        return _kernels.pattern_sums(self.index, len(self.table), self.n_outputs, weight, y)


def refit(
    loss: Loss, patterns: Patterns, y: Float, weight: Float, reg_lambda: float, start: Float
) -> tuple[Float, float]:
    """Minimise the sum of losses + reg_lambda·|votes|²; offsets are not penalised.

    The votes are as exact as the objective can tell. With S the sum of the absolute values of its
    terms, each derivative is at most 1e-7·√(S·C), where C is the second derivative in the same
    direction: changing one vote alone could lower the objective by 1e-14·S at most. For classes,
    whose S and C vanish where rules tell them apart completely, it may also be up to 1e-7·Σw.

    Returns
    -------
    theta : the offsets, then the votes.
    risk : the mean loss of the rows at theta, without the penalty.
    """
    total, outcome = patterns.sums(y, weight)
    theta, losses = _kernels.refit_votes(
        loss.kernel, patterns.table, patterns.outputs, total, outcome, reg_lambda, start
    )
    # The kernels leave out the constant.
    return theta, losses / float(weight.sum()) + loss.mean_constant(y, weight)


def validation_risks(
    loss: Loss,
    patterns: Patterns,
    y: Float,
    training: Float,
    validation: Float,
    reg_lambda: float,
    theta: Float,
    rules: list[tuple[Bool, int]],
) -> tuple[float, Float]:
    """The validation risk of the old rules, and after adding each rule (covered, output) to them.

    All votes are refitted on the training rows, starting from theta, with and without the rule.
    """
    losses = _kernels.validation_losses(
        loss.kernel,
        patterns.table,
        patterns.outputs,
        patterns.n_outputs,
        patterns.index,
        [covered for covered, _ in rules],
        [output for _, output in rules],
        training,
        validation,
        y,
        reg_lambda,
        theta,
    )
    risks = np.array(losses) / float(validation.sum()) + loss.mean_constant(y, validation)
    return float(risks[0]), risks[1:]
