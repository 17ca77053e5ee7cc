import numpy as np

from sorb.losses import Logistic, Squared
from sorb.measures.estimate import Estimate
from sorb.measures.measures import Measures
from sorb.measures.table import align, format_interval, format_losses, measure_lines

GOOD = Measures(0.1, 0.1, None, 0.01, auc=Estimate(0.9, 0.85, 0.95), brier=0.05)
BASE = Measures(0.6, 0.3, None, 0.0, auc=Estimate(0.5, 0.5, 0.5), brier=0.2)


def test_the_interval_is_that_of_the_first_model():
    auc = measure_lines([GOOD, BASE], Logistic(), interval=True)[0]
    assert auc == ["AUC", "0.900", "0.850 to 0.950", "0.500"]


def test_what_no_model_has_takes_no_line():
    names = [line[0] for line in measure_lines([GOOD, BASE], Logistic())]
    assert names == ["AUC", "log loss", "Brier score", "accuracy", "calibration error"]


def test_what_one_model_lacks_is_a_dash():
    lines = {name: cells for name, *cells in measure_lines([GOOD, Measures(0.2)], Logistic())}
    assert lines["AUC"] == ["0.900", "–"]


def test_a_squared_loss_is_shown_as_the_mean_squared_error():
    found = measure_lines([Measures(2.0, r2=0.5, rmse=2.0, mae=1.5)], Squared())
    assert ["mean squared error", "4.0000"] in found


def test_small_and_infinite_losses_can_be_read():
    assert format_losses([2e-6, 1e-7]) == ["2e−6", "1e−7"]
    assert format_losses([np.inf, 0.5]) == ["infinite", "0.5000"]


def test_an_interval_has_one_unit():
    def percent(value):
        return f"{100 * value:.0f} %"

    assert format_interval(Estimate(0.5, 0.4, 0.6), percent) == "40 to 60 %"
    assert format_interval(None, percent) == ""


def test_numbers_end_in_the_same_column():
    written = align([["", "a"], ["long name", "1.5"], ["b", "22.25"]]).splitlines()
    assert len({len(line) for line in written}) == 1
    assert [line.split()[-1] for line in written] == ["a", "1.5", "22.25"]


def test_nothing_is_not_minus_nothing():
    models = [Measures(2.0, r2=-0.00001), Measures(2.0, r2=-0.2)]
    lines = {name: cells for name, *cells in measure_lines(models, Squared())}
    assert lines["R²"] == ["0.0000", "−0.2000"]
