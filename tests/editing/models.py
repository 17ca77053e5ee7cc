"""Models that are edited, and their rows."""

import numpy as np

from sorb import Condition, Proposition, Rule, RuleEnsemble

COLUMNS = ("a", "b", "c")
CLASSES = {"logistic": ("no", "yes"), "softmax": ("x", "y", "z")}


def at_least(column, threshold):
    return Condition((Proposition((column,), (1.0,), threshold),))


def rows(seed, loss, n=60):
    """A table and outcomes for a loss."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if loss in CLASSES:
        return X, rng.choice(CLASSES[loss], n)
    y = rng.gamma(2.0, size=n) * np.exp(X[:, 0] > 0)
    return X, y


def model(loss, seed=0):
    """Three rules with votes that nobody has fitted."""
    rng = np.random.default_rng(seed)
    n_outputs = 3 if loss == "softmax" else 1
    rules = [
        Rule(at_least(c, t), v, int(rng.integers(n_outputs)))
        for c, t, v in zip(COLUMNS, rng.normal(size=3) / 2, rng.normal(size=3), strict=True)
    ]
    offset = tuple(rng.normal(size=3)) if n_outputs > 1 else 0.5
    return RuleEnsemble(offset, rules, COLUMNS, loss, CLASSES.get(loss))
