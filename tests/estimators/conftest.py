import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.losses import LOSSES


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def binary(iris):
    X, y = iris
    return X, np.where(y == 1, "versicolor", "other")


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.fixture(scope="module")
def models(iris, binary, diabetes):
    """One fitted model for each loss, with its table."""
    numbers = [name for name, kind in LOSSES.items() if not kind().has_classes]
    return {
        "logistic": (LLTBoostClassifier(max_rules=4, selection=None).fit(*binary), binary[0]),
        "softmax": (LLTBoostClassifier(max_rules=6, selection=None).fit(*iris), iris[0]),
    } | {
        name: (
            LLTBoostRegressor(max_rules=4, selection=None, loss=name).fit(*diabetes),
            diabetes[0],
        )
        for name in numbers
    }
