import numpy as np
import pytest
from lab.rivals.random_tables import table
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from sorb.lab.rivals.gradient_boosted_trees import (
    GradientBoostedTreesClassifier,
    GradientBoostedTreesRegressor,
)


@pytest.mark.parametrize("n_rows", [15, 150])
def test_gradient_boosted_trees_are_scikit_learns(n_rows):
    X, f = table(n_rows=n_rows)
    parameters = {"max_iter": 25, "early_stopping": n_rows > 100, "random_state": 3}
    regressor = HistGradientBoostingRegressor(**parameters).fit(X, f)
    classifier = HistGradientBoostingClassifier(**parameters).fit(X, f > 0.5)
    ours = GradientBoostedTreesRegressor(max_trees=25, random_state=3).fit(X, f)
    np.testing.assert_array_equal(ours.predict(X), regressor.predict(X))
    ours = GradientBoostedTreesClassifier(max_trees=25, random_state=3).fit(X, f > 0.5)
    np.testing.assert_array_equal(ours.decision_function(X), classifier.decision_function(X))


def test_gradient_boosted_trees_have_no_size_but_a_number():
    X, f = table()
    trees = GradientBoostedTreesRegressor()
    path = list(trees.path(X, f, max_trees=[1, 6]))
    assert [learned.model.complexity for learned in path] == [None, None]
    assert path[0].model.describe() == "A sum of 1 gradient-boosted tree"
    assert path[1].model.describe() == "A sum of 6 gradient-boosted trees"
    assert trees.fit(X, f).complexity_ is None
    assert 6 < trees.model_.estimator.n_iter_ < 1000
