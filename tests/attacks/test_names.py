"""Some hostile names everywhere; `make attack` tries all. The tests of exports draw from all."""

import pytest
from attacks.names import CASES, attack
from attacks.registry import ATTACKS

SOME = [("'); DROP TABLE t; --",), ("größe", "gro\u0308ße")]


@pytest.mark.parametrize("names", SOME, ids=ascii)
def test_names_are_used_or_refused(names):
    assert attack(CASES.index(names)) in ("used everywhere", "refused somewhere")


def test_a_campaign_tries_all_names():
    assert ATTACKS["names"].count(size=0.1) == len(CASES)
