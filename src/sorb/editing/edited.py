"""An edited model, and what each change did to whom."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sorb.editing.changes import Change
from sorb.editing.log_file import change_document, log_document
from sorb.rules import RuleEnsemble, notation

__all__ = ["Edited", "Effect"]

MOST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change did to the rows.

    Attributes
    ----------
    n_rows : int
        The number of rows, without those of weight 0.
    reclassified : int or None
        How many rows are assigned another class; None if the model predicts numbers.
    first_rows : tuple of int
        The numbers of the first of these rows; of numbers, of the row that changed most.
    largest_change, mean_change : float
        How much the prediction of a row changed at most, and on average by its size: the
        probability of the second class, of any class if there are more, or the predicted number.
    risk_before, risk_after : float
        The mean loss of the rows.
    votes : tuple of (int, float, float)
        The rules whose votes are others now, by their numbers, with their votes before and after.
    """

    n_rows: int
    reclassified: int | None
    first_rows: tuple[int, ...]
    largest_change: float
    mean_change: float
    risk_before: float
    risk_after: float
    votes: tuple[tuple[int, float, float], ...]

    def __str__(self) -> str:
        size = notation.plain_number(self.largest_change, 3)
        mean = notation.plain_number(self.mean_change, 3)
        risks = (notation.plain_number(risk, 4) for risk in (self.risk_before, self.risk_after))
        lines = [f"predictions change by {mean} on average and by {size} at most"]
        if self.reclassified is not None:
            rows = ", ".join(map(str, self.first_rows))
            more = ", …" if self.reclassified > len(self.first_rows) else ""
            where = f": {rows}{more}" if rows else ""
            known = notation.count(self.n_rows, "row")
            lines.append(f"{self.reclassified} of {known} get another class{where}")
        lines.append(f"the mean loss goes from {' to '.join(risks)}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Edited:
    """A model after some changes.

    Attributes
    ----------
    original, ensemble : RuleEnsemble
        The model before and after.
    changes : tuple of Change
        What was asked for.
    effects : tuple of Effect
        What each change did, with all votes refitted that are not pinned; empty without rows.
    reg_lambda : float or None
        The penalty of the refit; None without rows.
    class_weights : tuple of float, or None
        What the weights of the rows of each class were multiplied by; None if they counted as
        they are.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> from sorb.editing import PinVote, edit
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> model = RuleEnsemble(-1.0, (Rule(old, 1.8),), ("age",), "logistic", ("well", "ill"))
    >>> ages = np.array([[30.0], [35.0], [50.0], [60.0]])
    >>> print(edit(model, [PinVote(0, 2.0)], ages, ["well", "ill", "ill", "ill"]))
    +0.351  always
    +2      if  age ≥ 40
    <BLANKLINE>
    1. pin the vote of rule 1 at +2
       predictions change by 0.271 on average and by 0.318 at most
       2 of 4 rows get another class: 0, 1
       the mean loss goes from 0.5922 to 0.3997
    """

    original: RuleEnsemble
    ensemble: RuleEnsemble
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]
    reg_lambda: float | None
    class_weights: tuple[float, ...] | None = None

    def __str__(self) -> str:
        return f"{self.ensemble}\n\n{self.log}" if self.changes else str(self.ensemble)

    @property
    def log(self) -> str:
        """The changes and what they did, for people."""
        parts = []
        for k, change in enumerate(self.changes):
            effect = str(self.effects[k]).splitlines() if self.effects else []
            parts.append("\n   ".join([f"{k + 1}. {change}", *_signature(change), *effect]))
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Give the log as plain values."""
        documents = [change_document(change) for change in self.changes]
        for document, effect in zip(documents, self.effects, strict=False):
            document["effect"] = {name: getattr(effect, name) for name in effect.__slots__}
        return log_document(
            self.original, self.ensemble, self.reg_lambda, self.class_weights, documents
        )

    def to_json(self) -> str:
        """Write the log as JSON, which `EditLog.from_json` reads."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def _signature(change: Change) -> list[str]:
    reason = [f"reason: {change.reason}"] if change.reason else []
    if not change.author:
        return reason
    return [*reason, ", ".join(filter(None, (f"by {change.author}", change.time)))]
