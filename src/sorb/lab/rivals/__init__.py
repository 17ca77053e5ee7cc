"""Other methods that learn readable models, with scikit-learn's interface, to compare with."""

from sorb.lab.rivals.bayesian_rule_sets import BayesianRuleSetClassifier
from sorb.lab.rivals.boosted_rules import BoostedRulesClassifier, BoostedRulesRegressor
from sorb.lab.rivals.ebm import EBMClassifier, EBMRegressor
from sorb.lab.rivals.gradient_boosted_trees import (
    GradientBoostedTreesClassifier,
    GradientBoostedTreesRegressor,
)
from sorb.lab.rivals.imodels_adapters import (
    ImodelsBoostedRulesClassifier,
    ImodelsFIGSClassifier,
    ImodelsFIGSRegressor,
    ImodelsRuleFitClassifier,
    ImodelsRuleFitRegressor,
)
from sorb.lab.rivals.neural_rules import NeuralRulesClassifier, NeuralRulesRegressor
from sorb.lab.rivals.oblique_rulefit import ObliqueRuleFitClassifier, ObliqueRuleFitRegressor

__all__ = [
    "BayesianRuleSetClassifier",
    "BoostedRulesClassifier",
    "BoostedRulesRegressor",
    "EBMClassifier",
    "EBMRegressor",
    "GradientBoostedTreesClassifier",
    "GradientBoostedTreesRegressor",
    "ImodelsBoostedRulesClassifier",
    "ImodelsFIGSClassifier",
    "ImodelsFIGSRegressor",
    "ImodelsRuleFitClassifier",
    "ImodelsRuleFitRegressor",
    "NeuralRulesClassifier",
    "NeuralRulesRegressor",
    "ObliqueRuleFitClassifier",
    "ObliqueRuleFitRegressor",
]
