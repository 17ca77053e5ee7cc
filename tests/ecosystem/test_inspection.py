"""The tools of scikit-learn that look into models."""

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)

from sorb import LLTBoostClassifier


def test_columns_that_no_rule_uses_have_no_importance(regressor, diabetes):
    X, y = diabetes
    found = permutation_importance(regressor, X, y, n_repeats=3, random_state=0)
    used = np.isin(X.columns, regressor.ensemble_.used_columns)
    assert used.any()
    assert (found.importances[~used] == 0).all()
    assert found.importances_mean[list(X.columns).index("bmi")] > 0


def test_importance_of_categories_and_missing_values(patients):
    X, y = patients
    model = LLTBoostClassifier(max_rules=4).fit(X, y)
    found = permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert (found.importances_mean[np.isin(X.columns, model.ensemble_.used_columns)] > 0).all()


def test_partial_dependence_is_the_mean_over_the_rows(regressor, diabetes):
    X, _ = diabetes
    found = partial_dependence(regressor, X, ["bmi"], grid_resolution=7, kind="average")
    means = [regressor.predict(X.assign(bmi=value)).mean() for value in found["grid_values"][0]]
    np.testing.assert_allclose(found["average"][0], means)


@pytest.mark.parametrize("kind", ["average", "individual", "both"])
def test_partial_dependence_is_drawn(regressor, diabetes, kind):
    X, _ = diabetes
    shown = PartialDependenceDisplay.from_estimator(
        regressor, X, ["bmi", "s5"], kind=kind, subsample=20, grid_resolution=5, random_state=0
    )
    assert shown.axes_.shape == (1, 2)
    assert all(axes.get_lines() for axes in shown.axes_.flat)


def test_partial_dependence_on_two_columns_is_drawn(binary_classifier, iris):
    X, _ = iris
    pair = ("petal length (cm)", "petal width (cm)")
    shown = PartialDependenceDisplay.from_estimator(
        binary_classifier, X, [pair], grid_resolution=5, response_method="decision_function"
    )
    assert shown.contours_.shape == (1, 1)


@pytest.mark.parametrize("response", ["predict", "predict_proba", "decision_function"])
def test_regions_are_drawn(iris, response):
    X, y = iris
    two = X.to_numpy()[:, 2:]
    model = LLTBoostClassifier(max_rules=3).fit(two, y == "virginica")
    shown = DecisionBoundaryDisplay.from_estimator(
        model, two, response_method=response, grid_resolution=20
    )
    grid = np.column_stack([shown.xx0.ravel(), shown.xx1.ravel()])
    answers = getattr(model, response)(grid)
    answers = answers[:, 1] if answers.ndim == 2 else answers.astype(float)
    assert np.array_equal(shown.response.ravel(), answers)
    assert pyplot.gcf().axes
