"""Scores as banks write them: a number of points that doubles the odds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sorb.rules.field_checks import check_number
from sorb.simplify.points import LogOddsLine

__all__ = ["OddsScale"]

MOST_POINTS = 10_000  # of a rule: more say nothing that fewer do not


@dataclass(frozen=True, slots=True)
class OddsScale:
    """A score = offset + factor · ln(odds), where the factor is the points to double / ln 2.

    Attributes
    ----------
    pdo : float
        The points that double the odds.
    base_score, base_odds : float
        A score, and the odds that belong to it.

    Examples
    --------
    >>> scale = OddsScale(20.0, 600.0, 50.0)
    >>> round(scale.factor, 2), round(scale.score(math.log(50)), 6)
    (28.85, 600.0)
    >>> scale.points([1.0, -0.4])
    (29, -12)
    """

    pdo: float
    base_score: float
    base_odds: float

    def __post_init__(self) -> None:
        for name in ("pdo", "base_score", "base_odds"):
            object.__setattr__(self, name, float(check_number(getattr(self, name), name)))
        for name in ("pdo", "base_odds"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be more than 0, found {getattr(self, name)}")

    @property
    def factor(self) -> float:
        """The points for a change of the log-odds by 1."""
        return self.pdo / math.log(2)

    @property
    def line(self) -> LogOddsLine:
        """The log-odds that belong to a score."""
        slope = math.log(2) / self.pdo
        return LogOddsLine(slope, math.log(self.base_odds) - slope * self.base_score)

    def score(self, log_odds: float) -> float:
        """Give the score that belongs to log-odds."""
        return self.base_score + self.factor * (log_odds - math.log(self.base_odds))

    def points(self, votes: Sequence[float]) -> tuple[int, ...]:
        """Round each vote to whole points."""
        largest = max(map(abs, votes)) * self.factor
        if largest > MOST_POINTS:
            raise ValueError(
                f"with pdo={self.pdo:g} a rule would get {largest:.0f} points: choose a smaller "
                f"pdo, so that no rule gets more than {MOST_POINTS}"
            )
        if round(largest) == 0:
            raise ValueError(
                f"with pdo={self.pdo:g} each rule would get 0 points: choose a larger pdo"
            )
        return tuple(round(vote * self.factor) for vote in votes)
