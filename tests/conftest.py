"""Settings that libraries read when they are imported, and tables and models that tests share."""

import os
import sys
from itertools import count
from types import SimpleNamespace

# For the workers of pytest-xdist: more threads wait for a core, and those of OpenMP spin meanwhile.
os.environ["OMP_NUM_THREADS"] = "1"
# shap would compile for seconds what takes small tables no time at all.
os.environ["NUMBA_DISABLE_JIT"] = "1"
# Nothing about the tests is anyone's business.
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
# No window is opened, wherever the tests run.
os.environ["MPLBACKEND"] = "Agg"

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from sklearn.datasets import load_diabetes, load_iris

from sorb import LLTBoostClassifier, LLTBoostRegressor

# A busy machine must not fail a test.
settings.register_profile(
    "patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")

# The modules that look at the clock.
CLOCKED = (
    "estimators.base",
    "estimators.cross_validated_fit",
    "estimators.single_fit",
    "learning.boosting",
    "learning.cross_validation",
    "learning.objectives",
)


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def ticking_clock(monkeypatch):
    """Let training see a clock that goes on by a second whenever it is read."""
    clock = SimpleNamespace(perf_counter=count().__next__)
    for module in CLOCKED:
        monkeypatch.setattr(f"sorb.{module}.time", clock)
    # What comes before training takes no time.
    still = SimpleNamespace(perf_counter=lambda: 0.0)
    monkeypatch.setattr("sorb.learning.deadline.time", still)


@pytest.fixture(scope="session")
def iris():
    """Three classes, named."""
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="session")
def diabetes():
    """Numbers to predict from five columns."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    return X[["age", "bmi", "bp", "s4", "s5"]], y


@pytest.fixture(scope="session")
def patients():
    """Two classes, a column of categories and one with missing values."""
    random = np.random.default_rng(0)
    group = pd.Categorical(random.choice(["A", "AB", "B", "0"], 300))
    age = random.integers(20, 80, 300).astype(float)
    bmi = np.where(np.arange(300) % 7 == 0, np.nan, random.normal(25, 4, 300))
    X = pd.DataFrame({"age": age, "group": group, "bmi": bmi})
    ill = (group.isin(["A", "AB"]) & (age > 50)) | np.isnan(bmi)
    return X, np.where(ill, "ill", "well")


@pytest.fixture(scope="session")
def classifier(iris):
    return LLTBoostClassifier(max_rules=4).fit(*iris)


@pytest.fixture(scope="session")
def binary_classifier(iris):
    X, y = iris
    return LLTBoostClassifier(max_rules=4).fit(X, y == "virginica")


@pytest.fixture(scope="session")
def regressor(diabetes):
    return LLTBoostRegressor(max_rules=5).fit(*diabetes)


@pytest.fixture(scope="session")
def classes():
    """A table of two classes."""
    X, y = load_iris(return_X_y=True)
    return X, (y == 1).astype(int)


@pytest.fixture(scope="session")
def numbers():
    """A table with numbers to predict."""
    return load_diabetes(return_X_y=True)
