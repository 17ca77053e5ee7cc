"""Outcomes that accumulate over an exposure: rates are learned, weighted by their exposure."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.losses import draw
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score

from sorb import LLTBoostRegressor, LLTBoostRegressorCV
from sorb.losses import LOSSES, loss_by_name

RATES = [name for name in LOSSES if loss_by_name(name).has_rates]
every_loss = pytest.mark.parametrize("name", RATES)


def claims(name, seed=0, n=300):
    """A table, what accumulated over some years, and the years, in quarters."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    years = rng.integers(1, 9, size=n) / 4
    f = 0.7 * (X[:, 0] > X[:, 1]) + np.log(years)
    return X, draw(name, f[:, None], rng), years


def learned(name, *data, **parameters):
    exposure = parameters.pop("exposure", None)
    model = LLTBoostRegressor(**{"loss": name, "max_rules": 3, "selection": None, **parameters})
    return model.fit(*data, exposure=exposure)


def of_rates(model):
    """The same model, knowing that it predicts rates."""
    assert not model.ensemble_.per_exposure
    return replace(model.ensemble_, per_exposure=True)


@every_loss
@pytest.mark.parametrize("seed", range(3))
def test_an_exposure_is_a_rate_with_its_weight(name, seed):
    X, y, years = claims(name, seed)
    # Weights that are not whole make each row one observation, as it is without weights.
    weight = np.random.default_rng(seed).uniform(0.5, 1.5, len(y))
    found = learned(name, X, y, weight, exposure=years)
    assert found.n_iter_ > 0
    assert found.ensemble_ == of_rates(learned(name, X, y / years, weight * years))


@every_loss
def test_one_year_each_changes_nothing(name):
    X, y, _ = claims(name)
    one_each = learned(name, X, y, exposure=np.ones(len(y)))
    assert one_each.ensemble_ == of_rates(learned(name, X, y))


@every_loss
def test_twice_the_outcomes_in_twice_the_time_are_the_same_rates(name):
    X, y, years = claims(name)
    found = learned(name, X, y, exposure=years, reg_lambda=1.0)
    doubled = learned(name, X, 2 * y, exposure=2 * years, reg_lambda=2.0)
    assert doubled.predict(X) == pytest.approx(found.predict(X))


@every_loss
def test_a_weight_of_k_is_k_copies_of_the_row_with_its_exposure(name):
    X, y, years = claims(name, n=80)
    count = np.random.default_rng(1).integers(0, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), count)
    weighted = learned(name, X, y, count, exposure=years)
    copied = learned(name, X[rows], y[rows], exposure=years[rows])
    assert weighted.ensemble_ == copied.ensemble_


def test_a_warm_start_goes_on_with_rates_or_without():
    X, y, years = claims("poisson")
    model = learned("poisson", X, y, exposure=years, max_rules=1, warm_start=True)
    assert model.set_params(max_rules=2).fit(X, y, exposure=years).ensemble_.per_exposure
    with pytest.raises(ValueError, match="exposure must be passed always or never"):
        model.set_params(max_rules=3).fit(X, y)


def test_an_exposure_of_counts_is_an_offset_of_its_logarithm():
    X, y, years = claims("poisson")
    model = learned("poisson", X, y, exposure=years, reg_lambda=0.0)
    covered = model.transform(X)

    def gradient(rule):
        return rule @ (years * model.predict(X) - y)

    for rule in [np.ones(len(y)), *covered.T]:
        assert abs(gradient(rule)) < 1e-5 * years.sum()


def test_fractions_of_years_leave_whole_weights_counted():
    X, y, years = claims("poisson", n=80)
    X = np.round(X)  # so that rows are alike
    count = np.full(len(y), 3)
    rows = np.repeat(np.arange(len(y)), 3)
    weighted = learned("poisson", X, y, count, exposure=years)
    assert (
        weighted.ensemble_ == learned("poisson", X[rows], y[rows], exposure=years[rows]).ensemble_
    )


@every_loss
def test_cross_validation_takes_an_exposure(name):
    X, y, years = claims(name)
    weight = np.full(len(y), 0.5)
    parameters = {"loss": name, "max_rules": 2, "reg_lambdas": (0.1, 1.0), "cv": 3}
    found = LLTBoostRegressorCV(**parameters).fit(X, y, weight, exposure=years)
    expected = LLTBoostRegressorCV(**parameters).fit(X, y / years, weight * years)
    assert found.ensemble_ == of_rates(expected)


@every_loss
def test_the_score_is_that_of_the_rates(name):
    X, y, years = claims(name)
    model = learned(name, X, y, exposure=years)
    expected = r2_score(y / years, model.predict(X), sample_weight=years)
    assert model.score(X, y, exposure=years) == pytest.approx(expected)


@every_loss
def test_rates_are_learned(name):
    X, y, years = claims(name, n=3000)
    rates = learned(name, X, y, exposure=years).predict(X)
    assert np.average(rates, weights=years) == pytest.approx(y.sum() / years.sum(), rel=0.02)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan, np.inf])
def test_an_exposure_that_is_not_positive_is_named(wrong):
    X, y, years = claims("poisson")
    years[7] = wrong
    with pytest.raises(ValueError, match=f"finite and positive, found {wrong} in row 7"):
        learned("poisson", X, y, exposure=years)


@pytest.mark.parametrize(
    ("count", "unit", "message"),
    [
        (1e200, 1e-200, "too large to be a number, found 1e\\+200 / 1e-200 in row 7"),
        (1e-200, 1e200, "too small to be a number, found 1e-200 / 1e\\+200 in row 7"),
    ],
)
@every_loss
def test_a_rate_beyond_the_range_of_a_float_is_named(name, count, unit, message):
    X, y, years = claims(name)
    y[7], years[7] = count, unit
    with pytest.raises(ValueError, match=message):
        learned(name, X, y, exposure=years)


def test_exposures_must_have_a_finite_sum():
    X, y, _ = claims("poisson")
    with pytest.raises(ValueError, match="sample_weight times exposure must sum to at most"):
        learned("poisson", X, y, exposure=np.full(len(y), 1e307))


def test_the_score_of_rates_needs_a_fitted_model():
    X, y, years = claims("poisson")
    with pytest.raises(NotFittedError):
        LLTBoostRegressor(loss="poisson").score(X, y, exposure=years)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["long"] * 300, "exposure holds 'long' in row 0: expected a number"),
        ("years", "exposure must hold one number for each of the 300 rows, found the single value"),
    ],
)
def test_an_exposure_of_text_is_named(wrong, message):
    X, y, _ = claims("poisson")
    with pytest.raises(ValueError, match=message):
        learned("poisson", X, y, exposure=wrong)


def test_an_exposure_of_other_length_is_refused():
    X, y, years = claims("poisson")
    with pytest.raises(ValueError, match="exposure must hold one number for each of the 300 rows"):
        learned("poisson", X, y, exposure=years[1:])


def test_the_squared_loss_has_no_rates():
    X, y, years = claims("poisson")
    expected = f"for the losses {', '.join(RATES)}, found the loss squared"
    with pytest.raises(ValueError, match=expected):
        learned("squared", X, y, exposure=years)
