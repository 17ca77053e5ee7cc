"""Some mutated model files; `make attack` tries many."""

from collections import Counter

from attacks.model_files import attack
from attacks.registry import ATTACKS


def test_mutated_files_are_read_or_refused():
    outcomes = Counter(attack(case) for case in range(300))
    assert not ATTACKS["model_files"].strange(outcomes), outcomes
