"""Sparse oblique rule boosting: a few if-then rules that may weigh variables against each other."""

from importlib.metadata import version

from sorb.boosting import Stage
from sorb.cross_validation import LLTBoostClassifierCV, LLTBoostRegressorCV
from sorb.estimators import LLTBoostClassifier, LLTBoostRegressor
from sorb.rules import Condition, ModelFormatError, Proposition, Rule, RuleEnsemble

__all__ = [
    "Condition",
    "LLTBoostClassifier",
    "LLTBoostClassifierCV",
    "LLTBoostRegressor",
    "LLTBoostRegressorCV",
    "ModelFormatError",
    "Proposition",
    "Rule",
    "RuleEnsemble",
    "Stage",
    "__version__",
]

__version__ = version("sorb")
