"""The number that the rules of an explanation raise and lower, and how it is written."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sorb._types import Float
from sorb.losses import Loss, Readout
from sorb.rules import notation

if TYPE_CHECKING:
    from sorb.explanation.explanation import RowExplanation

__all__ = ["ExplainedQuantity", "amount", "factor", "percent"]

DIGITS = 3
LEAST, MOST = 1e-4, 1 - 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedQuantity:
    """The expected outcome of one row as one number; of several classes, the most probable one's.

    Attributes
    ----------
    name : str
        Such as "the probability of ill".
    start, end : float
        What is expected without rules, and with those that cover the row.
    added : ndarray of shape (rules,)
        What each rule adds.
    answer : str
        The class that the model predicts, if there are classes.
    """

    name: str
    start: float
    end: float
    added: Float
    answer: str = ""

    @classmethod
    def of(cls, row: RowExplanation) -> ExplainedQuantity:
        """Find the quantity that an explanation of a row is about."""
        ensemble, outcome = row.ensemble, row.expected
        labels = [notation.label(value) for value in ensemble.classes or ()]
        if isinstance(outcome.offset, np.ndarray):
            likeliest = int(np.argmax(row.total))
            answer = labels[likeliest]
            start, end = float(outcome.offset[likeliest]), float(outcome.total()[likeliest])
            added = outcome.contributions[:, likeliest]
            return cls(f"the probability of {answer}", start, end, added, answer)
        name = f"the {ensemble.outcome_words()}"
        answer = labels[int(row.total > 0)] if len(labels) == 2 else ""
        return cls(name, outcome.offset, float(outcome.total()), outcome.contributions, answer)


def amount(loss: Loss, value: float) -> str:
    """Write an expected outcome.

    Examples
    --------
    >>> from sorb.losses import Logistic, Poisson
    >>> amount(Logistic(), 0.25), amount(Poisson(), 0.25)
    ('25 %', '0.25')
    """
    return loss.by_readout(AMOUNTS, "explained")(value)


def factor(vote: float) -> str:
    """Write what a vote multiplies an expected outcome by, if that is the exponential of the score.

    Examples
    --------
    >>> factor(0.5), factor(1000.0)
    ('1.65', 'inf')
    """
    with np.errstate(over="ignore"):
        return notation.number(float(np.exp(vote)), DIGITS)


def percent(share: float) -> str:
    """Write a probability so that neither it nor its complement is rounded to 0.

    Examples
    --------
    >>> [percent(share) for share in (0.5, 0.0487, 0.99871, 1.0)]
    ['50 %', '4.9 %', '99.87 %', 'more than 99.99 %']
    """
    if share < LEAST:
        return "less than 0.01 %"
    if share > MOST:
        return "more than 99.99 %"
    # Two significant digits of whichever is smaller.
    decimals = max(0, 1 - math.floor(math.log10(100 * min(share, 1 - share))))
    return f"{notation.number(round(100 * float(share), decimals), None)} %"


def _number(value: float) -> str:
    return notation.number(value, DIGITS)


AMOUNTS: dict[Readout, Callable[[float], str]] = {
    Readout.IDENTITY: _number,
    Readout.EXPONENTIAL: _number,
    Readout.SIGMOID: percent,
    Readout.SOFTMAX: percent,
}
