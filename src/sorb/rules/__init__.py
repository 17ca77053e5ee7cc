"""What a model is: propositions, conditions, rules and ensembles of them, as frozen values.

Columns, weights, thresholds and votes come in, from training, by hand or from a JSON file; they
are checked once. What comes out can be evaluated on any table, printed, compared and saved.
"""

from sorb.rules.compiled import CompiledEnsemble
from sorb.rules.conditions import Condition
from sorb.rules.ensemble import RuleEnsemble
from sorb.rules.experience import ColumnExperience
from sorb.rules.field_checks import Label
from sorb.rules.model_format import ModelFormatError
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition
from sorb.rules.rule import Rule

__all__ = [
    "AnyProposition",
    "ColumnExperience",
    "CompiledEnsemble",
    "Condition",
    "Label",
    "Membership",
    "ModelFormatError",
    "Product",
    "Proposition",
    "Rule",
    "RuleEnsemble",
]
