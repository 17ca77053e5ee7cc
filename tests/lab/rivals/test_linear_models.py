import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals import LinearClassifier, LinearRegressor


@parametrize_with_checks([LinearClassifier(), LinearRegressor()])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_a_regression_on_all_columns_is_that_of_least_squares():
    X, y = load_diabetes(return_X_y=True)
    found = LinearRegressor(max_columns=10, reg_lambda=0.0).fit(X, y)
    np.testing.assert_allclose(found.predict(X), LinearRegression().fit(X, y).predict(X))
    assert found.complexity_ == 10


def test_a_classifier_on_all_columns_is_logistic_regression():
    X, y = make_classification(300, 4, n_redundant=0, flip_y=0.2, random_state=1)
    Z = StandardScaler().fit_transform(X)
    expected = LogisticRegression(C=1 / (2 * 3.0), tol=1e-10, max_iter=1000).fit(Z, y)
    found = LinearClassifier(max_columns=4, reg_lambda=3.0).fit(X, y)
    scores = expected.decision_function(Z)
    np.testing.assert_allclose(found.decision_function(X), scores, atol=1e-3)


def test_columns_are_those_of_the_lasso():
    X, y = load_diabetes(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    paths = {
        tuple(np.flatnonzero(Lasso(alpha).fit(Z, y).coef_)) for alpha in np.geomspace(0.5, 45, 300)
    }
    for learned in LinearRegressor().path(X, y, max_columns=[1, 2, 3, 4, 5]):
        assert tuple(sorted(learned.model.places)) in paths


def test_columns_are_those_of_logistic_regression_with_an_l1_penalty():
    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    fits = [
        LogisticRegression(
            l1_ratio=1, C=cost, solver="liblinear", intercept_scaling=100, max_iter=10_000
        ).fit(Z, y)
        for cost in np.geomspace(4e-3, 1e-2, 20)
    ]
    paths = {tuple(np.flatnonzero(fit.coef_[0])) for fit in fits}
    for learned in LinearClassifier().path(X, y, max_columns=[2, 3]):
        assert tuple(sorted(learned.model.places)) in paths


def test_a_path_has_a_model_for_each_size_and_penalty():
    X, y = load_diabetes(return_X_y=True)
    learned = list(LinearRegressor().path(X, y, max_columns=[1, 3, 30], reg_lambda=[0.1, 1.0]))
    assert [one.model.complexity for one in learned] == [1, 1, 3, 3, 10, 10]
    assert [one.parameters["reg_lambda"] for one in learned] == [0.1, 1.0] * 3
    for one in learned:
        assert LinearRegressor(**one.parameters).fit(X, y).model_ == one.model


def test_the_units_of_a_column_do_not_matter():
    X, y = load_diabetes(return_X_y=True)
    scale = np.geomspace(1e-3, 1e3, X.shape[1])
    plain, scaled = (
        LinearRegressor(max_columns=4).fit(table, y).predict(table) for table in (X, X * scale + 7)
    )
    np.testing.assert_allclose(plain, scaled, rtol=1e-6)


@pytest.mark.parametrize("X", [np.ones((6, 2)), np.arange(12.0).reshape(6, 2)])
def test_without_anything_to_learn_there_is_only_an_offset(X):
    y = np.arange(6.0) if np.ptp(X) == 0 else np.ones(6)
    found = LinearRegressor().fit(X, y)
    assert found.complexity_ == 0
    np.testing.assert_allclose(found.predict(X), y.mean())


def test_classes_that_a_column_separates_are_no_obstacle():
    X = np.arange(8.0)[:, None]
    found = LinearClassifier(reg_lambda=0.0).fit(X, X[:, 0] > 3)
    assert found.score(X, X[:, 0] > 3) == 1.0
