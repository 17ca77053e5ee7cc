"""The paper's protocol: its splits, its choice of the L2 penalty, its relative risks.

The L2 penalty λ is that of the paper's text, which minimises Σℓ + λ‖β‖² with
ℓ = (y − f)²/2 or the logistic loss: the estimators' ``reg_lambda``. scikit-learn's
``Ridge(alpha)`` is alpha = 2λ, and ``LogisticRegression(C)`` is C = 1/(2λ).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from sorb._types import Float, Int
from sorb.lab.datasets import Dataset, Task
from sorb.lab.methods import Method
from sorb.lab.rivals.rival import FittedModel, Model
from sorb.lab.rivals.sweep import Sweep
from sorb.learning.stages import staged_scores
from sorb.losses import Loss
from sorb.rules import RuleEnsemble
from sorb.rules.columns import column_source
from sorb.tables.exposure import as_rates

SEED = 111
REPETITIONS = 15
MAX_TRAINING_ROWS = 3000
REG_LAMBDAS = (1e-10, 1e-3, 0.1, 1.0, 10.0)
FOLDS = 5


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Training rows, drawn with replacement, and test rows, which were never drawn.

    Attributes
    ----------
    drawn : ndarray of int
        The training rows in the order in which they were drawn, with repeats.
    test : ndarray of int
        The rows that were not drawn.
    """

    drawn: Int
    test: Int


def splits(n: int, repetitions: int = REPETITIONS, group: Int | None = None) -> tuple[Split, ...]:
    """Draw the paper's bootstrap splits of n rows, all from one generator.

    If rows belong together in groups, numbered from 0 on, groups are drawn.

    Examples
    --------
    >>> from sorb.lab.protocol import splits
    >>> first, second = splits(6, repetitions=2)
    >>> first.drawn, first.test
    (array([2, 0, 4, 1, 4, 3]), array([5]))
    """
    rng = np.random.default_rng(SEED)
    size = min(n, MAX_TRAINING_ROWS)
    if group is None:
        draws = [rng.choice(n, size, replace=True) for _ in range(repetitions)]
    else:
        draws = [_draw_groups(rng, group) for _ in range(repetitions)]
    return tuple(Split(drawn, np.setdiff1d(np.arange(n), drawn)) for drawn in draws)


def _draw_groups(rng: np.random.Generator, group: Int) -> Int:
    """Draw as many groups as there are, or until there are enough rows, and leave one to test."""
    rows = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    while True:
        drawn = rng.choice(len(rows), len(rows), replace=True)
        reached = np.cumsum([len(rows[k]) for k in drawn]) >= MAX_TRAINING_ROWS
        if reached.any():
            drawn = drawn[: int(np.argmax(reached)) + 1]
        if len(np.unique(drawn)) < len(rows):
            return np.concatenate([rows[k] for k in drawn])


@dataclass(frozen=True, slots=True)
class Protocol:
    """The settings of the protocol that one may want to change.

    Attributes
    ----------
    reg_lambdas : the L2 penalties to choose from.
    folds : the number of inner folds that they are compared on.
    as_published : whether to follow the authors even where they depart from good practice: the
        table is standardised before it is split, copies of a row may be on both sides of an
        inner fold, and the rivals are run as published.
    """

    reg_lambdas: tuple[float, ...] = REG_LAMBDAS
    folds: int = FOLDS
    as_published: bool = False


def run(
    dataset: Dataset, method: Method, repetition: int, protocol: Protocol
) -> list[dict[str, Any]]:
    """Learn models of all sizes with all penalties on one split, and measure them.

    Returns
    -------
    rows : one for each model, with the columns of `sorb.lab.results.SCHEMA`.
    """
    sweep = method.sweep(dataset.task, repetition, protocol.as_published, dataset.loss)
    split = splits(len(dataset.y), repetition + 1, dataset.group)[repetition]
    data = _SplitData.of(dataset.standardised() if protocol.as_published else dataset, split)
    reg_lambdas = protocol.reg_lambdas if method.penalised else ()
    fitted = list(sweep.models(data.X, data.y, reg_lambdas, data.exposure))
    if not fitted:
        raise ValueError("no model is small enough for the complexities that are compared")
    cv_risks: dict[Key, float] = {}
    if len(reg_lambdas) > 1:
        cv_risks = _validation_risks(data, sweep, fitted, reg_lambdas, protocol)
    measures = _Measures.of(data, sweep.gives_probabilities)
    rows = [
        {
            "task": dataset.task,
            "setting": _setting(one),
            "reg_lambda": one.parameters.get("reg_lambda"),
            "complexity": one.model.complexity,
            "cv_risk": cv_risks.get(_key(one)),
            **measured,
            "seconds": one.seconds,
            "model": _model_text(one.model) if repetition == 0 else None,
        }
        for one, measured in zip(fitted, measures.all_of(fitted), strict=True)
    ]
    return _without_repeats(_number_sizes(rows))


