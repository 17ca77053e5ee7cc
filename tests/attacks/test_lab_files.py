"""Some spoiled files of the laboratory; `make attack` tries many."""

import pytest
from attacks.lab_files import attack


@pytest.mark.parametrize("case", range(40))
def test_a_spoiled_file_is_read_or_refused(case):
    assert attack(case) in ("read", "refused")
