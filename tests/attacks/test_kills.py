"""A few kills; `make attack` tries many. A run that is killed is in tests/lab/test_runner.py."""

import numpy as np
import pytest
from attacks.kills import kill_save


@pytest.mark.parametrize("case", range(2))
def test_a_killed_save_leaves_a_whole_file(case, tmp_path):
    kill_save(np.random.default_rng(case), tmp_path)
