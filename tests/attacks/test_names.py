"""Some hostile names everywhere; `make attack` tries all. The tests of exports draw from all."""

import pytest
from attacks.names import CASES, attack
from attacks.registry import ATTACKS

# A file with a single column of this name looks as if it had several.
REFUSED = ("'); DROP TABLE t; --",)
USED = ("größe", "gro\u0308ße")


@pytest.mark.parametrize(
    ("names", "outcome"), [(REFUSED, "refused somewhere"), (USED, "used everywhere")]
)
def test_names_are_used_or_refused(names, outcome):
    assert attack(CASES.index(names)) == outcome


def test_a_campaign_tries_all_names():
    assert ATTACKS["names"].count(size=0.1) == len(CASES)
