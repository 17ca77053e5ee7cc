import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from sorb.losses import loss_by_name
from sorb.measures.boosted_rivals import _learn_hgbs, learn_ebm, learn_hgb
from sorb.measures.rivals import RivalRows

RNG = np.random.default_rng(6)
N = 150
X = np.column_stack([RNG.normal(size=N), RNG.integers(0, 3, N)])
X[::9, 0] = np.nan
SIGNAL = np.nan_to_num(X[:, 0]) + (X[:, 1] == 1)


def rows(loss, y, n_classes=0):
    return RivalRows(X, (0, 3), y, np.ones(N), loss_by_name(loss), n_classes)


def test_gradient_boosting_is_that_of_scikit_learn():
    y = (SIGNAL > 0.5) * 1.0
    twin = HistGradientBoostingClassifier(
        categorical_features=[False, True], max_iter=20, random_state=0
    )
    given = rows("logistic", y, 2)
    found = given.loss.mean(_learn_hgbs(given, (10, 20, 30))[1].scores(X))
    assert found == pytest.approx(twin.fit(X, y).predict_proba(X)[:, 1])


def test_on_noise_it_stops_before_it_learns_the_rows_by_heart():
    y = (np.random.default_rng(3).random(N) < 0.4) * 1.0
    given = rows("logistic", y, 2)
    assert learn_hgb(given).size.startswith("10 trees")


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


LOSSES = [(learn_hgb, "squared"), (learn_hgb, "poisson"), (learn_hgb, "gamma")]


@pytest.mark.parametrize(("learn", "loss"), [*LOSSES, (learn_hgb, "tweedie"), (learn_ebm, "gamma")])
def test_numbers_are_learned_with_their_loss(learn, loss):
    y = SIGNAL if loss == "squared" else np.exp(SIGNAL)
    given = rows(loss, y)
    rival = learn(given)
    found = given.loss.value(y, rival.scores(X)).mean()
    constant = given.loss.best_constant(y, np.ones(N))
    assert found < 0.5 * given.loss.value(y, np.full(N, constant)).mean()
    # Of a category that was never seen, they know as much as of a missing one.
    never_seen, missing = rival.scores(np.array([[0.5, -1.0], [0.5, np.nan]]))
    assert never_seen == missing
