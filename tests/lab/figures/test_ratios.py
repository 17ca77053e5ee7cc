import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab.figures.models import BMI, LOGARITHMS, people

from sorb import Proposition
from sorb.lab.figures.ratios import as_ratio, original, with_ratios


@pytest.mark.parametrize(
    ("columns", "weights", "threshold", "expected"),
    [
        (LOGARITHMS[1:], (1.0, -2.0), math.log(25.0), "weight / height² ≥ 25"),
        (LOGARITHMS[1:], (-0.45, 1.0), -1.44, "weight / height^2.22 ≤ 24.53"),
        (LOGARITHMS[:2], (1.0, 1.0), math.log(3000.0), "age · weight ≥ 3000"),
        (LOGARITHMS[:1], (-2.0,), -2 * math.log(40.0), "age ≤ 40"),
        (LOGARITHMS, (0.0001, 1.0, -1.0), 0.0, "age^0.0001 · weight / height ≥ 1"),
        (LOGARITHMS, (1.0, -2.0, -2.0), 0.0, "age / (weight² · height²) ≥ 1"),
        (("age", "log(weight)"), (1.0, 1.0), 3.0, 'age + "log(weight)" ≥ 3'),
        (LOGARITHMS[:1], (1.0,), 5000.0, "age ≥ 1.014e304"),
    ],
)
def test_logarithms_are_written_as_ratios(columns, weights, threshold, expected):
    assert str(as_ratio(Proposition(columns, weights, threshold))) == expected


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]), min_size=3, max_size=3),
    st.sampled_from([-1.0, 0.0, 1.5]),
    st.lists(st.floats(0.1, 10.0), min_size=3, max_size=3),
)
def test_a_ratio_means_what_the_proposition_means(weights, threshold, person):
    proposition = Proposition(LOGARITHMS, weights, threshold)
    total = float(np.dot(weights, np.log(person)))
    if abs(total - threshold) < 1e-6:
        return
    columns = tuple(map(original, LOGARITHMS))
    assert as_ratio(proposition)(np.array([person]), columns) == [total >= threshold]


def test_rules_are_stated_with_ratios():
    assert str(with_ratios(BMI)).splitlines() == ["−3  always", "+2  if  weight / height² ≥ 25"]
    assert str(with_ratios(people())).splitlines()[1] == "+2  always"
