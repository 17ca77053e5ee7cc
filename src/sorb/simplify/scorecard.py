"""Scorecards: points for each rule, and a probability for each total."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any

import numpy as np

from sorb._types import Bool, Float, Int
from sorb.learning.refit import Patterns
from sorb.losses import Readout
from sorb.rules import Rule, RuleEnsemble, notation, rule_lines
from sorb.rules.columns import TableLike
from sorb.rules.field_checks import check_natural
from sorb.rules.prediction import class_probabilities
from sorb.simplify.points import (
    LogOddsLine,
    group_outcomes,
    integer_scalings,
    nearest_lines,
    refit_line,
)
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["ProbabilityMeasures", "Scorecard", "scorecard"]


PER_LINE = 10
BINS = 10
MOST_POINTS = 1000  # of a rule: the number of cards to compare grows with it


@dataclass(frozen=True, slots=True)
class ProbabilityMeasures:
    """How good probabilities are on given rows; for all measures, lower is better.

    Attributes
    ----------
    risk : float
        The mean logistic loss.
    brier : float
        The mean squared difference between probability and outcome.
    calibration_error : float
        The expected calibration error: the mean absolute difference between the mean probability
        and the share of the second class over ten bins of equal width, weighted by their rows.
    """

    risk: float
    brier: float
    calibration_error: float

    @classmethod
    def of(cls, scores: Float, outcomes: Outcomes) -> ProbabilityMeasures:
        """Measure the probabilities that belong to scores, which are log-odds."""
        p, y, weight = outcomes.loss.mean(scores), outcomes.y, outcomes.weight
        bins = np.minimum((p * BINS).astype(np.intp), BINS - 1)
        gaps = np.bincount(bins, weight * (p - y), BINS)
        return cls(
            risk=outcomes.risk(scores),
            brier=float(np.average((p - y) ** 2, weights=weight)),
            calibration_error=float(np.abs(gaps).sum() / weight.sum()),
        )


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Points for each rule, and the probability that belongs to each total.

    Attributes
    ----------
    exact_ensemble : RuleEnsemble
        The model that the card was made from.
    points : tuple of int
        The points of each rule. A rule of 0 points is not on the card.
    line : LogOddsLine
        The slope and the offset that lead from the total to the log-odds.
    largest_deviation : float
        The largest difference between the log-odds of the card and the exact ones, for any
        possible row.
    exact, card : ProbabilityMeasures or None
        How good the probabilities of the exact model and of the card are on the given rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> heavy = Rule(Condition((Proposition(("bmi",), (1.0,), 25.0),)), 0.88)
    >>> ensemble = RuleEnsemble(-2.97, (old, heavy), ("age", "bmi"), "logistic", ("no", "yes"))
    >>> card = scorecard(ensemble, max_points=3)
    >>> print(card)
    Points for yes against no:
    +2  if  age ≥ 40
    +1  if  bmi ≥ 25
    <BLANKLINE>
    Total             0       1       2       3
    Probability   4.8 %  11.2 %  23.8 %  43.7 %
    <BLANKLINE>
    No log-odds differ from the exact model by more than 0.015.
    >>> card.predict_proba(np.array([[50.0, 20.0]])).round(3)
    array([[0.762, 0.238]])
    >>> print(card.ensemble.format(3))
    −2.99  always
    +1.82  if  age ≥ 40
    +0.91  if  bmi ≥ 25
    """

    exact_ensemble: RuleEnsemble
    points: tuple[int, ...]
    line: LogOddsLine
    largest_deviation: float
    exact: ProbabilityMeasures | None = None
    card: ProbabilityMeasures | None = None

    @property
    def ensemble(self) -> RuleEnsemble:
        """The card as a model that can be saved and exported, without the rules of 0 points."""
        pairs = zip(self.exact_ensemble, self.points, strict=True)
        rules = (replace(rule, vote=self.line.slope * p) for rule, p in pairs if p)
        return replace(self.exact_ensemble, offset=self.line.offset, rules=tuple(rules))

    @property
    def table(self) -> tuple[tuple[int, float], ...]:
        """Each possible total of points, and its probability."""
        totals = {0}
        for points in self.points:
            totals |= {total + points for total in totals}
        ordered = sorted(totals)
        probabilities = self.exact_ensemble.loss.mean(self.line(np.array(ordered)))
        return tuple(zip(ordered, probabilities.tolist(), strict=True))

    def totals(self, X: TableLike) -> Int:
        """Add up the points of each row of a table."""
        return _totals(self.exact_ensemble.covers(X), self.points)

    def predict_proba(self, X: TableLike) -> Float:
        """Give the probability of each class (second axis) for each row of a table."""
        ensemble = self.exact_ensemble
        return class_probabilities(ensemble.loss, ensemble.classes, self.line(self.totals(X)))

    def format(self, digits: int | None = None) -> str:
        """Print the card.

        Parameters
        ----------
        digits : int or None, default=None
            The number of significant digits in the conditions. None means all, because a card is
            worked out by hand; `simplify` the model first to have few of them.
        """
        digits = notation.check_digits(digits)
        rules = rule_lines.format_lines(self._lines(digits), digits)
        table = _wrap([(str(t).replace("-", "−"), _percent(p)) for t, p in self.table])
        return "\n".join([f"{self._caption()}:", rules, "", table, "", *self._loss()])

    def __str__(self) -> str:
        return self.format()

    def _repr_html_(self) -> str:
        rules = rule_lines.html_table(self._lines(None), self._caption(), None)
        cells = "".join(
            f'<tr><td style="{rule_lines.NUMBER_STYLE}">{total}</td>'
            f'<td style="{rule_lines.NUMBER_STYLE}">{escape(_percent(p))}</td></tr>'
            for total, p in self.table
        )
        return (
            f'{rules}\n<table style="{rule_lines.TABLE_STYLE}"><thead><tr><th>total</th>'
            f"<th>probability</th></tr></thead><tbody>{cells}</tbody></table>\n"
            f"<p>{escape(' '.join(self._loss()))}</p>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        pairs = zip(self.exact_ensemble, self.points, strict=True)
        return {
            "rules": [{"points": p, "condition": self._condition(r)} for r, p in pairs],
            "slope": self.line.slope,
            "offset": self.line.offset,
            "table": [{"points": t, "probability": p} for t, p in self.table],
            "largest_deviation": self.largest_deviation,
            "exact": self.exact and asdict(self.exact),
            "card": self.card and asdict(self.card),
        }

    def _condition(self, rule: Rule) -> str:
        return rule.condition.format(None, dict(self.exact_ensemble.units))

    def _lines(self, digits: int | None) -> list[rule_lines.RuleLine]:
        pairs = zip(self.exact_ensemble, self.points, strict=True)
        units = dict(self.exact_ensemble.units)
        return [
            rule_lines.RuleLine(float(p), rule.condition.tokens(digits, units))
            for rule, p in pairs
            if p
        ]

    def _caption(self) -> str:
        labels = [notation.label(value) for value in reversed(self.exact_ensemble.classes or ())]
        return f"Points for {' against '.join(labels) or 'the positive class'}"

    def _loss(self) -> list[str]:
        lines = [
            "No log-odds differ from the exact model by more than "
            f"{notation.number(self.largest_deviation, 2)}."
        ]
        dropped = self.points.count(0)
        if dropped:
            lines.append(f"Rules whose votes are too small for a point: {dropped}.")
        if self.exact is not None and self.card is not None:
            names = ("risk", "Brier score", "calibration error")
            before, after = asdict(self.exact).values(), asdict(self.card).values()
            parts = (
                f"{name} {notation.number(new, 3)} (exact model {notation.number(old, 3)})"
                for name, old, new in zip(names, before, after, strict=True)
            )
            lines.append(f"On the given rows: {', '.join(parts)}.")
        return lines


def scorecard(
    ensemble: RuleEnsemble,
    X: TableLike | None = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    max_points: int = 10,
) -> Scorecard:
    """Turn a model of two classes into a card of points.

    The votes are multiplied by a common factor and rounded, for every factor that makes a
    difference. Without rows, the winner has the log-odds that deviate least from the exact ones
    in the worst combination of rules. With rows and their outcomes, slope and offset are refitted
    by logistic regression, and the points with the lowest risk win.

    Parameters
    ----------
    ensemble : RuleEnsemble
        A model whose loss is logistic.
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow, optional
        Rows to choose the points by, as the model takes them.
    y : sequence, optional
        The labels of their classes; both must occur. Needed if X is given.
    sample_weight : sequence of float, optional
        Weights of the rows, finite and non-negative. A row of weight 0 does not count.
    max_points : int, default=10
        The most points, positive or negative, that a rule may get, from 1 to 1,000.

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
    >>> scorecard(ensemble, max_points=5).points
    (3, -1)
    """
    _check(ensemble, X, y)
    if not 1 <= check_natural(max_points, "max_points") <= MOST_POINTS:
        raise ValueError(f"max_points must be from 1 to {MOST_POINTS}, found {max_points}")
    votes = [rule.vote for rule in ensemble]
    offset = ensemble.offsets[0]
    scalings = integer_scalings(votes, max_points)
    lines, deviations = nearest_lines(votes, offset, scalings)
    if X is None:
        best = int(np.argmin(deviations))
        points, line, exact, card = scalings[best], lines[best], None, None
    else:
        covered = ensemble.covers(X)
        outcomes = _outcomes(ensemble, y, row_weights(sample_weight, len(covered)))
        points, line = _best_fit(scalings, lines, covered, outcomes)
        exact = ProbabilityMeasures.of(ensemble(X), outcomes)
        card = ProbabilityMeasures.of(line(_totals(covered, points)), outcomes)
    chosen = tuple(points.tolist())
    return Scorecard(ensemble, chosen, line, line.deviation(votes, offset, chosen), exact, card)


def _best_fit(
    scalings: Int, lines: Sequence[LogOddsLine], covered: Bool, outcomes: Outcomes
) -> tuple[Int, LogOddsLine]:
    """Refit the line for all candidates, and return the points with the lowest risk."""
    patterns, shares = _patterns(covered, outcomes)
    fitted, risks = [], []
    for points, start in zip(scalings, lines, strict=True):
        totals, group = np.unique(_totals(patterns, points), return_inverse=True)
        alike = group_outcomes(group, shares)
        fitted.append(refit_line(totals, alike, start))
        risks.append(alike.risk(fitted[-1](totals)))
    best = int(np.argmin(risks))
    return scalings[best], fitted[best]


def _patterns(covered: Bool, outcomes: Outcomes) -> tuple[Int, Outcomes]:
    """Combine rows that the same rules cover, and leave out rows of weight 0."""
    counted = outcomes.weight > 0
    patterns = Patterns.without_rules(int(counted.sum()), 1)
    for rows in covered[counted].T:
        patterns = patterns.split(np.ascontiguousarray(rows), 0)
    known = replace(outcomes, y=outcomes.y[counted], weight=outcomes.weight[counted])
    return patterns.table.astype(np.int64), group_outcomes(patterns.index, known)


def _totals(covered: Bool | Int, points: Sequence[int] | Int) -> Int:
    return covered.astype(np.int64, copy=False) @ np.array(points, dtype=np.int64)


def _check(ensemble: RuleEnsemble, X: Any, y: Any) -> None:
    if ensemble.loss.readout is not Readout.SIGMOID:
        raise ValueError(
            f"a scorecard needs a model of two classes, found one for the {ensemble.loss} loss"
        )
    if not any(rule.vote for rule in ensemble):
        raise ValueError("a scorecard needs a model with at least one rule whose vote is not 0")
    if (X is None) != (y is None):
        given, missing = ("X", "y") if y is None else ("y", "X")
        raise ValueError(f"{given} is given without {missing}: give both or neither")


def _outcomes(ensemble: RuleEnsemble, y: Any, weight: Float) -> Outcomes:
    outcomes = Outcomes.of(ensemble, y, weight)
    found = np.unique(outcomes.y[weight > 0])
    if len(found) < 2:
        raise ValueError("y must contain both classes, so that the card can be fitted to them")
    return outcomes


def _percent(probability: float) -> str:
    if probability < 0.0005:
        return "<0.1 %"
    if probability >= 0.9995:
        return ">99.9 %"
    return f"{100 * probability:.1f} %"


def _wrap(columns: Sequence[tuple[str, str]]) -> str:
    """Write two rows of cells, with a line break after every ten columns."""
    width = max(len(cell) for column in columns for cell in column)
    lines = []
    for start in range(0, len(columns), PER_LINE):
        part = columns[start : start + PER_LINE]
        for name, row in zip(("Total", "Probability"), zip(*part, strict=True), strict=True):
            lines.append("  ".join([name.ljust(11), *(cell.rjust(width) for cell in row)]))
    return "\n".join(lines)
