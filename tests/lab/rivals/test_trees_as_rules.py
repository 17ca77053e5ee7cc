import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.rivals.random_tables import table, unseen
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sorb.lab.rivals.trees_as_rules import AdditiveModel, Bound, float32_threshold, leaves_of
from sorb.losses import Squared
from sorb.tables.training import regression_data


@given(st.floats(-1e30, 1e30), st.integers(-3, 3))
def test_thresholds_of_rounded_columns(threshold, steps):
    limit = float32_threshold(threshold)
    value = limit
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.sign(steps) * np.inf)
    assert (np.float32(value) <= threshold) == (value <= limit)


def problem_of(X, y):
    return regression_data(DecisionTreeRegressor(), X, y, None, Squared())


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_leaves_of_a_tree_predict_what_it_predicts(depth):
    X, f = table()
    tree = DecisionTreeRegressor(max_depth=depth).fit(X, f)
    leaves = leaves_of(tree.tree_, tree.tree_.value[:, 0, 0])
    ensemble = AdditiveModel(trees=[leaves]).to_ensemble(problem_of(X, f))
    assert len(ensemble) == tree.get_n_leaves() - 1
    np.testing.assert_allclose(ensemble(unseen(X)), tree.predict(unseen(X)), atol=1e-12)


def test_leaves_of_a_tree_that_does_not_split():
    tree = DecisionTreeClassifier().fit(np.ones((3, 1)), [0, 0, 1])
    assert leaves_of(tree.tree_, tree.tree_.value[:, 0, 1]) == [((), pytest.approx(1 / 3))]


def test_votes_are_added_scaled_and_shifted():
    X = np.array([[0.0], [1.0], [2.0]])
    data = problem_of(X, X[:, 0])
    low, high = Bound(0, 1.0, above=False), Bound(0, 1.0, above=True)
    votes = AdditiveModel(1.0, [((high,), 10.0), ((), 0.5)], [[((low,), 2.0), ((high,), 3.0)]])
    np.testing.assert_allclose(votes.to_ensemble(data)(X), [3.5, 3.5, 14.5])
    np.testing.assert_allclose(votes.to_ensemble(data, 100.0, 2.0)(X), [107, 107, 129])


def test_paths_that_no_row_can_follow_are_left_out():
    X = np.array([[0.0], [1.0]])
    never = (Bound(0, 0.5, above=False), Bound(0, 0.5, above=True))
    ensemble = AdditiveModel(1.0, [(never, 5.0)]).to_ensemble(problem_of(X, X[:, 0]))
    assert len(ensemble) == 0
    assert ensemble.offset == 1.0
