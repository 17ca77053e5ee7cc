"""Several methods on one table, which learn from the same rows and predict the same others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from sorb._types import Float, Int
from sorb.losses import Loss
from sorb.measures.boosted_rivals import learn_ebm, learn_hgb
from sorb.measures.gain import Gain
from sorb.measures.measures import Measures
from sorb.measures.performance import BASELINE, MODEL
from sorb.measures.rivals import (
    Rival,
    RivalRows,
    learn_regression,
    learn_tree,
    rival_columns,
    rival_rows,
)
from sorb.rules import RuleEnsemble, notation
from sorb.tables.targets import Outcomes

__all__ = ["METHODS", "Compared", "Comparison", "Rows", "compare_methods"]

METHODS: dict[str, Callable[[RivalRows], Rival]] = {
    "logistic": learn_regression,
    "linear": learn_regression,
    "tree": learn_tree,
    "ebm": learn_ebm,
    "hgb": learn_hgb,
}


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Some rows: the columns to learn from, outcomes, weights, perhaps exposures and groups."""

    table: Any
    y: Any
    weight: Float
    exposure: Float | None
    group: Int | None


@dataclass(frozen=True, slots=True)
class Compared:
    """How good a method is.

    Attributes
    ----------
    measures : those on all test rows.
    against_sorb : how much lower its mean loss is than that of sorb; None for sorb itself.
    size : how large its model is, in words; of several models, the first.
    seconds : how long it learned, for all models together.
    """

    measures: Measures
    against_sorb: Gain | None
    size: str
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Methods that were compared: sorb first, then the baseline, then the others."""

    methods: Mapping[str, Compared]
    loss: Loss
    n_rows: int


def compare_methods(
    learn: Callable[[Rows], Any],
    names: Sequence[str],
    splits: Sequence[tuple[Rows, Rows]],
    show: Callable[[str, int], None] = lambda method, split: None,
) -> Comparison:
    """Let sorb and other methods learn from training rows and predict test rows, on one thread.

    Parameters
    ----------
    learn : fits an estimator of sorb to some rows.
    names : those of the other methods, of `METHODS`.
    splits : training and test rows; the test rows of all splits are measured together.
    show : called with a method and the number of a split before it learns from its training rows.
    """
    scores: dict[str, list[Float]] = {name: [] for name in (MODEL, BASELINE, *names)}
    sizes: dict[str, str] = {BASELINE: "no rules"}
    seconds = dict.fromkeys(scores, 0.0)
    outcomes: list[Outcomes] = []
    for split, (training, test) in enumerate(splits):
        show(MODEL, split)
        start = perf_counter()
        with threadpool_limits(1):
            estimator = learn(training)
        seconds[MODEL] += perf_counter() - start
        ensemble: RuleEnsemble = estimator.ensemble_
        outcomes.append(Outcomes.of(ensemble, test.y, test.weight, test.exposure))
        rules = notation.count(len(ensemble), "rule")
        sizes.setdefault(MODEL, f"{rules}, complexity {ensemble.complexity}")
        scores[MODEL].append(ensemble(test.table))
        scores[BASELINE].append(estimator.stages_[0].ensemble(test.table))
        learned = training.table, training.y, training.weight, training.exposure, training.group
        given, matrix = rival_rows(estimator, *learned), rival_columns(estimator).read(test.table)
        for name in names:
            show(name, split)
            start = perf_counter()
            with threadpool_limits(1):
                rival = METHODS[name](given)
                seconds[name] += perf_counter() - start
                scores[name].append(rival.scores(matrix))
            sizes.setdefault(name, rival.size)
    known = Outcomes(
        np.concatenate([part.y for part in outcomes]),
        np.concatenate([part.weight for part in outcomes]),
        ensemble.loss,
        np.concatenate([part.copies for part in outcomes]),
    )
    groups = [test.group for _, test in splits if test.group is not None]
    group = np.concatenate(groups) if groups else None
    fold = np.repeat(np.arange(len(splits)), [len(part.y) for part in outcomes])
    joined = {name: np.concatenate(parts) for name, parts in scores.items()}
    methods = {
        name: Compared(
            Measures.of(ensemble, values, known, group=group, fold=fold),
            None if name == MODEL else Gain.of(known, values, joined[MODEL], group),
            sizes[name],
            seconds[name],
        )
        for name, values in joined.items()
    }
    return Comparison(methods, ensemble.loss, len(known.y))
