"""Scorecards of all kinds of lines, for pages, tables and pictures."""

import numpy as np
import pandas as pd
from cli.patients import hand_made, heavy, patients
from scipy.special import expit

from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def ensemble():
    """A model with conjunctions and single propositions, for and against."""
    old, young = Proposition(("age",), (1.0,), 45.0), Proposition(("age",), (-1.0,), -30.0)
    short = Proposition(("height",), (-1.0,), -1.8)
    rules = (
        Rule(Condition((old, heavy())), 3.5),
        Rule(Condition((Membership("group", ("A", "AB")),)), -0.85),
        Rule(Condition((Proposition(("weight",), (1.0,), 60.0),)), -1.2),
        Rule(Condition((young, short)), -0.7),
    )
    return hand_made(rules=rules)


def rows():
    """Rows, and outcomes drawn from the model."""
    table = pd.DataFrame(patients())
    drawn = np.random.default_rng(0).random(len(table)) < expit(ensemble()(table))
    return table, np.where(drawn, "yes", "no")


def card(**options):
    return ensemble().scorecard(*rows(), **{"max_points": 5, **options})


def bank_card():
    return ensemble().scorecard(*rows(), pdo=20, high="no")


def named(name, other="other"):
    """A card in which everything has a hostile name."""
    conditions = (
        Condition((Proposition((name,), (1.0,), 1.0),)),
        Condition((Membership(other, (name,)),)),
        Condition((Proposition((name,), (1.0,), 1.0), Membership(other, (name,)))),
    )
    rules = tuple(Rule(c, vote) for c, vote in zip(conditions, (1.0, -1.0, -2.0), strict=True))
    classes = ("no", name) if name != "no" else ("yes", name)
    units = {name: name if name.isprintable() and name.strip() else "kg"}
    return RuleEnsemble(-1.0, rules, (name, other), "logistic", classes, units).scorecard()
