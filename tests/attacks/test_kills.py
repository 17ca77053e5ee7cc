"""A few kills; `make attack` tries many. A run that is killed is in tests/lab/test_runner.py."""

import numpy as np
import pytest
from attacks.kills import cut_save, kill_save


@pytest.mark.parametrize("case", range(2))
def test_a_killed_save_leaves_a_whole_file(case, tmp_path):
    assert kill_save(np.random.default_rng(case), tmp_path) in ("while writing", "between writes")


def test_a_save_that_is_cut_off_leaves_the_old_file(tmp_path):
    assert cut_save(np.random.default_rng(0), tmp_path) == "while writing"
