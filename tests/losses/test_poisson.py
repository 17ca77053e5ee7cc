import numpy as np

from sorb.losses import loss_by_name


def test_poisson_loses_nothing_for_no_count_at_a_tiny_rate():
    assert loss_by_name("poisson").value(np.zeros(1), np.array([-800.0])) == [0.0]
