"""Cards: points for each line, none of them negative, and a probability for each total."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sorb._types import Float, Int
from sorb.measures.performance import cutoff_on_rows
from sorb.rules import Condition, Label, Rule, RuleEnsemble, notation
from sorb.rules.columns import TableLike
from sorb.rules.prediction import class_labels, class_probabilities
from sorb.simplify.card_cost import CardCost
from sorb.simplify.card_lines import CardLine
from sorb.simplify.card_points import (
    add_points,
)
from sorb.simplify.card_scale import OddsScale
from sorb.simplify.card_text import card_html, card_text
from sorb.simplify.card_totals import (
    ObservedTotal,
    TotalLine,
    possible_totals,
    total_lines,
)
from sorb.simplify.certificate import Certificate
from sorb.simplify.digits import longest_number
from sorb.simplify.points import LogOddsLine
from sorb.simplify.rounded_comparisons import TOLERANCE
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["Scorecard"]


READABLE_DIGITS = 6  # of a number on a card


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Points for each line, and the probability that belongs to each total.

    Attributes
    ----------
    model : RuleEnsemble
        The model that the card was made from.
    lines : tuple of CardLine
        The points, and what must be true of a row to get them.
    start : int
        What everyone starts with: 0, or with a scale the lowest score.
    line : LogOddsLine
        The slope and the offset that lead from the total to the log-odds of the second class.
    high : str, int, float or bool
        The class that points speak for.
    largest_deviation : float
        The largest difference between the log-odds of the card and those of the model with the
        numbers of the card, for any possible row.
    dropped : tuple of Condition
        The conditions of the rules whose votes are too small for a point.
    scale : OddsScale or None
        The scale of the scores, if there is one.
    certificate : Certificate or None
        What writing the numbers in fewer digits changed, if rows were given.
    observed : tuple of ObservedTotal or None
        How many of these rows have each total.
    cost : CardCost or None
        What the card costs on these rows, or on test rows.
    rounded : tuple of str
        The comparisons whose long numbers were rounded without rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> fit = Rule(Condition((Proposition(("bmi",), (-1.0,), -25.0),)), -0.88)
    >>> ensemble = RuleEnsemble(-2.09, (old, fit), ("age", "bmi"), "logistic", ("no", "yes"))
    >>> card = ensemble.scorecard(max_points=3)
    >>> print(card)
    Points for yes against no:
    2  if  age ≥ 40
    1  if  bmi > 25 or bmi missing
    <BLANKLINE>
    Total  Probability of yes
        0               4.8 %
        1              11.2 %
        2              23.8 %
        3              43.7 %
    <BLANKLINE>
    No log-odds differ from those of the model by more than 0.015.
    >>> card.predict_proba(np.array([[50.0, 20.0]])).round(3)
    array([[0.762, 0.238]])
    >>> print(card.ensemble.format(3))
    −2.07  always
    +1.82  if  age ≥ 40
    −0.91  if  bmi ≤ 25
    """

    model: RuleEnsemble
    lines: tuple[CardLine, ...]
    start: int
    line: LogOddsLine
    high: Label
    largest_deviation: float
    dropped: tuple[Condition, ...] = ()
    scale: OddsScale | None = None
    certificate: Certificate | None = None
    observed: tuple[ObservedTotal, ...] | None = None
    cost: CardCost | None = None
    rounded: tuple[str, ...] = ()

    @property
    def ensemble(self) -> RuleEnsemble:
        """The card as a model that can be saved and exported.

        Its votes and its offset add up without rounding, so its scores are those of the card.
        """
        slope = self.line.slope
        rules = [
            Rule(line.condition, slope * (-line.points if line.turned else line.points))
            for line in self.lines
        ]
        uncovered = self.start + sum(line.points for line in self.lines if line.turned)
        offset = self.line.offset + slope * uncovered
        return replace(self.model, offset=offset, rules=tuple(rules))

    @property
    def points(self) -> tuple[int, ...]:
        """The points of each line."""
        return tuple(line.points for line in self.lines)

    @property
    def table(self) -> tuple[tuple[int, float], ...]:
        """Each possible total, and the probability of the second class."""
        totals = possible_totals(self.points, self.start)
        probabilities = self.model.loss.mean(self.line(np.array(totals)))
        return tuple(zip(totals, probabilities.tolist(), strict=True))

    @property
    def labels(self) -> tuple[str, str]:
        """The class that points speak for and the other one, as they are printed."""
        classes = class_labels(self.model.classes)
        other = classes[0] if self.high == classes[1] else classes[1]
        return notation.label(self.high), notation.label(other)

    @property
    def positive(self) -> str:
        """The second class, whose probability the card gives, as it is printed."""
        return notation.label(class_labels(self.model.classes)[1])

    def totals(self, X: TableLike) -> Int:
        """Add up the points of each row of a table."""
        covered = self.ensemble.covers(X)
        earned = np.column_stack(
            [line.earns(rows) for line, rows in zip(self.lines, covered.T, strict=True)]
        )
        return self.start + add_points(earned, self.points)

    def predict_proba(self, X: TableLike) -> Float:
        """Give the probability of each class (second axis) for each row of a table."""
        scores = self.line(self.totals(X))
        return class_probabilities(self.model.loss, self.model.classes, scores)

    def total_lines(self) -> list[TotalLine]:
        """Give the table of totals as it is printed, with shares if rows are known."""
        totals = possible_totals(self.points, self.start)
        return total_lines(totals, self.line, self.model.loss, self.observed)

    def with_test(
        self,
        X: TableLike,
        y: Any,
        sample_weight: Any = None,
        *,
        cutoff: float | None = None,
        rows: str = "test rows",
    ) -> Scorecard:
        """Give the same card with what it costs on other rows.

        Parameters
        ----------
        X, y, sample_weight
            The rows, as in `sorb.simplify.scorecard`.
        cutoff : float, optional
            Rows whose probability of the second class is above it count as positive. By default the
            cut-off of the rows that the card was made from; without any, the share of that class.
        rows : str, default="test rows"
            What to call the rows.
        """
        scores = self.model(X)
        weight = row_weights(sample_weight, len(scores))
        outcomes = Outcomes.of(self.model, y, weight)
        known = None if self.cost is None or cutoff is not None else self.cost.cutoff
        chosen = known or cutoff_on_rows(self.model, outcomes, cutoff)
        assert chosen is not None  # a card tells two classes apart
        cost = CardCost.of(self.model, scores, self.ensemble(X), outcomes, chosen, rows)
        return replace(self, cost=cost)

    @property
    def left_out(self) -> str:
        """The conditions of the rules that have no line, as they are printed."""
        units = dict(self.model.units)
        return "; ".join(condition.format(units=units) for condition in self.dropped)

    def caption(self) -> str:
        """Say what the points are for."""
        high, other = self.labels
        start = "" if self.scale is None else f", starting at {self.start}"
        return f"Points for {high} against {other}{start}"

    def notes(self) -> list[str]:
        """Say how the card was made and what it leaves out, in one sentence each."""
        sentences = [] if self.scale is None else [self._scale_words(self.scale)]
        sentences.append(
            "No log-odds differ from those of the model by more than "
            f"{notation.number(self.largest_deviation, 2)}."
        )
        if self.dropped:
            sentences.append(f"Left out, as the votes are too small for a point: {self.left_out}.")
        if self.rounded:
            sentences.append(
                f"Rounded: {'; '.join(self.rounded)}. Where such a value is nearer to its "
                f"threshold than {100 * TOLERANCE:g} % of the range that it had in training, a row "
                "may change sides; give rows, and none does."
            )
        if self.certificate is not None:
            sentences.append(self.certificate.sides())
        elif any(longest_number(line.condition) > READABLE_DIGITS for line in self.lines):
            sentences.append(
                "The numbers are as long as those of the model: give rows, and they become as "
                "short as these allow."
            )
        if any(line.marked for line in self.lines):
            sentences.append(
                "* The points are also for a missing value, which none of these rows has."
            )
        return sentences

    def _scale_words(self, scale: OddsScale) -> str:
        high, other = self.labels
        base, odds, pdo = (
            notation.number(value, 6) for value in (scale.base_score, scale.base_odds, scale.pdo)
        )
        return (
            f"A score of {base} means odds of {odds} to 1 for {high} against {other}, and "
            f"{pdo} more points double the odds; the points are rounded to whole numbers."
        )

    def __str__(self) -> str:
        return card_text(self)

    def _repr_html_(self) -> str:
        return card_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        units = dict(self.model.units)
        return {
            "lines": [
                {"points": line.points, "condition": notation.join_tokens(line.tokens(units))}
                for line in self.lines
            ],
            "start": self.start,
            "high": self.high,
            "positive": class_labels(self.model.classes)[1],
            "slope": self.line.slope,
            "offset": self.line.offset,
            "scale": self.scale and asdict(self.scale),
            "table": [{"points": t, "probability": p} for t, p in self.table],
            "observed": self.observed and [asdict(o) for o in self.observed],
            "largest_deviation": self.largest_deviation,
            "dropped": [
                notation.join_tokens(condition.tokens(None, units)) for condition in self.dropped
            ],
            "rounded": list(self.rounded),
            "certificate": self.certificate and self.certificate.to_dict(),
            "cost": self.cost and self.cost.to_dict(),
        }
