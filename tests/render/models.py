"""Small models and tables for the pictures."""

import numpy as np
import pandas as pd
import pytest

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.losses import LOSSES, Readout

COLUMNS = ("age", "weight", "height", "group")

OLD = Proposition(("age", "height"), (2.0, -0.1), 60.0)
HEAVY = Product(("weight", "height"), (1.0, -2.0), 0.0025, missing=True)
MEMBER = Membership("group", ("A", "AB"))
RULES = (
    Rule(Condition((OLD,)), 1.5),
    Rule(Condition((HEAVY, MEMBER)), -2.0),
    Rule(Condition((MEMBER,)), 0.75),
)
OFFSETS = {Readout.IDENTITY: 3.0, Readout.SIGMOID: -1.0, Readout.EXPONENTIAL: 0.5}
KINDS = ("well", "mild", "ill")


def people(n=200, missing=0.1):
    """A table with numbers, categories and holes."""
    generator = np.random.default_rng(7)
    table = pd.DataFrame(
        {
            "age": generator.integers(20, 80, n).astype(float),
            "weight": generator.normal(75, 12, n).round(),
            "height": generator.normal(170, 10, n).round(),
            "group": generator.choice(["A", "B", "AB", "O"], n),
        }
    )
    for name in table:
        table.loc[generator.random(n) < missing, name] = None
    return table


def model(loss):
    units = {"age": "years", "weight": "kg", "height": "cm"}
    if loss == "softmax":
        rules = tuple(Rule(r.condition, 2 * r.vote, k) for k, r in enumerate(RULES))
        return RuleEnsemble((0.5, 0.0, -0.5), rules, COLUMNS, "softmax", KINDS, units)
    classes = ("well", "ill") if loss == "logistic" else None
    return RuleEnsemble(OFFSETS[LOSSES[loss].readout], RULES, COLUMNS, loss, classes, units)


def outcomes(loss, n=200):
    generator = np.random.default_rng(8)
    if loss == "softmax":
        return generator.choice(KINDS, n)
    if loss == "logistic":
        return generator.choice(["well", "ill"], n)
    return generator.poisson(3, n) + (0.0 if loss == "poisson" else 0.5)


every_loss = pytest.mark.parametrize("loss", LOSSES)
