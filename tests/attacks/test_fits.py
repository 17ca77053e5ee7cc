"""Some random fits; `make attack` does many, under sanitizers."""

from collections import Counter

from attacks.fits import attack
from attacks.registry import ATTACKS


def test_random_fits_give_models_or_messages():
    outcomes = Counter(attack(case) for case in range(200))
    assert not ATTACKS["fits"].strange(outcomes), outcomes
