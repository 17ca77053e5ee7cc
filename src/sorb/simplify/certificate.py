"""Certificates: what a simplification changed and what it did not, as text and as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sorb.losses import Loss
from sorb.rules import AnyProposition, Label
from sorb.rules.notation import count, label, number
from sorb.simplify.digits import proposition_digits, significant_digits
from sorb.simplify.text_tables import align_columns

__all__ = ["Certificate", "PropositionChange", "VoteChange"]

# How many row numbers are printed; `to_dict` has all of them.
MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class PropositionChange:
    """One proposition before and after.

    Attributes
    ----------
    rule : int
        The index of its rule.
    before, after : Proposition, Product or Membership
        The proposition before and after.
    margin : float or None
        The distance from the new threshold to the nearest row's sum or product. A row exactly on
        the boundary is covered, at a distance of 0. None for categories, or if no row has a
        finite sum or product.
    relative_margin : float or None
        The same as a share of the distance to the farthest row.
    changed_rows : tuple of int
        The rows that changed side, counted from 0.
    units : tuple of pairs of str
        The names of columns with their units.
    """

    rule: int
    before: AnyProposition
    after: AnyProposition
    margin: float | None
    relative_margin: float | None
    changed_rows: tuple[int, ...]
    units: tuple[tuple[str, str], ...] = ()

    @property
    def digits_before(self) -> int:
        """The significant digits of the threshold and of coefficients or powers other than 1."""
        return proposition_digits(self.before)

    @property
    def digits_after(self) -> int:
        """The same after the change."""
        return proposition_digits(self.after)

    @property
    def printed(self) -> tuple[str, str]:
        """The proposition before and after, printed in all digits."""
        units = dict(self.units)
        return self.before.format(None, units), self.after.format(None, units)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        before, after = self.printed
        return {
            "rule": self.rule,
            "before": before,
            "after": after,
            "digits_before": self.digits_before,
            "digits_after": self.digits_after,
            "margin": self.margin,
            "relative_margin": self.relative_margin,
            "changed_rows": list(self.changed_rows),
        }


@dataclass(frozen=True, slots=True)
class VoteChange:
    """The vote of a rule, or an offset, before and after.

    Attributes
    ----------
    rule : int or None
        The index of the rule; None for an offset.
    output : int
        The index of the class it is for; 0 if there is only one output.
    before, after : float
        Its value before and after.
    label : str, int, float, bool or None
        The label of the class it is for; None if there is only one output.
    """

    rule: int | None
    output: int
    before: float
    after: float
    label: Label | None = None

    @property
    def digits_before(self) -> int:
        """The significant digits."""
        return significant_digits(self.before)

    @property
    def digits_after(self) -> int:
        """The same after the change."""
        return significant_digits(self.after)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        return {
            "rule": self.rule,
            "output": self.output,
            "class": self.label,
            "before": self.before,
            "after": self.after,
            "digits_before": self.digits_before,
            "digits_after": self.digits_after,
        }


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a simplification changed, checked on all rows with the arithmetic of the model.

    Attributes
    ----------
    n_rows : int
        The number of rows that were checked, not counting those of weight 0.
    propositions : tuple of PropositionChange
        All propositions, in the order of the rules.
    votes : tuple of VoteChange
        The offset or offsets, then the votes of the rules.
    largest_change : float
        The largest change of a score.
    risk_before, risk_after : float or None
        The mean loss, if the outcomes were given.
    changed_classes : int or None
        The number of rows that are now assigned another class; None if there are no classes.
    loss : Loss or None
        The loss of the model.
    """

    n_rows: int
    propositions: tuple[PropositionChange, ...]
    votes: tuple[VoteChange, ...]
    largest_change: float
    risk_before: float | None = None
    risk_after: float | None = None
    changed_classes: int | None = None
    loss: Loss | None = None

    @property
    def changed_rows(self) -> tuple[int, ...]:
        """The rows that changed side in some proposition."""
        return tuple(sorted({row for change in self.propositions for row in change.changed_rows}))

    @property
    def digits_before(self) -> int:
        """The significant digits of all propositions and votes."""
        return sum(p.digits_before for p in self.propositions) + sum(
            vote.digits_before for vote in self.votes
        )

    @property
    def digits_after(self) -> int:
        """The same after the change."""
        return sum(p.digits_after for p in self.propositions) + sum(
            vote.digits_after for vote in self.votes
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON.

        Examples
        --------
        >>> Certificate(2, (), (VoteChange(None, 0, 0.123, 0.1),), 0.023).to_dict()["digits_after"]
        1
        """
        return {
            "n_rows": self.n_rows,
            "changed_rows": list(self.changed_rows),
            "digits_before": self.digits_before,
            "digits_after": self.digits_after,
            "largest_change": self.largest_change,
            "risk_before": self.risk_before,
            "risk_after": self.risk_after,
            "changed_classes": self.changed_classes,
            "propositions": [change.to_dict() for change in self.propositions],
            "votes": [change.to_dict() for change in self.votes],
        }

    def __str__(self) -> str:
        parts = [self.summary, _proposition_table(self.propositions), _vote_table(self.votes)]
        return "\n\n".join(part for part in parts if part)

    @property
    def summary(self) -> str:
        """A summary of what changed, in a few lines."""
        lines = [
            self.sides(),
            f"{self.digits_before} significant digits became {self.digits_after}.",
            f"The largest change of a score is {number(self.largest_change, 3)}.",
        ]
        if self.loss and self.risk_before is not None and self.risk_after is not None:
            before, after = map(self.loss.measured, (self.risk_before, self.risk_after))
            lines.append(
                f"The {self.loss.measure} was {number(before, 5)} and is {number(after, 5)}."
            )
        if self.changed_classes is not None:
            lines.append(f"Rows that are assigned another class: {self.changed_classes or 'none'}.")
        return "\n".join(lines)

    def sides(self) -> str:
        """Say for how many rows some proposition is true before and false after, or vice versa."""
        who = f"{len(self.changed_rows) or 'none'} of the {count(self.n_rows, 'row')}"
        return f"Rounding the numbers changes whether a condition is met for {who}."


def _proposition_table(changes: Sequence[PropositionChange]) -> str:
    if not changes:
        return ""
    rows = [("rule", "proposition before, and after", "digits", "nearest row", "changed side")]
    for change in changes:
        before, after = change.printed
        rows.append((str(change.rule + 1), before, str(change.digits_before), "", ""))
        rows.append(
            (
                "",
                after,
                str(change.digits_after),
                _margin(change),
                _rows(change.changed_rows),
            )
        )
    return align_columns(rows, right=(0, 2))


def _margin(change: PropositionChange) -> str:
    if change.margin is None or change.relative_margin is None:
        return "none"
    return f"{number(change.margin, 2)} ({number(100 * change.relative_margin, 2)} %)"


def _rows(rows: Sequence[int]) -> str:
    if not rows:
        return "none"
    more = "" if len(rows) <= MOST_ROWS else f" and {len(rows) - MOST_ROWS} more"
    return ", ".join(map(str, rows[:MOST_ROWS])) + more


def _vote_table(changes: Sequence[VoteChange]) -> str:
    several = any(change.label is not None for change in changes)
    rows = [("vote", *(["class"] if several else []), "before", "after", "digits")]
    for change in changes:
        rows.append(
            (
                "offset" if change.rule is None else f"rule {change.rule + 1}",
                *([label(change.label)] if several else []),
                number(change.before, None),
                number(change.after, None),
                f"{change.digits_before} → {change.digits_after}",
            )
        )
    return align_columns(rows, right=(2, 3) if several else (1, 2))
