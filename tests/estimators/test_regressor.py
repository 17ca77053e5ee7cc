from sorb import LLTBoostRegressor


def test_regressors_have_no_decision_function():
    assert not hasattr(LLTBoostRegressor(), "decision_function")
