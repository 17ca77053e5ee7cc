"""The refit of one rule on a loss agrees with the generalised linear models of scikit-learn."""

from functools import partial

import numpy as np
import pytest
from oracles.losses import draw
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

from sorb.learning.refit import Patterns, refit
from sorb.losses import loss_by_name

LINEAR_MODELS = {
    "poisson": PoissonRegressor,
    "gamma": GammaRegressor,
    "tweedie": partial(TweedieRegressor, power=1.5, link="log"),
}


@pytest.mark.parametrize("name", LINEAR_MODELS)
def test_offset_vote_and_risk_of_one_rule(name):
    rng = np.random.default_rng(0)
    covered, weight = rng.random(400) < 0.3, rng.exponential(size=400)
    y = draw(name, (0.4 + 0.9 * covered)[:, None], rng)
    patterns = Patterns.without_rules(400, 1).split(covered, 0)
    loss = loss_by_name(name)
    theta, losses = refit(loss, patterns, y, weight, 0.0, np.zeros(2))
    other = LINEAR_MODELS[name](alpha=0, tol=1e-10, max_iter=1000)
    other.fit(covered[:, None].astype(float), y, weight)
    assert theta == pytest.approx([other.intercept_, other.coef_[0]], abs=1e-5)
    f = patterns.scores(theta)[patterns.index, 0]
    risk = losses / weight.sum() + loss.mean_constant(y, weight)
    assert risk == pytest.approx(np.average(loss.value(y, f), weights=weight))
