"""Votes and offsets in fewer digits, as far as a criterion allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sorb.rules import RuleEnsemble
from sorb.simplify.digits import MOST_DIGITS, neighbours, significant_digits

__all__ = ["Criterion", "shorten_votes"]

# Whether an ensemble with other votes is good enough.
Criterion: TypeAlias = Callable[[RuleEnsemble], bool]


def _with_votes(ensemble: RuleEnsemble, values: Sequence[float]) -> RuleEnsemble:
    """Give the same rules with other offsets and votes."""
    n_offsets = len(ensemble.offsets)
    offset = tuple(values[:n_offsets]) if ensemble.loss.score_per_class else values[0]
    return ensemble.with_votes(offset, values[n_offsets:])


def shorten_votes(ensemble: RuleEnsemble, acceptable: Criterion) -> RuleEnsemble:
    """Round all votes to the same number of digits, then each one further, while acceptable.

    Examples
    --------
    >>> from sorb.rules import Condition, Rule
    >>> ensemble = RuleEnsemble(2.345, (Rule(Condition(), 0.123),), ("age",), "squared")
    >>> print(shorten_votes(ensemble, lambda found: abs(found.offset - 2.345) < 0.05))
    +2.3  always
    +0.1  always
    """
    exact = ensemble.offsets_and_votes
    present = _round_together(ensemble, acceptable)
    for i, value in enumerate(exact):
        for digits in range(1, significant_digits(present[i])):
            shorter = (*present[:i], neighbours(value, digits)[0], *present[i + 1 :])
            if acceptable(_with_votes(ensemble, shorter)):
                present = shorter
                break
    return _with_votes(ensemble, present)


def _round_together(ensemble: RuleEnsemble, acceptable: Criterion) -> tuple[float, ...]:
    exact = ensemble.offsets_and_votes
    for digits in range(1, MOST_DIGITS):
        rounded = tuple(neighbours(value, digits)[0] for value in exact)
        if acceptable(_with_votes(ensemble, rounded)):
            return rounded
    return exact
