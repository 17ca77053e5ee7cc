"""Rules of two models that decide alike, whatever they are made of.

A rule and its opposite, with the opposite vote, decide alike: the offset makes up for the
difference. How alike two rules are is the correlation of what they say of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.optimize import linear_sum_assignment

from sorb._types import Bool, Float
from sorb.rules import (
    AnyProposition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.rules.columns import ColumnSource

__all__ = ["ALIKE", "Match", "Matcher"]

# From this correlation on, rules count as alike: if one covers a fifth of the rows, the other may
# cover up to 28 % of them, and all of those.
ALIKE = 0.8
# What sums of shares lose.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that decides as another one does.

    Attributes
    ----------
    vote : its vote, for what the other rule says.
    same_columns : whether both ask about the same columns.
    thresholds : for each proposition of the other rule, the threshold at which it would be true of
        as many rows as the one with the same columns is here, as it is printed; of one column, its
        threshold. None if there is none, or it has no threshold.
    """

    vote: float
    same_columns: bool
    thresholds: tuple[float | None, ...]


class Matcher:
    """Looks for the rules of a model in other models.

    Parameters
    ----------
    ensemble : the model.
    source : the rows on which rules are compared.
    weight : their weights.
    """

    def __init__(self, ensemble: RuleEnsemble, source: ColumnSource, weight: Float) -> None:
        self.ensemble = ensemble
        self._source = source
        self._share = weight / weight.sum()
        self._covered = self._covers_all(ensemble)
        self._quantity = cache(lambda part: part.quantity(source))

    def find(self, other: RuleEnsemble) -> list[Match | None]:
        """For each rule, the one that decides alike; None if there is none."""
        if not len(self.ensemble) or not len(other):
            return [None] * len(self.ensemble)
        alike = _correlations(self._covered, self._covers_all(other), self._share)
        alike *= np.outer(_signs(self.ensemble), _signs(other))
        outputs = [[rule.output for rule in model] for model in (self.ensemble, other)]
        alike[~np.equal.outer(*outputs)] = 0.0
        found: list[Match | None] = [None] * len(self.ensemble)
        # Each rule of the other model stands for one of ours at most.
        for ours, theirs in zip(*linear_sum_assignment(-alike * (alike >= ALIKE)), strict=True):
            if alike[ours, theirs] >= ALIKE:
                found[ours] = self._match(self.ensemble[int(ours)], other[int(theirs)])
        return found

    def _covers_all(self, ensemble: RuleEnsemble) -> Bool:
        covered = [rule.condition.covers(self._source) for rule in ensemble]
        return np.array(covered, dtype=np.bool_).reshape(len(ensemble), self._source.n_rows)

    def _match(self, rule: Rule, other: Rule) -> Match:
        return Match(
            abs(other.vote) * (1.0 if rule.vote >= 0 else -1.0),
            set(rule.condition.columns) == set(other.condition.columns),
            tuple(self._threshold(part, other) for part in rule.condition.propositions),
        )

    def _threshold(self, part: AnyProposition, other: Rule) -> float | None:
        if isinstance(part, Membership):
            return None
        same = [
            found
            for found in other.condition.propositions
            if set(found.columns) == set(part.columns)
        ]
        if len(same) != 1 or isinstance(same[0], Membership):
            return None
        if isinstance(part, Proposition) and len(part.columns) == 1:
            assert isinstance(same[0], Proposition)
            return same[0].threshold / same[0].weights[0]
        value = self._quantity(part)
        known = np.flatnonzero(~np.isnan(value))
        value, share = value[known], self._share[known]
        ours, theirs = (each.covers(self._source)[known] for each in (part, same[0]))
        if _correlations(ours[None], theirs[None], share / share.sum())[0, 0] < 0:
            theirs = ~theirs
        passing = float(share @ theirs) / float(share.sum())
        at_most = isinstance(part, Product) and part.at_most
        q = passing if at_most else 1 - passing
        return _quantile(value, share, q, part.threshold) / part.printed_unit


def _correlations(ours: Bool, theirs: Bool, share: Float) -> Float:
    """The correlation of each row of one table with each row of the other."""
    p, q = ours @ share, theirs @ share
    joint = (ours * share) @ theirs.T.astype(np.float64)
    ours_vary, theirs_vary = p * (1 - p), q * (1 - q)
    # A rule that covers all rows, or none, is like no other. The sum of all shares may exceed 1.
    known = np.logical_and.outer(ours_vary > ROUNDING, theirs_vary > ROUNDING)
    spread = np.sqrt(np.where(known, np.outer(ours_vary, theirs_vary), 1.0))
    return np.where(known, (joint - np.outer(p, q)) / spread, 0.0)


def _signs(ensemble: RuleEnsemble) -> Float:
    return np.array([1.0 if rule.vote >= 0 else -1.0 for rule in ensemble])


def _quantile(values: Float, share: Float, q: float, near: float) -> float:
    """The value that a share q of the weight is below; in a gap, what is nearest to another one."""
    order = np.argsort(values)
    values, below = values[order], np.cumsum(share[order]) / share.sum()
    place = min(int(np.searchsorted(below, q - ROUNDING)), len(values) - 1)
    if below[place] > q + ROUNDING or place + 1 == len(values):
        return float(values[place])
    return float(np.clip(near, np.nextafter(values[place], np.inf), values[place + 1]))
