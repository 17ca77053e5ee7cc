import numpy as np
import pytest

from sorb.losses import loss_by_name


def test_gamma_takes_no_zero():
    with pytest.raises(ValueError, match=r"y is 0\.0 in row 1: expected more than 0"):
        loss_by_name("gamma").check_outcomes(np.array([1.0, 0.0]))
