"""Thresholds without the digits that rounding left: no written number changes side."""

import numpy as np
from hypothesis import strategies as st
from simplify.models import one_rule
from simplify.tables import for_all

from sorb.rules import Membership, Proposition
from sorb.simplify.decimal_thresholds import drop_rounding_digits
from sorb.simplify.digits import significant_digits

written = st.decimals(-1000, 1000, places=3).map(float)


@for_all(written, st.integers(-30, 30), st.sampled_from([1.0, -1.0]))
def test_numbers_of_few_digits_stay_on_their_side(value, ulps, sign):
    threshold = sign * value
    for _ in range(abs(ulps)):
        threshold = np.nextafter(threshold, np.sign(ulps) * np.inf)
    exact = one_rule(Proposition(("a",), (sign,), threshold))
    shorter = drop_rounding_digits(exact)
    X = np.array([[value - 0.001], [value], [value + 0.001]])
    assert (shorter.covers(X) == exact.covers(X)).all()
    assert significant_digits(shorter[0].condition.propositions[0].threshold) <= 12


def test_other_propositions_stay():
    others = Proposition(("a", "b"), (1.0, 0.1 + 0.2), 1 / 3), Membership("a", (1 / 3,))
    for other in others:
        exact = one_rule(other, columns=("a", "b"))
        assert drop_rounding_digits(exact) == exact


def test_a_range_stays_a_range():
    both = (
        Proposition(("a",), (1.0,), 1.4999999999999),
        Proposition(("a",), (-1.0,), -1.49999999999999),
    )
    assert len(drop_rounding_digits(one_rule(*both))[0].condition.propositions) == 2
