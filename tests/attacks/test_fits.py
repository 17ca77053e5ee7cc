"""Some random fits; `make attack` does many, under sanitizers."""

import pytest
from attacks.fits import attack


@pytest.mark.parametrize("case", range(200))
def test_a_random_fit_gives_a_model_or_a_message(case):
    assert attack(case) in ("fitted", "refused")
