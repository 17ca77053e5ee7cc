"""Some spoiled files of the laboratory; `make attack` tries many."""

from collections import Counter

from attacks.lab_files import attack
from attacks.registry import ATTACKS


def test_spoiled_files_are_read_or_refused():
    outcomes = Counter(attack(case) for case in range(40))
    assert not ATTACKS["lab_files"].strange(outcomes), outcomes
