import matplotlib
import pytest
from matplotlib import pyplot

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")
