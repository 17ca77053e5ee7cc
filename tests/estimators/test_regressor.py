"""The losses of the regressors: what they learn, and what they refuse."""

import numpy as np
import pytest
from oracles.losses import draw
from sklearn.base import clone
from sklearn.utils import get_tags

from sorb import LLTBoostRegressor, LLTBoostRegressorCV
from sorb.losses import LOSSES, Tweedie

NUMBERS = [name for name, kind in LOSSES.items() if not kind().has_classes]
LOG_LINK = [name for name in NUMBERS if name != "squared"]


def claims(name, n=600, seed=0):
    """A table whose expected outcome is four times as large for some of the rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    f = 0.5 + np.log(4.0) * (X[:, 0] + X[:, 1] > 0.5)
    return X, draw(name, f[:, None], rng)


@pytest.mark.parametrize("name", LOG_LINK)
def test_a_factor_is_found(name):
    X, y = claims(name, n=2000)
    model = LLTBoostRegressor(loss=name, max_rules=1, selection=None).fit(X, y)
    assert np.exp(abs(model.ensemble_[0].vote)) == pytest.approx(4.0, rel=0.2)
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.05)


@pytest.mark.parametrize("name", NUMBERS)
def test_rules_lower_the_objective_on_the_training_rows(name):
    X, y = claims(name)
    stages = LLTBoostRegressor(loss=name, selection=None).fit(X, y).stages_
    assert len(stages) > 1
    assert (np.diff([stage.objective for stage in stages]) < 0).all()


@pytest.mark.parametrize("objective", ["second_order", "gradient_boosting", "gradient_sum"])
@pytest.mark.parametrize("name", LOG_LINK)
def test_all_objectives_take_all_losses(name, objective):
    X, y = claims(name)
    model = LLTBoostRegressor(loss=name, max_rules=2, objective=objective, selection=None).fit(X, y)
    assert model.stages_[-1].train_risk < model.stages_[0].train_risk


@pytest.mark.parametrize("name", LOG_LINK)
def test_cross_validation_takes_all_losses(name):
    X, y = claims(name)
    model = LLTBoostRegressorCV(loss=name, max_rules=2, reg_lambdas=(1.0,)).fit(X, y)
    assert model.n_iter_ >= 1


@pytest.mark.parametrize("name", NUMBERS)
def test_the_tag_says_whether_outcomes_may_be_negative(name):
    assert get_tags(LLTBoostRegressor(loss=name)).target_tags.positive_only == (name != "squared")


def test_an_unknown_loss_can_be_displayed_and_is_refused_in_fit():
    model = LLTBoostRegressor(loss="hinge")
    assert not get_tags(model).target_tags.positive_only
    with pytest.raises(ValueError, match="'loss' parameter of LLTBoostRegressor must be"):
        model.fit([[0.0], [1.0]], [0.0, 1.0])


def test_the_power_reaches_the_model():
    X, y = claims("tweedie")
    model = clone(LLTBoostRegressor(loss="tweedie", power=1.7, max_rules=1)).fit(X, y)
    assert model.ensemble_.loss == Tweedie(1.7)


@pytest.mark.parametrize(
    ("power", "message"),
    [
        (1.0, "power must be between 1 and 2, found 1.0"),
        (2.0, "power must be between 1 and 2, found 2.0"),
        ("1.5", "'power' parameter"),
    ],
)
def test_a_power_out_of_range_is_refused(power, message):
    with pytest.raises(ValueError, match=message):
        LLTBoostRegressor(loss="tweedie", power=power).fit(*claims("tweedie"))


@pytest.mark.parametrize("estimator", [LLTBoostRegressor, LLTBoostRegressorCV])
def test_every_parameter_of_a_loss_can_be_set(estimator):
    defaults = [item for kind in LOSSES.values() for item in kind().parameters.items()]
    assert set(defaults) <= set(estimator().get_params().items())


def test_the_range_of_a_parameter_is_for_the_loss_that_has_it():
    X, y = claims("poisson")
    assert LLTBoostRegressor(loss="poisson", power=3.0, max_rules=1).fit(X, y).ensemble_.rules


@pytest.mark.parametrize(("name", "wrong"), [("gamma", 0.0), ("tweedie", -1.0), ("poisson", -1.0)])
def test_outcomes_outside_the_domain_are_named(name, wrong):
    X, y = claims(name)
    y[3] = wrong
    with pytest.raises(
        ValueError, match=f"y is {wrong} in row 3: expected .* for the loss '{name}'"
    ):
        LLTBoostRegressor(loss=name).fit(X, y)


def test_regressors_have_no_decision_function():
    assert not hasattr(LLTBoostRegressor(), "decision_function")
