"""Rivals: other methods that learn readable models, as scikit-learn estimators.

In comes a table of numbers with an outcome; out come fitted estimators whose models print
themselves and have a complexity to compare with that of rules. Each rival is one file, and some
of what they share is in files of its own. `sorb.lab.methods` names the rivals for the laboratory.
"""

from sorb.lab.rivals.bayesian_rule_sets import BayesianRuleSetClassifier
from sorb.lab.rivals.boosted_rules import BoostedRulesClassifier, BoostedRulesRegressor
from sorb.lab.rivals.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from sorb.lab.rivals.ebm import EBMClassifier, EBMRegressor
from sorb.lab.rivals.gradient_boosted_trees import (
    GradientBoostedTreesClassifier,
    GradientBoostedTreesRegressor,
)
from sorb.lab.rivals.imodels_rules import (
    ImodelsRiskScoreClassifier,
    ImodelsRuleFitClassifier,
    ImodelsRuleFitRegressor,
)
from sorb.lab.rivals.imodels_trees import (
    ImodelsBoostedRulesClassifier,
    ImodelsFIGSClassifier,
    ImodelsFIGSRegressor,
    ImodelsTaoClassifier,
    ImodelsTaoRegressor,
)
from sorb.lab.rivals.linear_models import LinearClassifier, LinearRegressor
from sorb.lab.rivals.neural_rules import NeuralRulesClassifier, NeuralRulesRegressor
from sorb.lab.rivals.oblique_rulefit import ObliqueRuleFitClassifier, ObliqueRuleFitRegressor

__all__ = [
    "BayesianRuleSetClassifier",
    "BoostedRulesClassifier",
    "BoostedRulesRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "EBMClassifier",
    "EBMRegressor",
    "GradientBoostedTreesClassifier",
    "GradientBoostedTreesRegressor",
    "ImodelsBoostedRulesClassifier",
    "ImodelsFIGSClassifier",
    "ImodelsFIGSRegressor",
    "ImodelsRiskScoreClassifier",
    "ImodelsRuleFitClassifier",
    "ImodelsRuleFitRegressor",
    "ImodelsTaoClassifier",
    "ImodelsTaoRegressor",
    "LinearClassifier",
    "LinearRegressor",
    "NeuralRulesClassifier",
    "NeuralRulesRegressor",
    "ObliqueRuleFitClassifier",
    "ObliqueRuleFitRegressor",
]
