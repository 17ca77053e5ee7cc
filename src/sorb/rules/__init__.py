"""Rules and ensembles of rules: frozen values that predict, print themselves and fit in a file."""

from sorb.rules.conditions import Condition
from sorb.rules.ensemble import RuleEnsemble
from sorb.rules.field_checks import Label
from sorb.rules.model_format import ModelFormatError
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.rule import Rule

__all__ = [
    "AnyProposition",
    "Condition",
    "Label",
    "Loss",
    "Membership",
    "ModelFormatError",
    "Product",
    "Proposition",
    "Rule",
    "RuleEnsemble",
]
