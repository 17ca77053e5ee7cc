"""Sentences that say why a model predicts what it predicts of a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sorb.explanation.explained_quantity import DIGITS, ExplainedQuantity, amount, factor
from sorb.losses import Readout
from sorb.rules import notation

if TYPE_CHECKING:
    from sorb.explanation.explanation import RowExplanation

__all__ = ["sentences"]

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentences(row: RowExplanation) -> str:
    """Say how many rules cover a row, which matters most, and what the model predicts."""
    quantity = ExplainedQuantity.of(row)
    if row.ensemble.classes is not None and len(row.ensemble.classes) == 1:
        return f"The model knows only one class: {notation.label(row.ensemble.classes[0])}."
    effect = f"{_how_many(row)}{_what_they_do(row, quantity)}"
    return f"{effect} The model says {quantity.answer}." if quantity.answer else effect


def _how_many(row: RowExplanation) -> str:
    """Say how many rules cover the row: "Three of the five rules cover this row"."""
    rules, covering = len(row.covered), int(row.covered.sum())
    if rules == 0:
        return "The model has no rules"
    if rules == 1:
        verb = "covers" if covering else "does not cover"
        return f"The only rule {verb} this row"
    if covering == 0:
        return f"{'Neither' if rules == 2 else 'None'} of the {_count(rules)} rules covers this row"
    if covering == rules:
        all_of_them = "Both rules" if rules == 2 else f"All {_count(rules)} rules"
        return f"{all_of_them} cover this row"
    some = _count(covering).capitalize()
    return f"{some} of the {_count(rules)} rules {'covers' if covering == 1 else 'cover'} this row"


def _what_they_do(row: RowExplanation, quantity: ExplainedQuantity) -> str:
    covering = np.flatnonzero(row.covered)
    if not len(covering):
        return f": {quantity.name} is {amount(row.ensemble.loss, quantity.start)}."
    way = _way(row, quantity, many=len(covering) > 1)
    if len(covering) == 1:
        return f": {_rule(row, covering[0])}, which {way}."
    # The largest vote has the largest effect, but not with several classes, where votes for one
    # lower the others.
    size = quantity.added if isinstance(row.ensemble.offset, tuple) else row.contributions
    largest = covering[np.argmax(np.abs(size[covering]))]
    comparison = "larger" if len(covering) == 2 else "largest"
    effect = _effect(row, quantity, largest)
    return f"; the {comparison} is {_rule(row, largest)}, which {effect}. Together they {way}."


def _way(row: RowExplanation, quantity: ExplainedQuantity, many: bool) -> str:
    """Say what becomes of the quantity: "raises the probability of ill from 5 % to 24 %"."""
    start, end = amount(row.ensemble.loss, quantity.start), amount(row.ensemble.loss, quantity.end)
    what, s = ("it", "") if many else (quantity.name, "s")
    if start == end:
        return f"leave{s} {what} at {end}"
    verb = "raise" if quantity.end > quantity.start else "lower"
    return f"{verb}{s} {what} from {start} to {end}"


def _effect(row: RowExplanation, quantity: ExplainedQuantity, rule: int) -> str:
    """Say what one rule does: "raises the probability of ill by 19 percentage points"."""
    return row.ensemble.loss.by_readout(EFFECTS, "explained")(
        quantity.name, float(row.contributions[rule]), float(quantity.added[rule])
    )


def _adds(name: str, vote: float, added: float) -> str:
    return _moves(name, added, notation.number(abs(added), DIGITS))


def _multiplies(name: str, vote: float, added: float) -> str:
    return f"multiplies {name} by {factor(vote)}" if vote else f"does not change {name}"


def _adds_points(name: str, vote: float, added: float) -> str:
    written = notation.number(abs(100 * added), 2)
    return _moves(name, added, f"{written} percentage point{'' if written == '1' else 's'}")


def _moves(name: str, added: float, size: str) -> str:
    if not added:
        return f"does not change {name}"
    return f"{'raises' if added > 0 else 'lowers'} {name} by {size}"


EFFECTS: dict[Readout, Callable[[str, float, float], str]] = {
    Readout.IDENTITY: _adds,
    Readout.EXPONENTIAL: _multiplies,
    Readout.SIGMOID: _adds_points,
    Readout.SOFTMAX: _adds_points,
}


def _rule(row: RowExplanation, number: int) -> str:
    digits, units = row.ensemble.shown_digits(), dict(row.ensemble.units)
    condition = row.ensemble[int(number)].condition.format(digits, units)
    condition = condition.replace("  and  ", " and ")
    return condition if len(row.covered) == 1 else f"rule {number + 1}, {condition}"


def _count(number: int) -> str:
    return COUNTS[number] if number < len(COUNTS) else str(number)
