"""Some hostile names everywhere; `make attack` tries all. The tests of exports draw from all."""

import pytest
from attacks.names import CASES, attack

SOME = [("'); DROP TABLE t; --",), ("größe", "gro\u0308ße")]


@pytest.mark.parametrize("names", SOME, ids=ascii)
def test_names_are_used_or_refused(names):
    assert attack(CASES.index(names)) in ("used everywhere", "refused somewhere")
