"""Small models of each kind of loss with their tables."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from sorb import (
    Condition,
    LLTBoostClassifier,
    LLTBoostRegressor,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.report import report

KINDS = ("binary", "classes", "squared", "poisson", "gamma", "tweedie")
_MODELS = {}


def small_table(n_rows=240, seed=0):
    """Numbers, whole numbers, categories, and missing values of both."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n_rows),
            "weight": rng.normal(75, 12, n_rows).round(1),
            "height": rng.normal(1.72, 0.1, n_rows).round(2),
            "group": rng.choice(["A", "B", "AB", "O"], n_rows),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, "weight"] = np.nan
    table.loc[rng.random(n_rows) < 0.05, "group"] = None
    return table


def outcomes(kind, table, seed=0):
    rng = np.random.default_rng(seed + 1)
    score = 1.0 * (table.age >= 50) + 0.8 * (table.weight.fillna(60) >= 75) - 0.5
    score = score + 0.7 * (table.group == "AB")
    match kind:
        case "binary":
            y = np.where(rng.logistic(size=len(table)) < 2 * score - 1, "ill", "well")
        case "classes":
            noisy = score + rng.normal(0, 0.5, len(table))
            y = np.array(["low", "middle", "high"])[np.digitize(noisy, [0.3, 1.0])]
        case "squared":
            y = (score + rng.normal(0, 0.5, len(table))).round(2)
        case "poisson":
            y = rng.poisson(np.exp(score))
        case "gamma":
            y = rng.gamma(2.0, np.exp(score) / 2).round(3) + 0.001
        case "tweedie":
            y = rng.poisson(np.exp(score)) * rng.gamma(2.0, 1.0, len(table)).round(2)
    return pd.Series(y, name="outcome")


def fitted(kind):
    """A model of the first 180 rows, and the 60 others."""
    if kind not in _MODELS:
        _MODELS[kind] = fit(kind, small_table())
    return _MODELS[kind]


def fit(kind, table, max_complexity=24):
    """A model of three quarters of the rows, and the others."""
    y = outcomes(kind, table)
    n = len(table) * 3 // 4
    settings = {"effort": "low", "max_complexity": max_complexity, "random_state": 0}
    if kind in ("binary", "classes"):
        estimator = LLTBoostClassifier(selection=None, **settings)
    else:
        estimator = LLTBoostRegressor(loss=kind, selection=None, **settings)
    return SimpleNamespace(
        kind=kind,
        estimator=estimator.fit(table[:n], y[:n]),
        training=(table[:n], y[:n]),
        test=(table[n:], y[n:]),
    )


def large_page(kind="binary", n_rows=3000, n_columns=100, n_rules=40):
    """The page of many rules on many columns."""
    rng = np.random.default_rng(0)
    names = tuple(f"x{j}" for j in range(n_columns))
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)), columns=names)
    classes = {"binary": ("no", "yes"), "classes": ("low", "middle", "high")}.get(kind)
    n_outputs = 3 if kind == "classes" else 1
    rules = []
    for k in range(n_rules):
        a, b, c = (names[(3 * k + j) % n_columns] for j in range(3))
        parts = (Proposition((a, b), (1.0, -0.5), 0.2), Proposition((c,), (1.0,), 0.0))
        rules.append(Rule(Condition(parts), 0.1, k % n_outputs))
    offset = (-1.0,) * n_outputs if n_outputs > 1 else -1.0
    loss = {"binary": "logistic", "classes": "softmax"}.get(kind, kind)
    model = RuleEnsemble(offset, rules, names, loss, classes)
    if classes:
        shares = (0.7, 0.3) if n_outputs == 1 else (0.5, 0.3, 0.2)
        y = rng.choice(classes, n_rows, p=shares)
    else:
        y = rng.poisson(1.0, n_rows) + 0.0
    third = n_rows // 3
    return report(model, X, y, X_test=X[:third], y_test=y[:third])
