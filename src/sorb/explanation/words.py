"""Why a model says what it says about a row, in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sorb.explanation.subject import DIGITS, Subject, amount
from sorb.losses import Readout
from sorb.rules import notation

if TYPE_CHECKING:
    from sorb.explanation.explanation import RowExplanation

__all__ = ["sentences"]

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentences(row: RowExplanation) -> str:
    """Tell how many rules apply to a row, which is the largest, and what the model says."""
    subject = Subject.of(row)
    if row.ensemble.classes is not None and len(row.ensemble.classes) == 1:
        return f"The model knows only one class: {notation.label(row.ensemble.classes[0])}."
    told = f"{_how_many(row)}{_what_they_do(row, subject)}"
    return f"{told} The model says {subject.answer}." if subject.answer else told


def _how_many(row: RowExplanation) -> str:
    """Count the rules that apply.

    "Three of the five rules apply", in all its forms.
    """
    rules, applying = len(row.covered), int(row.covered.sum())
    if rules == 0:
        return "The model has no rules"
    if rules == 1:
        return "The only rule applies" if applying else "The only rule does not apply"
    if applying == 0:
        return f"{'Neither' if rules == 2 else 'None'} of the {_count(rules)} rules applies"
    if applying == rules:
        return "Both rules apply" if rules == 2 else f"All {_count(rules)} rules apply"
    some = _count(applying).capitalize()
    return f"{some} of the {_count(rules)} rules {'applies' if applying == 1 else 'apply'}"


def _what_they_do(row: RowExplanation, subject: Subject) -> str:
    applying = np.flatnonzero(row.covered)
    if not len(applying):
        return f": {subject.name} is {amount(row.ensemble.loss, subject.start)}."
    way = _way(row, subject, many=len(applying) > 1)
    if len(applying) == 1:
        return f": {_rule(row, applying[0])}, which {way}."
    # The largest vote has the largest effect, but not with several classes, where votes for one
    # lower the others.
    size = subject.added if isinstance(row.ensemble.offset, tuple) else row.contributions
    largest = applying[np.argmax(np.abs(size[applying]))]
    comparison = "larger" if len(applying) == 2 else "largest"
    effect = _effect(row, subject, largest)
    return f"; the {comparison} is {_rule(row, largest)}, which {effect}. Together they {way}."


def _way(row: RowExplanation, subject: Subject, many: bool) -> str:
    """Tell what becomes of the number: "raises the probability of ill from 5 % to 24 %"."""
    start, end = amount(row.ensemble.loss, subject.start), amount(row.ensemble.loss, subject.end)
    what, s = ("it", "") if many else (subject.name, "s")
    if start == end:
        return f"leave{s} {what} at {end}"
    return f"{'raise' if subject.end > subject.start else 'lower'}{s} {what} from {start} to {end}"


def _effect(row: RowExplanation, subject: Subject, rule: int) -> str:
    """Tell what one rule does: "raises the probability of ill by 19 percentage points"."""
    return EFFECTS[row.ensemble.loss.readout](
        subject.name, float(row.contributions[rule]), float(subject.added[rule])
    )


def _adds(name: str, vote: float, added: float) -> str:
    return _moves(name, added, notation.number(abs(added), DIGITS))


def _multiplies(name: str, vote: float, added: float) -> str:
    factor = notation.number(math.exp(vote), DIGITS)
    return f"multiplies {name} by {factor}" if vote else f"does not change {name}"


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
