"""Long sums in fewer digits without rows, by the ranges that a model remembers of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sorb.rules import AnyProposition, Condition, Proposition, RuleEnsemble
from sorb.simplify.digits import MOST_DIGITS, longest_number, neighbours, proposition_digits
from sorb.simplify.shorten_conditions import condition_of_all

__all__ = ["TOLERANCE", "round_sums"]

# Of the range that a sum may have: no row whose sum is farther from the threshold changes side.
TOLERANCE = 0.001


def round_sums(ensemble: RuleEnsemble, readable: int) -> tuple[RuleEnsemble, tuple[str, ...]]:
    """Round sums of columns with numbers of more than `readable` digits; say which became what.

    The range of a sum is that of all values between the least and the largest of each column in
    training. Sums with a column whose range is not remembered stay as they are.

    Examples
    --------
    >>> from sorb.rules import ColumnExperience, Rule
    >>> exact = Proposition(("age", "bmi"), (1.0, -0.51234567), 12.3456789)
    >>> seen = {"age": ColumnExperience(False, (18, 84)), "bmi": ColumnExperience(False, (17, 51))}
    >>> rules = (Rule(Condition((exact,)), 1.0),)
    >>> ensemble = RuleEnsemble(0.0, rules, ("age", "bmi"), "logistic", experience=seen)
    >>> print(round_sums(ensemble, 6)[0][0].condition)
    age − 0.512 bmi ≥ 12.4
    """
    ranges = {name: seen.range for name, seen in ensemble.experience if seen.range is not None}
    rules, rounded = [], []
    for rule in ensemble:
        parts = list(rule.condition.propositions)
        for place, part in enumerate(parts):
            shorter = _round(part, ranges, readable)
            found = condition_of_all([*parts[:place], shorter, *parts[place + 1 :]])
            if shorter != part and found is not None:
                parts[place] = shorter
                rounded.append(shorter.format(None, dict(ensemble.units)))
        rules.append(replace(rule, condition=Condition(tuple(parts))))
    return replace(ensemble, rules=tuple(rules)), tuple(dict.fromkeys(rounded))


def _round(
    proposition: AnyProposition, ranges: Mapping[str, tuple[float, float]], readable: int
) -> AnyProposition:
    if not isinstance(proposition, Proposition) or len(proposition.columns) < 2:
        return proposition
    if longest_number(Condition((proposition,))) <= readable:
        return proposition
    if any(name not in ranges for name in proposition.columns):
        return proposition
    found = _rounded_sum(proposition, [ranges[name] for name in proposition.columns])
    return found if proposition_digits(found) < proposition_digits(proposition) else proposition


def _rounded_sum(proposition: Proposition, ranges: Sequence[tuple[float, float]]) -> Proposition:
    largest = max(map(abs, proposition.weights))
    exact = [weight / largest for weight in proposition.weights]
    threshold = proposition.threshold / largest
    halves = [high / 2 - low / 2 for low, high in ranges]
    error = 2 * sum(abs(w) * half for w, half in zip(exact, halves, strict=True)) * TOLERANCE
    if not error > 0:  # all columns were constant
        return proposition
    # At most half of the error is for the weights, in equal shares; the rest is for the threshold.
    share = error / 2 / len(exact)
    weights = []
    for weight, half, (low, high) in zip(exact, halves, ranges, strict=True):
        rounded = _shortest(weight, share / half if half else 0.0)
        weights.append(rounded)
        # This moves the sum by so much at the ends of the range, and in its middle by what the
        # threshold follows.
        error -= abs(rounded - weight) * half
        threshold += (rounded - weight) * (low / 2 + high / 2)
    return replace(proposition, weights=tuple(weights), threshold=_shortest(threshold, error))


def _shortest(value: float, error: float) -> float:
    """Give a number of the fewest digits that is not farther from a value than an error."""
    candidates = (
        near for digits in range(1, MOST_DIGITS + 1) for near in neighbours(value, digits)
    )
    return next((near for near in candidates if near and abs(near - value) <= error), value)
