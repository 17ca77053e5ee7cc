"""Predictions on a lazy frame: the same frame with more columns, computed by its engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import narwhals as nw

from sorb.losses import Readout
from sorb.rules import RuleEnsemble
from sorb.rules.columns import wrap_frame
from sorb.rules.prediction import class_labels
from sorb.tables.expressions import Columns, Expr, join, score_exprs
from sorb.tables.quoting import quote_some

__all__ = ["add_predictions", "add_probabilities", "add_scores"]

# The exponential of a larger number is none that all engines can hold.
_LARGEST_EXPONENT = 700.0


def add_scores(X: Any, ensemble: RuleEnsemble) -> Any:
    """Add the column `score`, or `score_CLASS` for each class; null where a number is infinite.

    Examples
    --------
    >>> import polars as pl
    >>> from sorb.rules import Condition, Proposition, Rule
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(old, 2.5),), ("age",), "logistic", ("well", "ill"))
    >>> add_scores(pl.LazyFrame({"age": [30, 50]}), ensemble).collect()["score"].to_list()
    [-1.0, 1.5]
    """
    names = ["score"]
    if len(ensemble.offsets) > 1:
        names = [f"score_{label}" for label in class_labels(ensemble.classes)]
    return _add(X, ensemble, names, lambda scores: list(scores))


def add_predictions(X: Any, ensemble: RuleEnsemble) -> Any:
    """Add the column `prediction`: the most probable class, or the expected outcome."""
    if ensemble.loss.has_classes:
        labels = class_labels(ensemble.classes)
        return _add(X, ensemble, ["prediction"], lambda scores: [_label(scores, labels)])
    return _add(X, ensemble, ["prediction"], lambda scores: [_mean(scores[0], ensemble)])


def add_probabilities(X: Any, ensemble: RuleEnsemble) -> Any:
    """Add the column `probability_CLASS` for each class."""
    labels = class_labels(ensemble.classes)
    names = [f"probability_{label}" for label in labels]
    return _add(X, ensemble, names, lambda scores: _probabilities(scores, len(labels)))


def _add(
    X: Any,
    ensemble: RuleEnsemble,
    names: Sequence[str],
    answers: Callable[[Sequence[Expr]], list[Expr]],
) -> Any:
    frame = wrap_frame(X)
    columns = Columns.of(frame)
    types = columns.types
    missing = [name for name in ensemble.used_columns if name not in types]
    if missing:
        raise ValueError(f"missing columns: {', '.join(map(repr, missing))}")
    scores = score_exprs(ensemble, columns)
    held = [f"sorb score {k}" for k in range(len(scores))]
    # A query cannot refuse a row, as predictions in memory do.
    floats = [name for name in ensemble.weighed_columns if columns.holds_nan(name)]
    known = ~join([columns.infinite(name) for name in floats], or_) if floats else None
    twice = [name for name in [*names, *held] if name in types or names.count(name) > 1]
    if twice:
        raise ValueError(
            f"the prediction would be a second column {twice[0]!r}: rename one; there are "
            f"{quote_some(list(types))}"
        )
    # Scores are used several times, so they are columns for a while.
    frame = frame.with_columns(*(e.alias(name) for e, name in zip(scores, held, strict=True)))
    found = answers([nw.col(name) for name in held])
    if known is not None:
        found = [nw.when(known).then(answer) for answer in found]
    frame = frame.with_columns(*(e.alias(name) for e, name in zip(found, names, strict=True)))
    return frame.drop(*held).to_native()


def _mean(score: Expr, ensemble: RuleEnsemble) -> Expr:
    return score if ensemble.loss.readout is Readout.IDENTITY else _exp(score)


def _label(scores: Sequence[Expr], labels: Sequence[Any]) -> Expr:
    """The first of the labels with the largest score; of two, the second if it is positive."""
    if len(labels) == 1:
        return nw.lit(labels[0])
    if len(scores) == 1:
        return nw.when(scores[0] > 0).then(nw.lit(labels[1])).otherwise(nw.lit(labels[0]))
    largest = _largest(scores)
    label = nw.lit(labels[-1])
    for score, value in zip(scores[-2::-1], labels[-2::-1], strict=True):
        label = nw.when(score == largest).then(nw.lit(value)).otherwise(label)
    return label


def _probabilities(scores: Sequence[Expr], n_classes: int) -> list[Expr]:
    if n_classes == 1:
        return [nw.lit(1.0)]
    if len(scores) == 1:
        return [nw.lit(1.0) / (_exp(score) + 1.0) for score in (scores[0], scores[0] * -1.0)]
    largest = _largest(scores)
    parts = [_exp(score - largest) for score in scores]
    total = reduce(lambda one, other: one + other, parts)
    return [part / total for part in parts]


def _largest(scores: Sequence[Expr]) -> Expr:
    return reduce(lambda one, other: nw.when(other > one).then(other).otherwise(one), scores)


def _exp(exponent: Expr) -> Expr:
    return exponent.clip(-_LARGEST_EXPONENT, _LARGEST_EXPONENT).exp()
