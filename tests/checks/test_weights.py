import numpy as np
import pytest
from checks.seen import ROWS, classes, found, plain

import sorb


def test_a_few_rows_with_nearly_all_weight_are_found():
    weight = np.ones(ROWS)
    weight[17] = 5000
    [finding] = sorb.check(plain(), classes(), sample_weight=weight)
    assert (finding.kind, finding.rows) == ("weights", (17,))


def test_a_tiny_exposure_is_found():
    years = np.random.default_rng(0).uniform(0.5, 1.5, ROWS)
    years[40] = 1e-5
    counts = np.random.default_rng(0).poisson(5 * years).astype(float) + 0.0
    report = sorb.check(plain(), counts, exposure=years, task="regression")
    assert [(finding.kind, finding.rows) for finding in report] == [("exposure", (40,))]


def test_survey_weights_are_ordinary():
    weight = np.random.default_rng(0).lognormal(0, 0.7, ROWS)
    assert found(plain(), classes(), sample_weight=weight) == []


def test_rows_without_weight_are_no_rows():
    y, weight = classes(), np.ones(ROWS)
    leak = np.where(y == "ill", 1.0, 2.0)
    leak[:50] = np.random.default_rng(0).choice([1.0, 2.0], 50)
    weight[:50] = 0
    X = plain().assign(x=leak)
    assert found(X, y, sample_weight=weight) == found(X.iloc[50:], y[50:]) != found(X, y)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="non-negative"):
        sorb.check(plain(), classes(), sample_weight=-np.ones(ROWS))
