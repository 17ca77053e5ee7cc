"""scikit-learn's contract, and nothing numerical.

Parameters and users' tables come in; fitted estimators, whose answers come from their rule
ensemble, go out.
"""

from sorb.estimators.classifier import LLTBoostClassifier
from sorb.estimators.classifier_cv import LLTBoostClassifierCV
from sorb.estimators.regressor import LLTBoostRegressor
from sorb.estimators.regressor_cv import LLTBoostRegressorCV

__all__ = [
    "LLTBoostClassifier",
    "LLTBoostClassifierCV",
    "LLTBoostRegressor",
    "LLTBoostRegressorCV",
]
