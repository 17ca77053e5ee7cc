"""Small tables, and models that grow on them."""

import numpy as np
from oracles.losses import draw

from sorb.learning.boosting import BoostingSettings, Growth, Limits
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch, ObliqueSearch
from sorb.learning.selection import Selection
from sorb.losses import loss_by_name
from sorb.rules import RuleEnsemble

SEARCHES = {
    "oblique": ObliqueSearch("orthogonal", "gradient_sum"),
    "paper": ObliqueSearch("gradient_sum", "separator"),
    "axis": AxisSearch("gradient_boosting"),
    "quantiles": AxisSearch("orthogonal", 5),
}
COLUMNS = ("a", "b", "c")


def table(name, seed=0, n=150):
    """A table whose outcome depends on a weighted sum of two columns, and smoothly on a third."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    signal = 2.0 * (X[:, 0] + X[:, 1] > 0) - X[:, 2]
    f = np.outer(signal, (-2.0, 0.0, 2.0)) if name == "softmax" else signal[:, None]
    return X, draw(name, f, rng)


def rows_of(X, y, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return Rows.from_table(X, y, weight, COLUMNS[: X.shape[1]])


def empty(name, classes=3):
    offset, labels = ((0.0,) * classes, tuple(range(classes))) if name == "softmax" else (0.0, None)
    return RuleEnsemble(offset, (), COLUMNS, name, labels)


def settings(
    name="squared", search="oblique", revisits=0, small_models=None, min_difference=0.0, **limits
):
    """Settings that take the candidate with the lowest validation risk, whatever it costs."""
    return BoostingSettings(
        loss_by_name(name),
        SEARCHES[search],
        Selection(0.0),
        reg_lambda=0.1,
        seed=0,
        limits=Limits(**{"max_rules": 4, **limits}),
        revisits=revisits,
        small_models=revisits > 0 if small_models is None else small_models,
        min_difference=min_difference,
    )


def run(rows, options, report=lambda growth: None):
    """Let a model grow from the beginning."""
    growth = Growth.begin(rows, options, empty(options.loss.name))
    growth.run(report)
    return growth


def stages_of(rows, options):
    return run(rows, options).stages


def grow(name="squared", search="oblique", seed=0, n=150, **options):
    return run(rows_of(*table(name, seed, n)), settings(name, search, **options))


def penalised_risk(name, rows, ensemble, reg_lambda=0.1):
    """The mean loss with the penalty, as the ensemble's own predictions give it."""
    scores = ensemble(rows.X[rows.origin])
    penalty = reg_lambda * sum(rule.vote**2 for rule in ensemble)
    losses = rows.weight @ loss_by_name(name).value(rows.y, scores)
    return (losses + penalty) / rows.weight.sum()
