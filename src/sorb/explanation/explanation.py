"""Explanations: what each rule contributes to the rows of a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral

from sorb._types import Bool, Float
from sorb.explanation.expected_outcome import ExpectedOutcome, expected_outcome
from sorb.explanation.sentences import sentences
from sorb.explanation.vote_tables import html_table, printed_table
from sorb.rules import Rule, RuleEnsemble
from sorb.rules.columns import ColumnSource, Records, TableLike
from sorb.rules.scores import contributions, sum_votes

__all__ = ["Explanation", "RowExplanation"]


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What each rule adds to the score, and to the expected outcome, of each row.

    `explanation[row]` is about one row, and prints itself.

    Attributes
    ----------
    ensemble : RuleEnsemble
        The rules.
    covered : ndarray of bool, of shape (rows, rules)
        Which rules cover which rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> ensemble = RuleEnsemble(-2.97, (old,), ("age",), "logistic", ("well", "ill"))
    >>> explanation = Explanation.of(ensemble, np.array([[39.0], [40.0]]))
    >>> explanation.contributions
    array([[0.  ],
           [1.82]])
    >>> explanation.total()
    array([-2.97, -1.15])
    >>> explanation.expected().contributions.round(3)
    array([[0.   ],
           [0.192]])
    >>> explanation.in_words(1)
    'The only rule covers this row: age ≥ 40, which raises the probability of ill from 4.9 % to
    24 %. The model says well.'
    """

    ensemble: RuleEnsemble
    covered: Bool

    @classmethod
    def of(cls, ensemble: RuleEnsemble, X: TableLike | Records | ColumnSource) -> Explanation:
        """Explain what an ensemble says about a table."""
        return cls(ensemble, ensemble.covers(X))

    @property
    def offset(self) -> float | tuple[float, ...]:
        """What every row starts with; one number for each class if there are more than two."""
        return self.ensemble.offset

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in the order of the columns of `contributions`.

        With more than two classes, a rule adds only to the score of the class with the index
        `rule.output`.
        """
        return self.ensemble.rules

    @property
    def contributions(self) -> Float:
        """What each rule (second axis) adds to each row: its vote if it covers the row, else 0."""
        return contributions(self.rules, self.covered)

    def total(self) -> Float:
        """Add the contributions to the offset, in the order of the rules: exactly the scores."""
        return sum_votes(self.offset, self.rules, self.covered.T, len(self))

    def expected(self) -> ExpectedOutcome:
        """Give the contributions in units of the outcome: of probability, or of the expected count.

        What a vote adds to a probability depends on the other votes. Here the votes of all rules
        that cover the row grow together from zero to their full size, and each is credited with
        the change it causes on the way. So the order of the rules makes no difference, and the
        contributions lead exactly from the probability without rules to that of the row. With
        one score per row, the change of the probability is shared in proportion to the votes.

        Returns
        -------
        expected : ExpectedOutcome
            The offset, the contributions of the rules and their total.
        """
        return expected_outcome(self.ensemble, self.covered, self.total())

    def in_words(self, row: int) -> str:
        """Say in words what decides a row, counted from 0."""
        return self[row].in_words()

    def __len__(self) -> int:
        return len(self.covered)

    def __getitem__(self, row: int) -> RowExplanation:
        if isinstance(row, bool) or not isinstance(row, Integral):
            raise TypeError(f"a row is chosen by its number, counted from 0, found {row!r}")
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of an explanation of {len(self)} rows")
        one = replace(self, covered=self.covered[[row]])
        whole = one.expected()
        outcome = ExpectedOutcome(whole.offset, whole.contributions[0], whole.total()[0])
        return RowExplanation(
            self.ensemble, one.covered[0], one.contributions[0], one.total()[0], outcome
        )

    def __repr__(self) -> str:
        return f"<Explanation of {len(self)} rows by {len(self.rules)} rules>"


@dataclass(frozen=True, slots=True, eq=False)
class RowExplanation:
    """What each rule adds to one row.

    Attributes
    ----------
    ensemble : RuleEnsemble
        The rules.
    covered : ndarray of bool, of shape (rules,)
        Which rules cover the row.
    contributions : ndarray of shape (rules,)
        What each rule adds: its vote if it covers the row, else 0.
    total : float, or ndarray of shape (classes,)
        The score: the offset plus the contributions.
    expected : ExpectedOutcome
        The same in units of probability, or of the expected count.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> heavy = Rule(Condition((Proposition(("bmi",), (1.0,), 25.0),)), 0.5)
    >>> ensemble = RuleEnsemble(-2.97, (old, heavy), ("age", "bmi"), "logistic", ("well", "ill"))
    >>> print(Explanation.of(ensemble, np.array([[40.0, 20.0]]))[0])
    The log-odds of ill against well, and the probability of ill in %:
    −2.97    4.9  to begin with
    +1.82  +19.2  rule 1: age ≥ 40
                  not covered by rule 2: bmi ≥ 25
    −1.15   24.0  in total
    """

    ensemble: RuleEnsemble
    covered: Bool
    contributions: Float
    total: float | Float
    expected: ExpectedOutcome

    def in_words(self) -> str:
        """Say how many rules cover the row, which matters most, and what the model predicts."""
        return sentences(self)

    def __str__(self) -> str:
        return printed_table(self)

    def _repr_html_(self) -> str:
        return html_table(self)
