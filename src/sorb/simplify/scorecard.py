"""Making scorecards: the choice of points and numbers, and what they cost on given rows."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from sorb._types import Bool, Float
from sorb.losses import Readout
from sorb.measures.cutoff import Cutoff
from sorb.measures.performance import cutoff_on_rows
from sorb.rules import Label, RuleEnsemble
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.rules.field_checks import check_natural
from sorb.rules.prediction import class_labels
from sorb.simplify.card import READABLE_DIGITS, Scorecard
from sorb.simplify.card_cost import CardCost
from sorb.simplify.card_lines import CardLine, may_be_marked
from sorb.simplify.card_points import (
    SignedPoints,
    fitted_points,
    nearest_points,
    scaled_points,
)
from sorb.simplify.card_scale import OddsScale
from sorb.simplify.card_totals import observe_totals
from sorb.simplify.decimal_thresholds import drop_rounding_digits
from sorb.simplify.points import LogOddsLine
from sorb.simplify.rounded_comparisons import round_comparisons
from sorb.simplify.simplification import simplify
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["scorecard"]


MOST_POINTS = 1000  # of a line: the number of cards to compare grows with it
MADE_FROM = "rows that the card was made from"


def scorecard(
    ensemble: RuleEnsemble,
    X: TableLike | None = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    max_points: int = 10,
    high: Label | None = None,
    pdo: float | None = None,
    base_score: float = 600,
    base_odds: float = 50,
    cutoff: float | None = None,
) -> Scorecard:
    """Turn a model of two classes into a card of points, none of which is negative.

    Points speak for one class. A rule that votes for the other class gives its points to the rows
    that it does not cover: its condition is turned round, so that "and" becomes "or".

    The votes are multiplied by a common factor and rounded, for every factor that makes a
    difference. Without rows, the winner has the log-odds that deviate least from the exact ones
    in the worst combination of rules. With rows and their outcomes, slope and offset are refitted
    by logistic regression, and the points with the lowest risk win. With `pdo`, the scale decides.

    The numbers in the conditions become as short as they can without any of the rows changing
    side, as in `simplify`. Without rows, thresholds lose what rounding left behind their twelfth
    digit, and long numbers are rounded within a thousandth of the range that the column, sum or
    product had in training, if the model remembers it.

    Parameters
    ----------
    ensemble : RuleEnsemble
        A model whose loss is logistic.
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow, optional
        Rows to choose points and numbers by, as the model takes them.
    y : sequence, optional
        The labels of their classes; both must occur. Needed if X is given.
    sample_weight : sequence of float, optional
        Weights of the rows, finite and non-negative. A row of weight 0 does not count.
    max_points : int, default=10
        The most points that a line may get, from 1 to 1,000; of no effect with `pdo`.
    high : str, int, float or bool, optional
        The class that points speak for; the second one by default.
    pdo : float, optional
        The points that double the odds, for a score as banks use it:
        base_score + pdo / ln 2 · ln(odds / base_odds), with odds of `high` against the other class.
    base_score, base_odds : float, default=600 and 50
        A score, and the odds that belong to it; of no effect without `pdo`.
    cutoff : float, optional
        Rows whose probability of the second class is above it count as positive: the card says
        which of them it decides otherwise than the model. By default the share of that class.

    Returns
    -------
    Scorecard
        The card.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> heavy = Rule(Condition((Proposition(("bmi",), (1.0,), 25.0),)), -0.6)
    >>> ensemble = RuleEnsemble(-2.97, (old, heavy), ("age", "bmi"), "logistic")
    >>> for line in scorecard(ensemble, pdo=20, base_score=100, base_odds=1, high=0).lines:
    ...     print(line)
    53  if  age < 40 or age missing
    17  if  bmi ≥ 25
    """
    _check(ensemble, X, y)
    if not 1 <= check_natural(max_points, "max_points") <= MOST_POINTS:
        raise ValueError(f"max_points must be from 1 to {MOST_POINTS}, found {max_points}")
    high = _check_class(ensemble, high)
    scale = None if pdo is None else OddsScale(pdo, base_score, base_odds)
    if cutoff is not None:
        Cutoff.by_hand(cutoff)
    if X is None:
        shorter, rounded = round_comparisons(drop_rounding_digits(ensemble), READABLE_DIGITS)
        shorter = _without_constants(shorter)
        card = _card(ensemble, shorter, high, scale, _choose(shorter, max_points, high, scale))
        return _warned(replace(card, rounded=rounded))
    source = column_source(X, ensemble.used_columns, ensemble.columns)
    weight = row_weights(sample_weight, source.n_rows)
    outcomes = _outcomes(ensemble, y, weight)
    simplified = simplify(ensemble, X, sample_weight=weight, vote_loss=0)
    shorter = _without_constants(simplified.ensemble)
    covered = shorter.covers(X)
    signed = _choose(shorter, max_points, high, scale, covered, outcomes)
    card = _card(ensemble, shorter, high, scale, signed)
    chosen = cutoff_on_rows(
        ensemble, outcomes, cutoff, share=f"the share of {{}} in the {MADE_FROM}"
    )
    assert chosen is not None  # there are two classes
    card = replace(
        card,
        lines=tuple(_mark(line, source, weight > 0) for line in card.lines),
        certificate=simplified.certificate,
        observed=observe_totals(card.totals(X), outcomes),
        cost=CardCost.of(ensemble, ensemble(X), card.ensemble(X), outcomes, chosen, MADE_FROM),
    )
    return _warned(card)


def _choose(
    shorter: RuleEnsemble,
    max_points: int,
    high: Label,
    scale: OddsScale | None,
    covered: Bool | None = None,
    outcomes: Outcomes | None = None,
) -> SignedPoints:
    votes = [rule.vote for rule in shorter]
    if scale is not None:
        return scaled_points(votes, shorter.offsets[0], scale)
    if covered is None or outcomes is None:
        return nearest_points(votes, shorter.offsets[0], max_points)
    return fitted_points(votes, shorter.offsets[0], max_points, covered, outcomes)


def _card(
    model: RuleEnsemble,
    shorter: RuleEnsemble,
    high: Label,
    scale: OddsScale | None,
    signed: SignedPoints,
) -> Scorecard:
    """Turn round the rules that vote against the class that points speak for."""
    sign = 1 if high == class_labels(model.classes)[1] else -1
    lines = tuple(
        CardLine(rule.condition, abs(p), turned=sign * p < 0)
        for rule, p in zip(shorter, signed.points, strict=True)
        if p
    )
    # The log-odds of a row that gets no points at all.
    turned = sum(line.points for line in lines if line.turned)
    lowest = signed.line.offset - sign * signed.line.slope * turned
    start = 0 if scale is None else round(scale.score(sign * lowest))
    line = (
        LogOddsLine(sign * signed.line.slope, lowest)
        if scale is None
        else LogOddsLine(sign * scale.line.slope, sign * scale.line.offset)
    )
    line = line.exact_up_to(abs(start) + sum(line.points for line in lines))
    votes = [rule.vote for rule in shorter]
    uncovered = LogOddsLine(sign * line.slope, line.offset + line.slope * (start + turned))
    return Scorecard(
        model=model,
        lines=lines,
        start=start,
        line=line,
        high=high,
        largest_deviation=uncovered.deviation(votes, shorter.offsets[0], signed.points),
        dropped=tuple(
            rule.condition for rule, p in zip(shorter, signed.points, strict=True) if not p
        ),
        scale=scale,
    )


def _warned(card: Scorecard) -> Scorecard:
    """Warn whoever called `scorecard` of rules that the card leaves out."""
    if card.dropped:
        n_dropped, n_rules = len(card.dropped), len(card.dropped) + len(card.lines)
        warnings.warn(
            f"the card leaves out {n_dropped} of {n_rules} rules, whose votes are too small for a "
            f"point: {card.left_out}; to keep them, allow more points or give more rows",
            stacklevel=3,
        )
    return card


def _mark(line: CardLine, source: ColumnSource, rows: Bool) -> CardLine:
    return replace(line, marked=line.turned and may_be_marked(line.condition, source, rows))


def _without_constants(ensemble: RuleEnsemble) -> RuleEnsemble:
    """Add the votes of rules that cover every row to the offset, and leave out those of 0."""
    always = [rule.vote for rule in ensemble if not rule.condition.propositions]
    rules = tuple(rule for rule in ensemble if rule.condition.propositions and rule.vote)
    if not rules:
        raise ValueError(
            "a scorecard needs a model with at least one rule that has a condition and a vote "
            "other than 0"
        )
    return replace(ensemble, offset=sum(always, ensemble.offsets[0]), rules=rules)


def _check(ensemble: RuleEnsemble, X: Any, y: Any) -> None:
    if ensemble.loss.readout is not Readout.SIGMOID:
        advice = (
            "learn one class against all others first"
            if ensemble.loss.has_classes
            else "print the model, whose votes are in the unit of what it predicts"
        )
        raise ValueError(
            "a scorecard needs a model of two classes, found one for the "
            f"{ensemble.loss} loss: {advice}"
        )
    if len(class_labels(ensemble.classes)) < 2:
        raise ValueError(f"a scorecard needs a model of two classes, found only {ensemble.classes}")
    if (X is None) != (y is None):
        given, missing = ("X", "y") if y is None else ("y", "X")
        raise ValueError(f"{given} is given without {missing}: give both or neither")


def _check_class(ensemble: RuleEnsemble, high: Label | None) -> Label:
    classes = class_labels(ensemble.classes)
    if high is None:
        return classes[1]
    if high not in classes:
        known = " or ".join(map(repr, classes))
        raise ValueError(f"high must be a class of the model, {known}, found {high!r}")
    return high


def _outcomes(ensemble: RuleEnsemble, y: Any, weight: Float) -> Outcomes:
    outcomes = Outcomes.of(ensemble, y, weight)
    found = np.unique(outcomes.y[weight > 0])
    if len(found) < 2:
        raise ValueError("y must contain both classes, so that the card can be fitted to them")
    return outcomes
