"""The network is positive inside the leaves, and its gradients are those of its loss."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sorb.lab.rivals.neural_network import Leaf, Network, leaves
from sorb.losses import loss_by_name

losses = pytest.mark.parametrize("loss", ["squared", "logistic"])


def with_ones(X):
    return np.column_stack([X, np.ones(len(X))])


def tree_and_rows(loss, seed, depth=3, min_leaf=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    score = X[:, 0] * X[:, 1] - X[:, 2]
    y = score if loss == "squared" else (score > 0).astype(float)
    kind = DecisionTreeRegressor if loss == "squared" else DecisionTreeClassifier
    tree = kind(max_depth=depth, min_samples_leaf=min_leaf, random_state=0)
    return tree.fit(X, y), X, y


def slow_scores(network, X):
    """Write out the formula, one row and one rule at a time."""
    scores = []
    for x in X:
        score = network.values[-1]
        for k, value in enumerate(network.values[:-1]):
            units = network.units[network.trained_units[:, k, -1] > 0, k]
            score += value * min(max(u[:-1] @ x + u[-1], 0.0) for u in units)
        scores.append(score)
    return np.array(scores)


def random_network(seed, n_columns=3):
    """Rules of one, two and three cuts, all over the table."""
    rng = np.random.default_rng(seed)
    paths = [
        Leaf(0.0, tuple((int(rng.integers(n_columns)), 1, 0.0) for _ in range(length)))
        for length in (1, 2, 3, 2)
    ]
    network = Network.from_leaves(paths, n_columns, 0.3, as_published=False)
    network.units += network.trained_units * rng.normal(size=network.units.shape)
    network.values[:-1] = rng.normal(size=len(paths))
    return network, rng.normal(size=(25, n_columns)), rng.integers(0, 2, 25).astype(float)


@losses
@pytest.mark.parametrize("seed", range(3))
def test_each_rule_is_positive_exactly_on_its_leaf(loss, seed):
    tree, X, _ = tree_and_rows(loss, seed)
    network = Network.from_leaves(list(leaves(tree, 1)), 4, 0.0, as_published=False)
    _, active, _ = network.forward(with_ones(X))
    np.testing.assert_array_equal((active > 0).sum(axis=0), 1)
    pairs = set(zip(active.argmax(axis=0), tree.apply(X), strict=True))
    assert len(pairs) == tree.get_n_leaves() == len(active)


@losses
def test_values_start_at_the_means_of_the_leaves(loss):
    tree, X, y = tree_and_rows(loss, 1)
    outcome = y if loss == "squared" else 2 * y - 1
    network = Network.from_leaves(list(leaves(tree, 1)), 4, 0.5, as_published=False)
    _, active, _ = network.forward(with_ones(X))
    means = [outcome[row > 0].mean() for row in active]
    np.testing.assert_allclose(network.values, [*means, 0.5])


def test_as_published_the_biases_are_flipped_and_the_values_zero():
    paths = [Leaf(1.0, ((0, -1, 2.0), (1, 1, 0.5))), Leaf(-1.0, ((0, 1, 2.0),))]
    right = Network.from_leaves(paths, 2, 0.1, as_published=False)
    published = Network.from_leaves(paths, 2, 0.1, as_published=True)
    np.testing.assert_array_equal(right.units[:, 0], [[-1, 0, 2.0], [0, 1, -0.5]])
    np.testing.assert_array_equal(published.units[:, 0], [[-1, 0, -2.0], [0, 1, 0.5]])
    np.testing.assert_array_equal(published.units[..., :-1], right.units[..., :-1])
    np.testing.assert_array_equal(published.values, 0)


def test_a_split_with_too_small_a_side_is_undone():
    X = np.arange(12.0)[:, None]
    y = np.array([9.0, 9.0] + [0.0] * 5 + [5.0] * 5)
    tree = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y)
    assert sorted(len(leaf.cuts) for leaf in leaves(tree, 1)) == [1, 2, 2]
    (whole,) = leaves(tree, 5)
    assert whole == Leaf(y.mean(), ())


def test_padding_is_finite_and_never_the_least_unit():
    """Some matrix products report an invalid value where a table meets an infinite bias."""
    network, X, _ = random_network(0)
    padding = network.trained_units[:, :, -1] == 0
    assert padding.any()
    assert np.isfinite(network.units).all()
    _, _, which = network.forward(with_ones(X))
    assert not padding[which, np.arange(len(which))[:, None]].any()


def test_scores_are_those_of_the_formula():
    network, X, _ = random_network(0)
    np.testing.assert_allclose(network.forward(with_ones(X))[0], slow_scores(network, X))


@losses
@pytest.mark.parametrize("seed", range(4))
def test_gradients_are_those_of_the_loss(loss, seed):
    network, X, y = random_network(seed)
    by_units, by_values = network.gradients(with_ones(X), y, loss_by_name(loss))
    for parameters, trained, gradient in [
        (network.units, network.trained_units, by_units),
        (network.values, network.trained_values, by_values),
    ]:
        numeric = np.zeros_like(parameters)
        for index in zip(*np.nonzero(trained), strict=True):
            here, step = parameters[index], 1e-6
            risk = []
            for there in (here - step, here + step):
                parameters[index] = there
                risk.append(loss_by_name(loss).value(y, slow_scores(network, X)).mean())
            parameters[index] = here
            numeric[index] = (risk[1] - risk[0]) / (2 * step)
        assert np.count_nonzero(numeric) >= 3
        np.testing.assert_allclose(gradient, numeric, atol=1e-7)


@losses
def test_the_first_step_goes_by_the_learning_rate_against_each_gradient(loss):
    network, X, y = random_network(5)
    before = [network.units.copy(), network.values.copy()]
    gradients = network.gradients(with_ones(X), y, loss_by_name(loss))
    network.train(with_ones(X), y, loss_by_name(loss), n_epochs=1, rate=0.01)
    for old, new, gradient in zip(before, (network.units, network.values), gradients, strict=True):
        expected = old - 0.01 * np.sign(gradient)
        np.testing.assert_allclose(new, expected, atol=1e-5)


@losses
def test_training_leaves_other_columns_alone_and_lowers_the_risk(loss):
    network, X, y = random_network(6)
    units = network.units.copy()

    def risk():
        return loss_by_name(loss).value(y, network.forward(with_ones(X))[0]).mean()

    start = risk()
    network.train(with_ones(X), y, loss_by_name(loss), n_epochs=100, rate=0.01)
    assert risk() < 0.9 * start
    fixed = network.trained_units == 0
    np.testing.assert_array_equal(network.units[fixed], units[fixed])