@dataclass(frozen=True, slots=True, eq=False)
class _SplitData:
    """The rows of one split as numbers, with the columns that the training rows know."""

    X: pd.DataFrame
    y: NDArray[Any]
    row: Int  # the index of each training row in the whole table
    X_test: pd.DataFrame
    y_test: NDArray[Any]
    task: Task
    loss: Loss
    exposure: Float | None = None
    exposure_test: Float | None = None
    group: Int | None = None  # of each training row

    @classmethod
    def of(cls, dataset: Dataset, split: Split) -> _SplitData:
        encoder = dataset.encoder(split.drawn)
        X, X_test = (
            pd.DataFrame(encoder.matrix(rows), columns=list(encoder.columns))
            for rows in (split.drawn, split.test)
        )
        y, y_test = dataset.y[split.drawn], dataset.y[split.test]
        exposure, exposure_test = (
            None if dataset.exposure is None else dataset.exposure[rows]
            for rows in (split.drawn, split.test)
        )
        group = None if dataset.group is None else dataset.group[split.drawn]
        kind = (dataset.task, dataset.loss)
        return cls(X, y, split.drawn, X_test, y_test, *kind, exposure, exposure_test, group)

    def training_part(self, rows: Int) -> tuple[pd.DataFrame, NDArray[Any], Float | None]:
        """Some training rows: the table, the outcomes and the exposure."""
        exposure = None if self.exposure is None else self.exposure[rows]
        return self.X.iloc[rows], self.y[rows], exposure

    def inner_folds(self, protocol: Protocol) -> Iterator[tuple[Int, Int]]:
        """Yield training and validation rows; groups stay together, copies unless as published."""
        if protocol.as_published and self.group is None:
            yield from KFold(protocol.folds, shuffle=True, random_state=SEED).split(self.row)
            return
        together = self.row if self.group is None else self.group
        distinct, index = np.unique(together, return_inverse=True)
        n_folds = protocol.folds if self.group is None else min(protocol.folds, len(distinct))
        splitter = KFold(n_folds, shuffle=True, random_state=SEED)
        for _, validation in splitter.split(distinct):
            left_out = np.isin(index, validation)
            yield np.flatnonzero(~left_out), np.flatnonzero(left_out)


Key = tuple[str, float | None]


def _setting(fitted: FittedModel) -> str:
    sizes = {key: value for key, value in fitted.parameters.items() if key != "reg_lambda"}
    return ", ".join(f"{key}={value}" for key, value in sizes.items())


def _key(fitted: FittedModel) -> Key:
    return _setting(fitted), fitted.parameters.get("reg_lambda")


def _validation_risks(
    data: _SplitData,
    sweep: Sweep,
    fitted: Sequence[FittedModel],
    reg_lambdas: Sequence[float],
    protocol: Protocol,
) -> dict[Key, float]:
    """Return the mean loss on validation rows of models with the parameters of the fitted ones."""
    keys = [_key(one) for one in fitted]
    total = dict.fromkeys(keys, 0.0)
    for training, validation in data.inner_folds(protocol):
        X, y, exposure = data.training_part(training)
        models = list(sweep.models(X, y, reg_lambdas, exposure))
        X, y, exposure = data.training_part(validation)
        scores = _scores([one.model for one in models], X)
        found = {
            _key(one): _total_loss(data.loss, y, exposure, f)
            for one, f in zip(models, scores, strict=True)
        }
        for key, risk in zip(keys, _fill_in(keys, found), strict=True):
            total[key] += risk
    weight = len(data.y) if data.exposure is None else data.exposure.sum()
    return {key: risk / weight for key, risk in total.items()}


