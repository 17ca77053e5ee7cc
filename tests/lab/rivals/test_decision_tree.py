import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.tree import DecisionTreeClassifier as Classifier
from sklearn.tree import DecisionTreeRegressor as Regressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals import DecisionTreeClassifier, DecisionTreeRegressor


@parametrize_with_checks([DecisionTreeClassifier(), DecisionTreeRegressor()])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("max_leaves", [2, 3, 8, 30])
def test_predicts_like_the_tree(max_leaves):
    X, y = make_regression(300, 4, noise=5.0, random_state=0)
    tree = Regressor(max_leaf_nodes=max_leaves, random_state=0).fit(X, y)
    found = DecisionTreeRegressor(max_leaves=max_leaves).fit(X, y)
    np.testing.assert_allclose(found.predict(X), tree.predict(X))
    assert len(found.ensemble_) == max_leaves - 1


@pytest.mark.parametrize("max_leaves", [2, 3, 8, 30])
def test_log_odds_are_those_of_the_leaf_with_one_more_row_of_each_class(max_leaves):
    X, y = make_classification(300, 4, flip_y=0.2, random_state=1)
    tree = Classifier(max_leaf_nodes=max_leaves, random_state=0).fit(X, y)
    found = DecisionTreeClassifier(max_leaves=max_leaves).fit(X, y)
    leaf = tree.apply(X)
    for number in np.unique(leaf):
        ones, rows = y[leaf == number].sum(), (leaf == number).sum()
        expected = np.log((ones + 1) / (rows - ones + 1))
        np.testing.assert_allclose(found.decision_function(X[leaf == number]), expected)


def test_a_path_has_a_tree_for_each_size():
    X, y = make_regression(100, 3, random_state=0)
    models = [m.model for m in DecisionTreeRegressor().path(X, y, max_leaves=[2, 4, 6])]
    assert [len(model) for model in models] == [1, 3, 5]


def test_a_constant_outcome_has_no_rules():
    found = DecisionTreeRegressor().fit(np.arange(6.0)[:, None], np.ones(6))
    assert found.complexity_ == 0
    assert found.predict([[2.0]]) == [1.0]
