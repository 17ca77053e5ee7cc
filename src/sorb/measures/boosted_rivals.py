"""Larger rivals: gradient boosted trees, and explainable boosting machines."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from sorb._extras import install_command
from sorb._types import Float
from sorb.measures.encoding import UNSEEN
from sorb.measures.rivals import Rival, RivalRows, choose
from sorb.rules import notation

__all__ = ["learn_ebm", "learn_hgb", "require_interpret"]

ITERATIONS = (10, 20, 30, 50, 70, 100)
MOST_ROWS = 10_000  # on which it does not stop early
MOST_CATEGORIES = 255  # that gradient boosting takes as such
# What scikit-learn minimises for each loss; it has none for amounts that are often zero.
TREE_LOSSES = {"squared": "squared_error", "gamma": "gamma"}
MACHINE_LOSSES = {
    "squared": "rmse",
    "poisson": "poisson_deviance",
    "gamma": "gamma_deviance",
    "tweedie": "tweedie_deviance:variance_power={power}",
}


def learn_hgb(rows: RivalRows) -> Rival:
    """Learn scikit-learn's histogram gradient boosting.

    Categories and missing values are passed as they are. Its settings are the defaults, with which
    it stops early on more than 10,000 rows; of fewer, cross-validation chooses how many of its 100
    iterations are used.
    """
    few = len(rows.y) <= MOST_ROWS
    chosen = choose(rows, ITERATIONS, _learn_hgbs, ITERATIONS[-1]) if few else ITERATIONS[-1]
    return _learn_hgbs(rows, [chosen])[0]


def _learn_hgbs(rows: RivalRows, iterations: Sequence[int]) -> list[Rival]:
    """Learn once, and give what was learned after some numbers of iterations."""
    settings: dict[str, Any] = {
        "categorical_features": [0 < n <= MOST_CATEGORIES for n in rows.n_categories],
        "max_iter": max(iterations),
        "random_state": 0,
    }
    if rows.n_classes:
        predictor = HistGradientBoostingClassifier(**settings)
    else:
        loss = TREE_LOSSES.get(rows.loss.name, "poisson")
        predictor = HistGradientBoostingRegressor(loss=loss, **settings)
    # Quantiles of weighted rows are slow, and those of equal weights are the same.
    weight = None if (rows.weight == 1).all() else rows.weight
    predictor.fit(_without_unseen(rows.matrix), rows.y, sample_weight=weight)
    return [_after(predictor, rows, number) for number in iterations]


def _after(predictor: Any, rows: RivalRows, iterations: int) -> Rival:
    """What was learned after some iterations."""
    predictor = copy.copy(predictor)
    predictor._predictors = predictor._predictors[:iterations]
    trees = [tree for iteration in predictor._predictors for tree in iteration]
    leaves = sum(tree.get_n_leaf_nodes() for tree in trees)
    size = f"{notation.count(len(trees), 'tree')}, {leaves} leaves"
    return Rival(
        "hgb",
        "histogram gradient boosting",
        size,
        lambda matrix: rows.scores(predictor, _without_unseen(matrix)),
    )


def require_interpret() -> Any:
    """Import the package of the machines, or say what to install."""
    try:
        from interpret import glassbox
    except ImportError as error:
        raise ImportError(
            "explainable boosting machines (ebm) need the package interpret: "
            f"{install_command('lab')}"
        ) from error
    return glassbox


def learn_ebm(rows: RivalRows) -> Rival:
    """Learn an explainable boosting machine of the package interpret, with its defaults."""
    glassbox = require_interpret()
    settings: dict[str, Any] = {
        "feature_types": ["nominal" if n else "continuous" for n in rows.n_categories],
        "random_state": 0,
        "n_jobs": 1,
    }
    if rows.n_classes:
        machine = glassbox.ExplainableBoostingClassifier(**settings)
        y: Any = rows.y.astype(np.int64)
    else:
        objective = MACHINE_LOSSES[rows.loss.name].format(**rows.loss.parameters)
        machine, y = glassbox.ExplainableBoostingRegressor(objective=objective, **settings), rows.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pairs that it cannot learn with several classes
        machine.fit(_without_unseen(rows.matrix), y, sample_weight=rows.weight)
    pieces = sum(int(np.size(scores)) for scores in machine.term_scores_)
    size = f"{notation.count(len(machine.term_scores_), 'term')}, {pieces} steps"
    return Rival(
        "ebm",
        "explainable boosting machine",
        size,
        lambda matrix: rows.scores(machine, _without_unseen(matrix)),
    )


def _without_unseen(matrix: Float) -> Float:
    """Take categories that were never seen for missing, as these methods do."""
    return np.where(matrix == UNSEEN, np.nan, matrix) if (matrix == UNSEEN).any() else matrix
