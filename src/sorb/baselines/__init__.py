"""Other methods that learn readable models, with scikit-learn's interface, to compare with."""

from sorb.baselines.bayesian_rule_sets import BayesianRuleSetClassifier
from sorb.baselines.boosted_rules import BoostedRulesClassifier, BoostedRulesRegressor
from sorb.baselines.ceiling import CeilingClassifier, CeilingRegressor
from sorb.baselines.ebm import EBMClassifier, EBMRegressor
from sorb.baselines.imodels_adapters import (
    ImodelsBoostedRulesClassifier,
    ImodelsFIGSClassifier,
    ImodelsFIGSRegressor,
    ImodelsRuleFitClassifier,
    ImodelsRuleFitRegressor,
)
from sorb.baselines.neural_rules import NeuralRulesClassifier, NeuralRulesRegressor
from sorb.baselines.oblique_rulefit import ObliqueRuleFitClassifier, ObliqueRuleFitRegressor

__all__ = [
    "BayesianRuleSetClassifier",
    "BoostedRulesClassifier",
    "BoostedRulesRegressor",
    "CeilingClassifier",
    "CeilingRegressor",
    "EBMClassifier",
    "EBMRegressor",
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
