import numpy as np
import pytest

from sorb.losses import loss_by_name


@pytest.mark.parametrize("size", [700.0, 1e3])
def test_extreme_logistic_scores_lose_their_own_size_or_nothing(size):
    f = np.array([size, size, -size, -size])
    value = loss_by_name("logistic").value(np.array([0.0, 1.0, 0.0, 1.0]), f)
    assert value == pytest.approx([size, 0, 0, size], abs=1e-300)
