"""Some mutated model files; `make attack` tries many."""

import pytest
from attacks.model_files import attack


@pytest.mark.parametrize("case", range(300))
def test_a_mutated_file_is_read_or_refused(case):
    assert attack(case) in ("read", "refused")
