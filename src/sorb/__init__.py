"""Sparse oblique rule boosting: a few if-then rules that may weigh variables against each other."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sorb.checks import Finding, TableReport, TableWarning, check
    from sorb.estimators import (
        LLTBoostClassifier,
        LLTBoostClassifierCV,
        LLTBoostRegressor,
        LLTBoostRegressorCV,
    )
    from sorb.explanation.shapley import shapley_values
    from sorb.learning.stages import Stage
    from sorb.measures.performance import Performance, performance
    from sorb.resampling import Stability, stability
    from sorb.rules import (
        Condition,
        Membership,
        ModelFormatError,
        Product,
        Proposition,
        Rule,
        RuleEnsemble,
    )
    from sorb.tables.date_columns import date_columns

    __version__: str

__all__ = [
    "Condition",
    "Finding",
    "LLTBoostClassifier",
    "LLTBoostClassifierCV",
    "LLTBoostRegressor",
    "LLTBoostRegressorCV",
    "Membership",
    "ModelFormatError",
    "Performance",
    "Product",
    "Proposition",
    "Rule",
    "RuleEnsemble",
    "Stability",
    "Stage",
    "TableReport",
    "TableWarning",
    "__version__",
    "check",
    "date_columns",
    "performance",
    "shapley_values",
    "stability",
]

# The module of each name, imported on first use: predicting, for example on the command line, does
# not wait for everything that learning needs.
_MODULES = {
    "sorb.checks": ("Finding", "TableReport", "TableWarning", "check"),
    "sorb.estimators": (
        "LLTBoostClassifier",
        "LLTBoostClassifierCV",
        "LLTBoostRegressor",
        "LLTBoostRegressorCV",
    ),
    "sorb.explanation.shapley": ("shapley_values",),
    "sorb.learning.stages": ("Stage",),
    "sorb.measures.performance": ("Performance", "performance"),
    "sorb.resampling.learn_again": ("stability",),
    "sorb.resampling.result": ("Stability",),
    "sorb.tables.date_columns": ("date_columns",),
    "sorb.rules": (
        "Condition",
        "Membership",
        "ModelFormatError",
        "Product",
        "Proposition",
        "Rule",
        "RuleEnsemble",
    ),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("sorb")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'sorb' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
