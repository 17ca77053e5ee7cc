"""Simplification: the same model in fewer digits, with a certificate of what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Any

import numpy as np

from sorb._types import Bool, Float, Index
from sorb.rules import Rule, RuleEnsemble, rule_lines
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.field_checks import check_natural, check_number
from sorb.rules.labels import Labels
from sorb.rules.prediction import predicted_indices
from sorb.rules.scores import sum_votes
from sorb.simplify.certificate import Certificate, PropositionChange, VoteChange
from sorb.simplify.row_sides import RowSides
from sorb.simplify.shorten_conditions import shorten_condition
from sorb.simplify.shorten_votes import Criterion, shorten_votes
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["Simplified", "simplify"]


@dataclass(frozen=True, slots=True, repr=False)
class Simplified:
    """A simplified model, and the certificate of what changed.

    It prints the model in all digits, and the summary of the certificate.

    Attributes
    ----------
    ensemble : RuleEnsemble
        The model.
    certificate : Certificate
        What changed, and which rows changed side, if any.
    """

    ensemble: RuleEnsemble
    certificate: Certificate

    def __repr__(self) -> str:
        before, after = self.certificate.digits_before, self.certificate.digits_after
        return f"<Simplified model of {len(self.ensemble)} rules: {before} digits became {after}>"

    def __str__(self) -> str:
        return f"{self.ensemble.format(None)}\n\n{self.certificate.summary}"

    def _repr_html_(self) -> str:
        rules = rule_lines.html_table(self.ensemble.lines(None), self.ensemble.caption(), None)
        return f"{rules}\n<p>{escape(' '.join(self.certificate.summary.splitlines()))}</p>"


def simplify(
    ensemble: RuleEnsemble,
    X: TableLike,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    changed_rows: int = 0,
    vote_loss: float = 0.001,
) -> Simplified:
    """Write a model in few digits, so that no row changes class, or side in any proposition.

    A threshold moves to the roundest number in the gap between the rows on its two sides: the one
    with the fewest significant digits, and among equals the one nearest to the middle. In an
    oblique proposition the weights are scaled so that the largest is 1, and rounded together with
    the threshold. Whole powers of a product stay; fractional ones are scaled until one of them is
    1, then rounded likewise. Categories stay, and so does the side of missing values. The search is
    greedy, so even fewer digits may be possible; that no row changes side is checked on all rows,
    including those exactly on a boundary, with the arithmetic of the model. A proposition for which
    nothing shorter is found stays as it is. Votes and offset are rounded as far as `vote_loss`
    allows while every row keeps its class.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow
        The rows that must not change side, as the model takes them.
    y : sequence, optional
        The outcomes of the rows: numbers, or labels of classes.
    sample_weight : sequence of float, optional
        Weights of the rows, finite and non-negative. A row of weight 0 does not count.
    exposure : sequence of float, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    changed_rows : int, default=0
        How many rows may change side in each proposition, and how many may change class when
        the votes and the offset are rounded.
    vote_loss : float, default=0.001
        How much rounding the votes and the offset may cost: with `y`, the largest rise of the
        risk, as a share of it; without `y`, the largest change of a score, as a share of the range
        of the scores. With 0 they stay as they are.

    Returns
    -------
    Simplified
        The model and its certificate.

    Notes
    -----
    If `changed_rows` is 0, simplifying the result again leaves its conditions as they are. Its
    votes may get shorter, because each call allows another `vote_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.123),)), 1.8234)
    >>> ensemble = RuleEnsemble(-2.9713, (old,), ("age",), "logistic")
    >>> simplified = simplify(ensemble, np.array([[38.2], [41.7], [64.0]]), vote_loss=0.05)
    >>> print(simplified)
    −3    always
    +1.8  if  age ≥ 40
    <BLANKLINE>
    Rounding the numbers changes whether a condition is met for none of the 3 rows.
    15 significant digits became 4.
    The largest change of a score is 0.0521.
    Rows that are assigned another class: none.
    """
    changes = check_natural(changed_rows, "changed_rows")
    if check_number(vote_loss, "vote_loss") < 0:
        raise ValueError(f"vote_loss must not be negative, found {vote_loss}")
    if exposure is not None and y is None:
        raise ValueError("exposure needs y: only the loss depends on it")
    rows = _Rows.of(ensemble, X, y, sample_weight, exposure)
    shorter = replace(ensemble, rules=tuple(_shorten_rules(ensemble, rows.source, changes)))
    if vote_loss > 0:
        shorter = shorten_votes(shorter, _criterion(shorter, rows, vote_loss, changes))
    return Simplified(shorter, _certificate(ensemble, shorter, rows))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of positive weight, their numbers in the table, and their outcomes if known."""

    source: ColumnSource
    numbers: Index
    outcomes: Outcomes | None

    @classmethod
    def of(
        cls, ensemble: RuleEnsemble, X: TableLike, y: Any, sample_weight: Any, exposure: Any
    ) -> _Rows:
        source = column_source(X, ensemble.used_columns, ensemble.columns)
        weight = row_weights(sample_weight, source.n_rows)
        outcomes = None if y is None else Outcomes.of(ensemble, y, weight, exposure)
        numbers = np.flatnonzero(weight)
        if outcomes is not None:
            outcomes = outcomes.take(numbers)
        return cls(_select_rows(source, numbers), numbers, outcomes)

    def covered_by(self, ensemble: RuleEnsemble) -> list[Bool]:
        """Tell for each rule which rows it covers."""
        return [rule.condition.covers(self.source) for rule in ensemble]

    def scores(self, ensemble: RuleEnsemble, covered: Sequence[Bool]) -> Float:
        """Give the scores of an ensemble, given for each rule the rows that it covers."""
        return sum_votes(ensemble.offset, ensemble.rules, covered, len(self.numbers))


def _select_rows(source: ColumnSource, numbers: Index) -> ColumnSource:
    """Give some rows of a table."""
    return ColumnSource(
        cache(lambda name: source.take(name)[numbers]),
        cache(lambda name: Labels.of(source.labels(name)).at(numbers)),
        len(numbers),
    )


def _shorten_rules(ensemble: RuleEnsemble, source: ColumnSource, changes: int) -> Iterator[Rule]:
    for rule in ensemble:
        sides = [RowSides.of(p, source, changes) for p in rule.condition.propositions]
        yield replace(rule, condition=shorten_condition(rule.condition, sides))


def _criterion(exact: RuleEnsemble, rows: _Rows, share: float, changes: int) -> Criterion:
    """Say which votes are close enough to those of an ensemble with the same conditions."""
    covered = rows.covered_by(exact)
    before = rows.scores(exact, covered)
    outcomes = rows.outcomes
    # The difference of halves does not overflow.
    allowed = (
        2 * share * float(np.ptp(before / 2))
        if outcomes is None
        else outcomes.risk(before) * (1 + share)
    )

    def acceptable(found: RuleEnsemble) -> bool:
        after = rows.scores(found, covered)
        cost = _largest_change(before, after) if outcomes is None else outcomes.risk(after)
        return cost <= allowed and (_changed_classes(exact, before, after) or 0) <= changes

    return acceptable


def _largest_change(before: Float, after: Float) -> float:
    return float(np.abs(after - before).max())


def _certificate(before: RuleEnsemble, after: RuleEnsemble, rows: _Rows) -> Certificate:
    scores_before = rows.scores(before, rows.covered_by(before))
    scores_after = rows.scores(after, rows.covered_by(after))
    outcomes = rows.outcomes
    return Certificate(
        n_rows=len(rows.numbers),
        propositions=tuple(_proposition_changes(before, after, rows)),
        votes=tuple(_vote_changes(before, after)),
        largest_change=_largest_change(scores_before, scores_after),
        loss=before.loss,
        risk_before=None if outcomes is None else outcomes.risk(scores_before),
        risk_after=None if outcomes is None else outcomes.risk(scores_after),
        changed_classes=_changed_classes(before, scores_before, scores_after),
    )


def _changed_classes(ensemble: RuleEnsemble, before: Float, after: Float) -> int | None:
    if not ensemble.loss.has_classes:
        return None
    classes = ensemble.classes
    return int((predicted_indices(classes, before) != predicted_indices(classes, after)).sum())


def _vote_changes(before: RuleEnsemble, after: RuleEnsemble) -> list[VoteChange]:
    places: list[tuple[int | None, int]] = [(None, k) for k in range(len(before.offsets))]
    places += [(i, rule.output) for i, rule in enumerate(before)]
    labels = before.classes if before.loss.score_per_class else None
    pairs = zip(places, before.offsets_and_votes, after.offsets_and_votes, strict=True)
    return [
        VoteChange(rule, output, old, new, labels[output] if labels else None)
        for (rule, output), old, new in pairs
    ]


def _proposition_changes(
    before: RuleEnsemble, after: RuleEnsemble, rows: _Rows
) -> list[PropositionChange]:
    changes = []
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        pairs = zip(old.condition.propositions, new.condition.propositions, strict=True)
        for p, shorter in pairs:
            sides = RowSides.of(p, rows.source)
            margin, relative = sides.margin(shorter)
            changed = tuple(rows.numbers[sides.changed_rows(shorter)].tolist())
            changes.append(
                PropositionChange(i, p, shorter, margin, relative, changed, before.units)
            )
    return changes