def _fill_in(keys: Sequence[Key], found: Mapping[Key, float]) -> Iterator[float]:
    """Replace a size that a fold's fewer rows do not reach by the size before."""
    last: dict[float | None, float] = {}
    for key in keys:
        _, reg_lambda = key
        last[reg_lambda] = found.get(key, last.get(reg_lambda, np.nan))
        yield last[reg_lambda]


def _scores(models: Sequence[Model], X: pd.DataFrame) -> Iterator[Float]:
    if all(isinstance(model, RuleEnsemble) for model in models):
        return staged_scores(models, column_source(X, tuple(X.columns)))  # type: ignore[arg-type]
    return (model(X) for model in models)


@dataclass(frozen=True, slots=True, eq=False)
class _Measures:
    """Risks and error rates relative to the best constant of the training rows."""

    data: _SplitData
    offset: float
    gives_probabilities: bool

    @classmethod
    def of(cls, data: _SplitData, gives_probabilities: bool) -> _Measures:
        rates, weight = as_rates(
            data.loss, data.y.astype(np.float64), np.ones(len(data.y)), data.exposure
        )
        (offset,) = data.loss.best_constant(rates, weight)
        return cls(data, float(offset), gives_probabilities)

    def all_of(self, fitted: Sequence[FittedModel]) -> Iterator[dict[str, float | None]]:
        models = [one.model for one in fitted]
        train = _scores(models, self.data.X)
        test = _scores(models, self.data.X_test)
        for f, f_test in zip(train, test, strict=True):
            yield {
                "train_risk": self._risk(self.data.y, self.data.exposure, f),
                "test_risk": self._risk(self.data.y_test, self.data.exposure_test, f_test),
                "train_error": self._error(self.data.y, f),
                "test_error": self._error(self.data.y_test, f_test),
            }

    def _risk(self, y: NDArray[Any], exposure: Float | None, scores: Float) -> float | None:
        if not self.gives_probabilities:
            return None
        constant = np.full(len(y), self.offset)
        without_rules = _total_loss(self.data.loss, y, exposure, constant)
        return _total_loss(self.data.loss, y, exposure, scores) / without_rules

    def _error(self, y: NDArray[Any], scores: Float) -> float | None:
        if self.data.task == "regression":
            return None
        wrong = np.mean((scores > 0) != y)
        return float(wrong / np.mean((self.offset > 0) != y))


def _total_loss(loss: Loss, y: NDArray[Any], exposure: Float | None, scores: Float) -> float:
    rates, weight = as_rates(loss, y.astype(np.float64), np.ones(len(y)), exposure)
    return float((weight * loss.value(rates, scores)).sum())


def _model_text(model: Model) -> str:
    if isinstance(model, RuleEnsemble):
        return model.to_json(indent=None)
    return model.describe()


def _number_sizes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Number the sizes in order of appearance."""
    numbers = {name: k for k, name in enumerate(dict.fromkeys(row["setting"] for row in rows), 1)}
    return [{**row, "step": numbers[row["setting"]]} for row in rows]


def _without_repeats(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drop steps at which neither a model nor the choice among them differs from the step before.

    A repetition without a step keeps the model of the step before.
    """
    steps: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        steps.setdefault(row["step"], []).append(row)
    found = {step: _content(of_step) for step, of_step in steps.items()}
    return [row for row in rows if found.get(row["step"] - 1) != found[row["step"]]]


def _content(rows: list[dict[str, Any]]) -> tuple[Any, ...]:
    """What a step is judged by: all its models, and the penalty with the least validation risk."""
    models = {row["reg_lambda"]: _measurements(row) for row in rows}
    validated = [row for row in rows if row["cv_risk"] is not None]
    # In a tie, the larger penalty is chosen.
    chosen = min(validated, key=lambda row: (row["cv_risk"], -row["reg_lambda"]), default=None)
    return models, chosen and chosen["reg_lambda"]


def _measurements(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("complexity", "train_risk", "train_error"))
