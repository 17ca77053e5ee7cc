"""Training with a penalty and a size that are chosen by cross-validation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sorb._kernels import SparseTable
from sorb.estimators.base import GROWTH_PENALTY, BaseLLTBoost
from sorb.learning.boosting import Growth, first_model
from sorb.learning.cross_validation import Plan
from sorb.learning.deadline import OutOfTimeError
from sorb.learning.folds import Fold, folds_from_splits, random_folds, require_learnable
from sorb.learning.risk_curve import SELECTIONS, RiskCurve
from sorb.learning.rows import Rows
from sorb.learning.stages import Stage
from sorb.learning.whole_table import ArrayTable, WholeTable
from sorb.tables.sparse_matrices import to_scipy
from sorb.tables.training import TrainingData
from sorb.tables.weights import is_non_negative

__all__ = ["CONSTRAINTS", "CrossValidatedFit"]

CONSTRAINTS: dict[str, list[Any]] = {
    "reg_lambdas": ["array-like"],
    "cv": ["cv_object"],
    "n_repeats": [Interval(Integral, 1, None, closed="left")],
    "grow_once": ["boolean"],
    "selection": [StrOptions(set(SELECTIONS))],
}
# How much of the time may be spent on dividing the rows into folds, before any fit.
_SHARE_OF_FOLDS = 0.1


class CrossValidatedFit(BaseLLTBoost):
    """Cross-validates growth, chooses a penalty and a size, and trains on all rows."""

    reg_lambdas: Sequence[float]
    cv: Any
    n_repeats: int
    grow_once: bool
    selection: str

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Set up the method as the paper describes it, with the penalties it chooses from.

        Parameters
        ----------
        **overrides
            Parameters that should differ from the paper's.
        """
        chosen = {
            "reg_lambdas": (1e-10, 1e-3, 0.1, 1.0, 10.0),
            "cv": 5,
            "n_repeats": 1,
            "grow_once": False,
            "selection": "best",
        }
        return super().paper(**{**chosen, **overrides})

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Choose the penalty and the size, and learn the rules.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, n_features)
            Numbers; NaN where a value is missing. float32 is not copied to float64, and a sparse
            matrix of SciPy is never made dense. A DataFrame of pandas, polars or pyarrow may also
            hold categories.
        y : array-like of shape (n_samples,)
            The class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Non-negative sample weights: a weight of k means the same as k copies of the row. If
            they are not all whole numbers, no row counts as several observations.
        groups : array-like of shape (n_samples,) or None, default=None
            Labels of groups of rows that belong together, such as the patient of each visit. Rows
            of a group are never divided between training and validation, and not taken for
            independent when standard errors are estimated. If `cv`
            is a splitter, such as ``GroupKFold``, they are passed to it.

        Returns
        -------
        self : object
        """
        return self._fit(lambda: self._table(X, y, sample_weight, groups), groups)

    def _fit(self, read: Callable[[], WholeTable], groups: Any = None) -> Any:
        """Learn from a table that is read when the parameters have been checked."""
        started = time.perf_counter()
        self._validate_params()
        reg_lambdas = _check_penalties(self.reg_lambdas)
        table = read()
        seed = self._seed()
        try:
            data, rows, aside = self._prepare(table, seed, started, not self._has_splits())
        except OutOfTimeError:
            self._use_constant(table, started)
            self.curve_ = RiskCurve.unknown(np.array(reg_lambdas))
            self._warn_of_no_time()
            self._warn_of_dropped_rules(table)
            return self
        self._check_classes(data)
        started -= aside
        folds: list[Fold] = []
        if self._seconds_left(started) > 0:
            deadline = time.perf_counter() + _SHARE_OF_FOLDS * self._seconds_left(started)
            folds = self._folds(table, data, rows, groups, seed, deadline)
        searches = self._searches(reg_lambdas)
        batches = self._batches(len(folds) * len(searches))
        fold_seconds = self._seconds_left(started) / (batches + self._shares_of_growth())
        plans = [
            Plan(self._settings(data, searched, seed, fold_seconds, n_threads=1), refitted)
            for searched, refitted in searches
        ]
        curve = self._cross_validate(data, folds, plans, batches * fold_seconds)
        reg_lambda, complexity = curve.choose(self.selection)
        size = math.inf if self._out_of_time(curve) else complexity
        searched = next(search for search, refitted in searches if reg_lambda in refitted)
        seconds = self._seconds_left(started)
        settings = self._settings(data, searched, seed, seconds, self._n_threads())
        growth = Growth.begin(rows, settings, first_model(data))
        choose = partial(self._choose, table, data, growth, curve, reg_lambda, size)
        try:
            self._grow(growth)
            lacks_time = growth.lacks_time
            choose()
            if lacks_time:
                self._warn_of_no_time()
        except KeyboardInterrupt:
            choose(interrupted=True)
            self._warn_of_interruption()
        self._warn_of_dropped_rules(table)
        return self

    def _choose(
        self,
        table: WholeTable,
        data: TrainingData,
        growth: Growth,
        curve: RiskCurve,
        reg_lambda: float,
        complexity: float,
        interrupted: bool = False,
    ) -> None:
        """Use the model of the penalty and the size that the curve speaks for."""
        if self.grow_once:
            self._set_chosen_model(table, data, growth, curve, reg_lambda, complexity, interrupted)
            return
        self.curve_ = curve
        models = self._models(table, data, growth, interrupted)
        stages = [Stage.of(found, growth.first) for found in models]
        self._set_model(table, data, stages, complexity)

    def _searches(self, reg_lambdas: list[float]) -> list[tuple[float, tuple[float, ...]]]:
        """The penalties to search for rules with, each with those to refit their votes with."""
        if not self.grow_once:
            return [(value, (value,)) for value in reg_lambdas]
        searched = min(max(GROWTH_PENALTY, min(reg_lambdas)), max(reg_lambdas))
        return [(searched, tuple(reg_lambdas))]

    def _has_splits(self) -> bool:
        """Whether `cv` itself says which rows train and which validate."""
        return not (self.cv is None or isinstance(self.cv, Integral))

    def _folds(
        self,
        table: WholeTable,
        data: TrainingData,
        rows: Rows,
        groups: Any,
        seed: int,
        deadline: float,
    ) -> list[Fold]:
        if not self._has_splits():
            n_folds = 5 if self.cv is None else int(self.cv)
            repeats = int(self.n_repeats)
            folds = random_folds(data, n_folds, seed, repeats, rows, deadline=deadline)
            require_learnable(data, folds)
            return folds
        if not isinstance(table, ArrayTable):
            raise ValueError("cv must be a number of folds, since a lazy frame has no row numbers")
        X, y = table.data.X, table.data.y
        if isinstance(X, SparseTable):
            X = to_scipy(X)
        splits = self.cv.split(X, y, groups) if hasattr(self.cv, "split") else self.cv
        return folds_from_splits(data, splits, len(table.data.X))


def _check_penalties(reg_lambdas: Any) -> list[float]:
    is_sequence = np.iterable(reg_lambdas) and not isinstance(reg_lambdas, (Set, Mapping))
    given = list(reg_lambdas) if is_sequence else []
    if not given:
        raise ValueError(f"reg_lambdas must be a sequence of numbers, found {reg_lambdas!r}")
    for k, value in enumerate(given):
        if not is_non_negative(value):
            raise ValueError(
                "reg_lambdas must hold finite and non-negative numbers, "
                f"found {value!r} at position {k}"
            )
    return [float(value) for value in given]
