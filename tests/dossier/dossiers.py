"""Models with rows to write dossiers about, and what is in them."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd

from sorb.dossier import write_dossier
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def facts_of(folder):
    return json.loads((folder / "facts.json").read_text("utf-8"))


def rate_model():
    """A model of rates, its rows, outcomes and exposures."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"age": rng.normal(50, 12, 120).round(1)})
    old = Rule(Condition((Proposition(("age",), (1.0,), 55.0),)), 0.8)
    model = RuleEnsemble(-1.0, (old,), ("age",), "poisson", per_exposure=True)
    exposure = rng.uniform(0.2, 3.0, 120).round(2)
    y = rng.poisson(model.predict(table) * exposure)
    return model, table, y, exposure


def doctored(estimator, settings=(), **fields):
    """The model of an estimator whose record says something else of its training."""
    record = estimator.ensemble_.record
    own = replace(record, settings={**dict(record.settings), **dict(settings)}, **fields)
    return replace(estimator.ensemble_, record=own)


def named_model(name, label="a", other="b"):
    """A model of two columns with this name in it, and rows."""
    rng = np.random.default_rng(5)
    second = f"{name} 2"
    table = pd.DataFrame({name: rng.normal(size=60), second: rng.choice([label, other], 60)})
    table.loc[3, second] = None
    rules = (
        Rule(Condition((Proposition((name,), (1.0,), 0.1),)), 1.25),
        Rule(Condition((Membership(second, (label,)),)), -0.5),
    )
    model = RuleEnsemble(0.1, rules, (name, second), "logistic", (f"not {label}", f"is {label}"))
    y = np.where(rng.random(60) < 0.5, f"not {label}", f"is {label}")
    return model, table, y


def written(example, folder, **options):
    """Write a dossier about the test rows of a fitted example."""
    X, y = example.test
    return write_dossier(example.estimator, X, y, folder, split="test", **options)
