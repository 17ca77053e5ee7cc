"""A model of two rules."""

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
TALL = Condition((Proposition(("height", "age"), (1.0, -0.5), 150.0),))
ENSEMBLE = RuleEnsemble(
    0.5, (Rule(OLD, 1.0), Rule(TALL, -2.0)), ("age", "weight", "height"), "squared"
)
