import numpy as np
import pytest
from sklearn.linear_model import GammaRegressor, LogisticRegression, PoissonRegressor, Ridge
from sklearn.preprocessing import StandardScaler

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.losses import loss_by_name
from sorb.measures.rivals import (
    RivalRows,
    _learn_regression,
    choose,
    learn_regression,
    learn_tree,
    one_by_one,
    rival_rows,
)

RNG = np.random.default_rng(7)
N = 120
ONES = np.ones(N)
X = RNG.normal(size=(N, 3)) * [1.0, 10.0, 0.1] + 5
SIGNAL = X[:, 0] + X[:, 1] / 10
COUNTS = RNG.poisson(np.exp(SIGNAL / 3)) * 1.0
WEIGHT = RNG.integers(0, 4, N) * 1.0
LOSSES = ["logistic", "softmax", "squared", "poisson", "gamma", "tweedie"]


def rows(loss, places=slice(None), weight=ONES):
    y = {
        "logistic": (SIGNAL > 6) * 1.0,
        "softmax": np.digitize(SIGNAL, [5, 6]) * 1.0,
        "squared": SIGNAL,
        "poisson": COUNTS,
        "gamma": np.exp(SIGNAL),
        "tweedie": np.maximum(SIGNAL - 5, 0),
    }[loss]
    n_classes = {"logistic": 2, "softmax": 3}.get(loss, 0)
    return RivalRows(X[places], (0, 0, 0), y[places], weight[places], loss_by_name(loss), n_classes)


def strength(twin, penalty):
    """The parameter of scikit-learn's model for a penalty on the sum of the losses."""
    if isinstance(twin, LogisticRegression):
        return {"C": 1 / penalty}
    return {"alpha": penalty if isinstance(twin, Ridge) else penalty / N}


@pytest.mark.parametrize(
    ("loss", "twin"),
    [
        ("logistic", LogisticRegression()),
        ("squared", Ridge()),
        ("poisson", PoissonRegressor(max_iter=1000, tol=1e-8)),
        ("gamma", GammaRegressor(max_iter=1000, tol=1e-8)),
    ],
)
def test_regressions_are_those_of_scikit_learn(loss, twin):
    given = rows(loss)
    Z = StandardScaler().fit_transform(X)
    penalty = choose(given, (0.1, 10.0), one_by_one(_learn_regression), 1.0)
    twin.set_params(**strength(twin, penalty)).fit(Z, given.y)
    expected = twin.predict_proba(Z)[:, 1] if loss == "logistic" else twin.predict(Z)
    found = _learn_regression(given, penalty)
    assert given.loss.mean(found.scores(X)) == pytest.approx(expected, rel=1e-3)
    assert found.size == "3 coefficients"


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("learn", [learn_regression, learn_tree])
def test_a_weight_is_so_many_copies(learn, loss):
    copies = np.repeat(np.arange(N), WEIGHT.astype(int))
    weighted = learn(rows(loss, np.flatnonzero(WEIGHT), WEIGHT)).scores(X)
    copied = learn(rows(loss, copies, np.ones(N))).scores(X)
    assert weighted == pytest.approx(copied, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_small_tree_learns_and_rules_nothing_out(loss):
    given = rows(loss)
    tree = learn_tree(given)
    found = given.loss.value(given.y, tree.scores(X))
    constant = given.loss.best_constant(given.y, given.weight, given.n_classes)
    baseline = given.loss.value(given.y, np.broadcast_to(constant, tree.scores(X).shape))
    assert found.mean() < 0.5 * baseline.mean()
    assert np.isfinite(tree.scores(X + 100)).all()
    assert int(tree.size.split()[0]) <= 32


@pytest.mark.filterwarnings("ignore:class_weight changes")
@pytest.mark.parametrize("labels", ["no yes", "low middle high"])
def test_rivals_expect_each_class_as_often_as_the_model_without_rules(labels):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 2)), rng.choice(labels.split(), 90)
    y[:20] = labels.split()[-1]
    model = LLTBoostClassifier(max_rules=0, selection=None, class_weight="balanced").fit(X, y)
    for fitted in (model, model.recalibrate(X, y)):
        found = rival_rows(fitted, X, y, np.full(90, 2.0))
        shares = np.bincount(found.y.astype(int), found.weight) / found.weight.sum()
        assert found.weight.sum() == pytest.approx(180)
        assert shares == pytest.approx(fitted.predict_proba(X)[0], abs=1e-9)


@pytest.mark.parametrize("learn", [learn_regression, learn_tree])
@pytest.mark.parametrize("unit", [0.001, 365.5])
@pytest.mark.parametrize("of", ["weight", "exposure"])
def test_the_unit_of_weights_and_of_exposures_changes_no_rival(learn, unit, of):
    uneven = RNG.uniform(0.5, 2, N)
    model = LLTBoostRegressor(loss="poisson", max_rules=0, selection=None).fit(X, COUNTS)

    def rate(scale):
        if of == "weight":
            return learn(rival_rows(model, X, COUNTS, scale * uneven)).scores(X)
        rows = rival_rows(model, X, COUNTS, None, scale * uneven)
        return learn(rows).scores(X) + np.log(scale)

    assert rate(unit) == pytest.approx(rate(1.0), abs=1e-4)


def folded(y, group=None, n_columns=1):
    X = np.random.default_rng(1).normal(size=(len(y), n_columns))
    loss = loss_by_name("logistic")
    return RivalRows(X, (0,) * n_columns, y * 1.0, np.ones(len(y)), loss, 2, 1.0, group)


def test_of_noise_a_strong_penalty_and_few_leaves_are_chosen():
    draws = [folded(np.random.default_rng(k).random(80) < 0.5, n_columns=12) for k in range(5)]
    chosen, usual = (
        np.median([np.ptp(learn(given).scores(given.matrix)) for given in draws])
        for learn in (learn_regression, lambda given: _learn_regression(given, 1.0))
    )
    assert chosen < 0.5 * usual
    assert np.median([int(learn_tree(given).size.split()[0]) for given in draws]) == 2


def test_where_a_line_tells_all_a_weak_penalty_is_chosen():
    given = rows("logistic")
    found = given.loss.value(given.y, learn_regression(given).scores(X)).mean()
    usual = _learn_regression(given, 1.0)
    assert found < 0.5 * given.loss.value(given.y, usual.scores(X)).mean()


def test_sizes_are_chosen_by_folds_that_keep_copies_and_groups_together():
    y = RNG.random(60) < 0.5
    given = folded(y, np.repeat(np.arange(12), 5))
    for training, test in given.folds():
        assert not {*given.group[training]} & {*given.group[test]}
    copied = folded(y).take(np.repeat(np.arange(60), 2))
    for training, test in copied.folds():
        assert not {*copied.matrix[training, 0]} & {*copied.matrix[test, 0]}
    tested = np.concatenate([test for _, test in copied.folds()])
    assert sorted(tested) == list(range(120))
    assert folded(y[:3]).folds() == []
