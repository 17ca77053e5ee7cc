"""Comparisons that are rounded without rows: only rows next to a threshold may change side."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from simplify.models import one_rule
from simplify.tables import for_all

from sorb.rules import ColumnExperience, Product, Proposition
from sorb.simplify.digits import longest_number
from sorb.simplify.rounded_comparisons import TOLERANCE, round_comparisons

numbers = st.floats(-100, 100).filter(lambda value: abs(value) > 1e-3)
ranges = st.tuples(st.floats(-1000, 1000), st.floats(1e-3, 1000)).map(lambda p: (p[0], sum(p)))


def remembering(proposition, columns, found):
    ensemble = one_rule(proposition, columns=columns)
    seen = {name: ColumnExperience(False, r) for name, r in zip(columns, found, strict=False)}
    return type(ensemble)(0.0, ensemble.rules, columns, "squared", experience=seen)


@for_all(st.tuples(numbers, numbers), st.tuples(ranges, ranges), st.floats(0, 1), st.integers(0))
def test_rows_beyond_the_tolerance_stay_on_their_side(weights, found, place, seed):
    X = np.random.default_rng(seed).uniform(*np.transpose(found), size=(500, 2))
    sums = X @ weights
    threshold = float(sums.min() + place * np.ptp(sums))
    exact = remembering(Proposition(("a", "b"), weights, threshold), ("a", "b"), found)
    shorter, rounded = round_comparisons(exact, 6)
    assume(rounded)
    span = sum(abs(w) * (high - low) for w, (low, high) in zip(weights, found, strict=True))
    far = np.abs(sums - threshold) > TOLERANCE * span * (1 + 1e-9)
    assert (shorter.covers(X) == exact.covers(X))[far].all()
    assert longest_number(shorter[0].condition) < longest_number(exact[0].condition)


@for_all(st.sampled_from([1.0, -1.0, 2.5]), ranges, st.floats(0.01, 0.99), st.integers(0))
def test_a_threshold_of_one_column_moves_by_a_thousandth_of_its_range(weight, found, place, seed):
    low, high = found
    x = np.random.default_rng(seed).uniform(low, high, size=(500, 1))
    at = low + place * (high - low)
    exact = remembering(Proposition(("a",), (weight,), weight * at), ("a",), [found])
    shorter, rounded = round_comparisons(exact, 6)
    assume(rounded)
    far = np.abs(x[:, 0] - at) > TOLERANCE * (high - low) * (1 + 1e-9)
    assert (shorter.covers(x) == exact.covers(x))[far].all()
    assert longest_number(shorter[0].condition) < longest_number(exact[0].condition)


positive = st.tuples(st.floats(0.01, 100), st.floats(1.1, 1e3)).map(lambda p: (p[0], p[0] * p[1]))


@for_all(
    st.tuples(*[st.sampled_from([1.0, -2.0, 0.51234567, -1.2345678])] * 2),
    st.tuples(positive, positive),
    st.floats(0.01, 0.99),
    st.booleans(),
    st.integers(0),
)
def test_products_move_by_a_thousandth_of_their_logarithmic_range(
    powers, found, place, at_most, seed
):
    logarithms = np.log(found)
    X = np.exp(np.random.default_rng(seed).uniform(*logarithms.T, size=(500, 2)))
    sums = np.log(X) @ powers
    at = float(sums.min() + place * np.ptp(sums))
    exact = remembering(Product(("a", "b"), powers, np.exp(at), at_most), ("a", "b"), found)
    shorter, rounded = round_comparisons(exact, 6)
    assume(rounded)
    far = np.abs(sums - at) > TOLERANCE * np.abs(powers) @ np.ptp(logarithms, axis=1) * (1 + 1e-9)
    assert (shorter.covers(X) == exact.covers(X))[far].all()
    assert longest_number(shorter[0].condition) < longest_number(exact[0].condition)


def test_a_ratio_keeps_its_whole_powers():
    ratio = Product(("a", "b"), (1, -2), 25.123456789)
    (shorter,) = round_comparisons(remembering(ratio, ("a", "b"), [(40, 120), (1.4, 2)]), 6)[1]
    assert shorter == "a / b² ≥ 25.1"


def test_what_is_short_or_unknown_stays():
    known = ((0.0, 1.0), (0.0, 2.0))
    for proposition, found in (
        (Proposition(("a", "b"), (1.0, 0.25), 0.5), known),
        (Proposition(("a", "b"), (1.0, 0.123456789), 0.5), known[:1]),
        (Proposition(("a", "b"), (1.0, 0.123456789), 0.5), ((1.0, 1.0), (2.0, 2.0))),
        (Proposition(("a",), (1.0,), 0.5), known),
        (Product(("a", "b"), (1, -1), 0.123456789), known),  # which may be 0
    ):
        exact = remembering(proposition, ("a", "b"), found)
        assert round_comparisons(exact, 6) == (exact, ())
