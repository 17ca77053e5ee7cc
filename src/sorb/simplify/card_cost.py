"""What the whole points of a scorecard cost: measures and decisions, beside the exact model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.losses import Logistic
from sorb.measures.cutoff import Cutoff
from sorb.measures.measures import Measures
from sorb.measures.table import measure_lines
from sorb.rules import RuleEnsemble, notation
from sorb.tables.targets import Outcomes

__all__ = ["CardCost"]

MOST_ROWS = 10  # whose numbers are printed; `changed_rows` has all of them


@dataclass(frozen=True, slots=True)
class CardCost:
    """The exact model and its card on the same rows.

    Attributes
    ----------
    rows : str
        Which rows these are, in words.
    n_rows : int
        How many of them count.
    exact, card : Measures
        How good the probabilities of the exact model and of the card are.
    cutoff : Cutoff
        Rows whose probability of the second class is above it count as positive.
    changed_rows : tuple of int
        The rows that the card decides otherwise than the exact model, counted from 0.
    """

    rows: str
    n_rows: int
    exact: Measures
    card: Measures
    cutoff: Cutoff
    changed_rows: tuple[int, ...]

    @classmethod
    def of(
        cls,
        ensemble: RuleEnsemble,
        exact: Float,
        card: Float,
        outcomes: Outcomes,
        chosen: Cutoff,
        rows: str,
    ) -> CardCost:
        """Compare the scores of both, which are log-odds."""
        above = [chosen.is_above(outcomes.loss.mean(scores)) for scores in (exact, card)]
        counts = outcomes.weight > 0
        return cls(
            rows=rows,
            n_rows=int(counts.sum()),
            exact=Measures.of(ensemble, exact, outcomes, chosen),
            card=Measures.of(ensemble, card, outcomes, chosen),
            cutoff=chosen,
            changed_rows=tuple(np.flatnonzero((above[0] != above[1]) & counts).tolist()),
        )

    def measure_lines(self, intervals: bool = True) -> list[list[str]]:
        """Give the name of each measure, and its value for the exact model and for the card.

        With `intervals`, the 95 % interval stands behind each value that has one.

        Examples
        --------
        >>> exact = Measures(0.3512, 0.125, None, 0.02)
        >>> cost = CardCost("test rows", 200, exact, exact, Cutoff.by_hand(0.5), (3, 14))
        >>> cost.measure_lines()[0]
        ['log loss', '0.3512', '0.3512']
        >>> print(cost.decisions())
        At a cut-off of 50 %, as chosen, 2 of the 200 rows are decided otherwise: rows 3 and 14.
        """
        return measure_lines([self.exact, self.card], Logistic(), intervals=intervals)

    def decisions(self) -> str:
        """Say how many rows are decided otherwise, and which."""
        share = notation.number(100 * self.cutoff.value, 3)
        start = f"At a cut-off of {share} %, {self.cutoff.reason}, "
        changed = len(self.changed_rows)
        if not changed:
            return f"{start}none of the {self.n_rows} rows is decided otherwise."
        verb = "is" if changed == 1 else "are"
        return (
            f"{start}{changed} of the {self.n_rows} rows {verb} decided otherwise: "
            f"{_row_words(self.changed_rows)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        return {
            "rows": self.rows,
            "n_rows": self.n_rows,
            "exact": self.exact.to_dict(),
            "card": self.card.to_dict(),
            "cutoff": asdict(self.cutoff),
            "changed_rows": list(self.changed_rows),
        }


def _row_words(rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return f"row {rows[0]}"
    shown = [str(row) for row in rows[:MOST_ROWS]]
    rest = len(rows) - len(shown)
    last = f"{rest} more" if rest else shown.pop()
    return f"rows {', '.join(shown)} and {last}"
