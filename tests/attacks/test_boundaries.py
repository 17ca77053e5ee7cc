"""Some models at their boundaries; the tests of exports try sums, `make attack` all kinds."""

import pytest
from attacks.boundaries import KINDS, attack


@pytest.mark.parametrize("case", [0, 1, 3])
def test_exports_decide_rows_on_a_boundary_as_the_model_does(case):
    assert attack(case) == KINDS[case][0]
