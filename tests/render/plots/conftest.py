"""Tables that several plots are drawn from."""

import pytest
from sklearn.datasets import load_diabetes


@pytest.fixture(scope="module")
def patients():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X[["bmi", "bp", "s5"]], y
