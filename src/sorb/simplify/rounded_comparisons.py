"""Long numbers in fewer digits without rows, by the ranges that a model remembers of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sorb.rules import AnyProposition, Condition, Membership, Product, Proposition, RuleEnsemble
from sorb.simplify.digits import MOST_DIGITS, longest_number, neighbours, proposition_digits
from sorb.simplify.shorten_conditions import condition_of_all

__all__ = ["TOLERANCE", "round_comparisons"]

# Of the range that a sum may have: no row whose sum is farther from the threshold changes side. A
# product is a sum of logarithms here.
TOLERANCE = 0.001


def round_comparisons(
    ensemble: RuleEnsemble, readable: int
) -> tuple[RuleEnsemble, tuple[str, ...]]:
    """Round comparisons with numbers of more than `readable` digits; say which became what.

    The range of a sum or product is that of all values between the least and the largest of each
    column in training. Those with a column whose range is not remembered stay as they are.

    Examples
    --------
    >>> from sorb.rules import ColumnExperience, Rule
    >>> exact = Proposition(("age", "bmi"), (1.0, -0.51234567), 12.3456789)
    >>> seen = {"age": ColumnExperience(False, (18, 84)), "bmi": ColumnExperience(False, (17, 51))}
    >>> rules = (Rule(Condition((exact,)), 1.0),)
    >>> ensemble = RuleEnsemble(0.0, rules, ("age", "bmi"), "logistic", experience=seen)
    >>> print(round_comparisons(ensemble, 6)[0][0].condition)
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
    if isinstance(proposition, Membership):
        return proposition
    if longest_number(Condition((proposition,))) <= readable:
        return proposition
    if any(name not in ranges for name in proposition.columns):
        return proposition
    known = [ranges[name] for name in proposition.columns]
    found = (
        _rounded_product(proposition, known)
        if isinstance(proposition, Product)
        else _rounded_sum(proposition, known)
    )
    return found if proposition_digits(found) < proposition_digits(proposition) else proposition


def _rounded_sum(proposition: Proposition, ranges: Sequence[tuple[float, float]]) -> Proposition:
    largest = max(map(abs, proposition.weights))
    exact = [weight / largest for weight in proposition.weights]
    found = _rounded_weights(exact, proposition.threshold / largest, ranges)
    if found is None:
        return proposition
    weights, threshold, error = found
    return replace(proposition, weights=weights, threshold=_shortest(threshold, error))


def _rounded_product(product: Product, ranges: Sequence[tuple[float, float]]) -> Product:
    """Round it as the sum of logarithms that it is."""
    if any(low <= 0 for low, _ in ranges):
        return product
    logarithms = [(math.log(low), math.log(high)) for low, high in ranges]
    found = _rounded_weights(product.powers, math.log(product.threshold), logarithms)
    if found is None:
        return product
    powers, logarithm, error = found
    threshold = math.exp(logarithm)
    return replace(
        product, powers=powers, threshold=_shortest(threshold, -threshold * math.expm1(-error))
    )


def _rounded_weights(
    exact: Sequence[float], threshold: float, ranges: Sequence[tuple[float, float]]
) -> tuple[tuple[float, ...], float, float] | None:
    """Round the weights of a sum; give also the threshold that follows, and the error it may have.

    None if all columns were constant.
    """
    halves = [high / 2 - low / 2 for low, high in ranges]
    error = 2 * sum(abs(w) * half for w, half in zip(exact, halves, strict=True)) * TOLERANCE
    if not error > 0:
        return None
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
    return tuple(weights), threshold, error


def _shortest(value: float, error: float) -> float:
    """Give a number of the fewest digits that is not farther from a value than an error."""
    candidates = (
        near for digits in range(1, MOST_DIGITS + 1) for near in neighbours(value, digits)
    )
    return next((near for near in candidates if near and abs(near - value) <= error), value)
