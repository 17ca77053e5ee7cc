"""The estimators keep scikit-learn's contract, and work with its tools."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV


@parametrize_with_checks(
    [
        LLTBoostClassifier(),
        LLTBoostClassifier(search="axis"),
        LLTBoostClassifier.paper(),
        LLTBoostRegressor(),
        LLTBoostRegressor(loss="poisson"),
        LLTBoostRegressor.paper(),
        LLTBoostClassifierCV(),
        LLTBoostRegressorCV(),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)
