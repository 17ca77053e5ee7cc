"""Votes that are fitted to rows again, but for those that are pinned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sorb._types import Bool, Float, Int
from sorb.learning.refit import Patterns, refit
from sorb.losses import Loss
from sorb.rules import Condition, Membership, RuleEnsemble
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.experience import ColumnExperience
from sorb.rules.field_checks import check_number
from sorb.rules.infinity import require_no_infinity
from sorb.rules.labels import Labels
from sorb.rules.scores import sum_votes
from sorb.tables.column_constraints import ANY_VOTE
from sorb.tables.column_experience import experience_of_categories, experience_of_numbers
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights, weight_unit

__all__ = ["FittingRows"]

# Two fits of the same votes differ by less: in the penalised losses, as a share of them or of those
# without rules, and in the votes, as a share of the largest.
MOST_LOSS, MOST_GAP = 1e-11, 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class FittingRows:
    """Rows with outcomes that votes are fitted to.

    Attributes
    ----------
    source : their columns.
    numbers : their numbers in the table.
    outcomes : their outcomes and weights.
    """

    source: ColumnSource
    numbers: Int
    outcomes: Outcomes
    _covered: dict[Condition, Bool]

    @classmethod
    def of(
        cls,
        ensemble: RuleEnsemble,
        columns: Sequence[str],
        X: TableLike,
        y: Any,
        sample_weight: Any,
        exposure: Any,
    ) -> FittingRows:
        """Check rows, which have the columns that conditions will need; leave out weight 0."""
        source = column_source(X, columns, ensemble.columns)
        weight = row_weights(sample_weight, source.n_rows)
        outcomes = Outcomes.of(ensemble, y, weight, exposure)
        kept = np.flatnonzero(outcomes.weight > 0)
        if len(kept) < len(weight):
            outcomes = outcomes.take(kept)
        labels = ensemble.classes
        if labels is not None and len(labels) > 1 and (outcomes.y == outcomes.y[:1]).all():
            raise ValueError(
                f"y holds only the class {labels[int(outcomes.y[0])]!r} in rows that count: votes "
                "cannot be fitted to a single class"
            )
        return cls(source, kept, outcomes, {})

    @property
    def loss(self) -> Loss:
        """The loss of the model."""
        return self.outcomes.loss

    def covered(self, condition: Condition) -> Bool:
        """Which rows a condition covers; refuses infinite numbers."""
        if condition not in self._covered:
            for part in condition.propositions:
                for name in () if isinstance(part, Membership) else part.columns:
                    require_no_infinity(self.source.take(name), name)
            covered = np.broadcast_to(condition.covers(self.source), self.source.n_rows)
            self._covered[condition] = covered[self.numbers]
        return self._covered[condition]

    def experience(self, name: str, of_categories: bool) -> ColumnExperience:
        """What a column holds in the rows."""
        if of_categories:
            labels = Labels.of(self.source.labels(name))
            codes = np.unique(labels.codes[self.numbers])
            known = [labels.values[code] for code in codes if code >= 0]
            return experience_of_categories(bool((codes < 0).any()), known)
        values = self.source.take(name)[self.numbers]
        ends = (float(end.reduce(values, initial=np.nan)) for end in (np.fmin, np.fmax))
        return experience_of_numbers(bool(np.isnan(values).any()), *ends)

    def scores(self, ensemble: RuleEnsemble) -> Float:
        """The scores of the rows."""
        covered = (self.covered(rule.condition) for rule in ensemble)
        return sum_votes(ensemble.offset, ensemble.rules, covered, len(self.numbers))

    def penalty(self, ensemble: RuleEnsemble, reg_lambda: float | None) -> float:
        """The penalty that is given, or the one that explains the votes of a model best.

        Where the sum of the losses plus λ·Σβ² is least, its derivatives g + 2λβ are zero.
        """
        if reg_lambda is not None:
            if check_number(reg_lambda, "reg_lambda") < 0:
                raise ValueError(f"reg_lambda must not be negative, found {reg_lambda}")
            return float(reg_lambda)
        votes = np.array([rule.vote for rule in ensemble])
        if not votes.any():
            return 1.0
        gradient = self.loss.gradient(self.outcomes.y, self.scores(ensemble))
        slopes = gradient[:, None] if gradient.ndim == 1 else gradient
        weighted = slopes * self.outcomes.weight[:, None]
        g = [weighted[self.covered(rule.condition), rule.output].sum() for rule in ensemble]
        return max(0.0, float(-(np.array(g) @ votes) / (2 * (votes @ votes))))

    def refit(self, ensemble: RuleEnsemble, pinned: Sequence[bool], penalty: float) -> RuleEnsemble:
        """Fit the offset and the votes that are not pinned."""
        y, weight = self.outcomes.y, self.outcomes.weight
        patterns = Patterns.without_rules(len(y), len(ensemble.offsets))
        for rule, stays in zip(ensemble, pinned, strict=True):
            votes = (rule.vote, rule.vote) if stays else ANY_VOTE
            patterns = patterns.split(self.covered(rule.condition), rule.output, votes)
        # Without the mean, squares lose fewer digits.
        shift = float(np.average(y, weights=weight)) if self.loss.centred else 0.0
        start = np.array(ensemble.offsets_and_votes)
        start[0] -= shift
        unit = weight_unit(weight, np.ones(len(y)))
        theta, _ = refit(self.loss, patterns, y - shift, weight / unit, penalty / unit, start)
        theta[0] += shift
        found = theta.tolist()
        k = len(ensemble.offsets)
        return ensemble.with_votes(found[:k] if k > 1 else found[0], found[k:])

    def confirms(
        self, fitted: RuleEnsemble, other: RuleEnsemble, pinned: Sequence[bool], penalty: float
    ) -> bool:
        """Whether other votes of the same rules are those that were fitted, but for rounding."""
        pairs = zip(fitted, other, pinned, strict=True)
        if any(stays and ours.vote != theirs.vote for ours, theirs, stays in pairs):
            return False
        gap = np.abs(_free_of_level(fitted) - _free_of_level(other)).max()
        if gap > MOST_GAP * np.abs(_free_of_level(fitted)).max():
            return False
        models = fitted, other, replace(fitted, rules=())
        least, found, without_rules = (self._objective(model, penalty) for model in models)
        return abs(found - least) <= MOST_LOSS * max(abs(least), abs(without_rules))

    def _objective(self, ensemble: RuleEnsemble, penalty: float) -> float:
        votes = np.array([rule.vote for rule in ensemble])
        losses = self.outcomes.risk(self.scores(ensemble)) * float(self.outcomes.weight.sum())
        return losses + penalty * float(votes @ votes)


def _free_of_level(ensemble: RuleEnsemble) -> Float:
    """Offsets and votes; the offsets of classes, which may be raised together, from their mean."""
    values = np.array(ensemble.offsets_and_votes)
    if (k := len(ensemble.offsets)) > 1:
        values[:k] -= values[:k].mean()
    return values
