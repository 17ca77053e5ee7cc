"""What is told of a model that was learned again from other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sorb.measures.table import align
from sorb.rules import notation

__all__ = ["RuleStability", "Spread", "Stability"]

# The interval that is told of votes and thresholds.
LOWER, UPPER = 0.05, 0.95


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some values, and the interval that holds 90 % of them."""

    median: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Describe values, at least one."""
        return cls(*(float(value) for value in np.quantile(values, (0.5, LOWER, UPPER))))


@dataclass(frozen=True, slots=True)
class RuleStability:
    """How often a rule was found again.

    Attributes
    ----------
    rule : str
        The rule with its vote.
    found : float
        The share of the resamples in whose models some rule decides alike: its correlation with
        the rule over all rows is at least 0.8, and its vote has the same direction.
    same_columns : float
        The share in which that rule also asks about the same columns.
    vote : Spread or None
        The votes of the rules that decide alike: how much they vary, not a confidence interval.
    thresholds : tuple of (str, Spread or None)
        Each proposition, with the thresholds of those with the same columns, as they are printed.
        They are at the quantiles where as many rows pass, so that weights need not be the same.
    """

    rule: str
    found: float
    same_columns: float
    vote: Spread | None
    thresholds: tuple[tuple[str, Spread | None], ...]


@dataclass(frozen=True, slots=True)
class Stability:
    """How much of a model depends on which rows it was learned from.

    Attributes
    ----------
    rules : tuple of RuleStability
        The rules of the model, in their order.
    n_resamples : int
        The number of resamples that it was learned again from.
    n_rows : int
        The number of rows.
    agreement : float
        On average over the resamples: the share of rows that are assigned the same class, or the
        correlation of the predicted numbers.
    spread : float
        By how much predictions change from one resample to the other: the standard deviation of
        the probability of the second class (of any class, if there are more) or of the predicted
        number, on average over the rows.
    complexity : Spread
        The complexity of the models.
    has_classes : bool
        Whether classes are predicted.
    """

    rules: tuple[RuleStability, ...]
    n_resamples: int
    n_rows: int
    agreement: float
    spread: float
    complexity: Spread
    has_classes: bool

    @property
    def words(self) -> str:
        """Say how much predictions change."""
        spread = notation.number(self.spread, 2)
        if self.has_classes:
            share = notation.number(100 * self.agreement, 3)
            return (
                f"On average {share} % of the rows get the same class, and a probability changes "
                f"by {spread} (standard deviation)."
            )
        return (
            f"On average the correlation with the predictions of the model is "
            f"{notation.number(self.agreement, 3)}, and a prediction changes by {spread} "
            "(standard deviation)."
        )

    def __str__(self) -> str:
        rows = notation.count(self.n_rows, "row")
        title = (
            f"Learned again from {self.n_resamples} resamples of {rows}, with a complexity of "
            f"{_interval(self.complexity)}:"
        )
        if not self.rules:
            return f"{title}\n{self.words}"
        parts = [title, _table(self.rules), _thresholds(self.rules), self.words]
        return "\n\n".join(filter(None, parts))

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        return asdict(self)


def _table(rules: Sequence[RuleStability]) -> str:
    head = ["found", "same columns", "90 % of votes"]
    cells = align([head, *map(_cells, rules)]).splitlines()
    width = len(cells[0])
    texts = ["rule", *(rule.rule for rule in rules)]
    return "\n".join(f"{c:<{width}}  {text}" for c, text in zip(cells, texts, strict=True))


def _cells(found: RuleStability) -> list[str]:
    shares = (f"{100 * share:.0f} %" for share in (found.found, found.same_columns))
    return [*shares, _interval(found.vote, signed=True)]


def _interval(spread: Spread | None, signed: bool = False) -> str:
    """Write a range; only one number if its ends read the same.

    Examples
    --------
    >>> _interval(Spread(1.2, 1.0, 1.4)), _interval(Spread(991.0, 991.0, 991.0))
    ('1 to 1.4', '991')
    """
    if spread is None:
        return "–"
    write = notation.signed if signed else notation.number
    return " to ".join(dict.fromkeys(write(end, 3) for end in (spread.lower, spread.upper)))


def _thresholds(rules: Sequence[RuleStability]) -> str:
    known = [
        f"{text}: {_interval(spread)}"
        for text, spread in dict.fromkeys(pair for rule in rules for pair in rule.thresholds)
        if spread is not None
    ]
    return "\n".join(
        ["90 % of the thresholds, of conditions on the same columns:", *known] if known else []
    )
