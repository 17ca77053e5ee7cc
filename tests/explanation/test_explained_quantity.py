import math
import re

from hypothesis import given
from hypothesis import strategies as st

from sorb.explanation.explained_quantity import percent


@given(st.floats(0, 1))
def test_percentages_are_never_rounded_to_certainty(share):
    words = percent(share)
    assert words not in ("0 %", "100 %")
    number = float(re.search(r"[0-9.]+", words)[0]) / 100
    assert math.isclose(number, share, rel_tol=0.051, abs_tol=1.01e-4)
    assert math.isclose(1 - number, 1 - share, rel_tol=0.051, abs_tol=1.01e-4)
