import numpy as np
import pytest

from sorb.losses import loss_by_name


def test_squares_beyond_the_floats_are_refused():
    with pytest.raises(ValueError, match=r"y is -1e\+80 in row 1"):
        loss_by_name("squared").check_training(np.array([1.0, -1e80]), np.ones(2))
