"""Training with the penalty and the number of rules chosen by cross-validation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils._param_validation import StrOptions

from sorb.estimators.base import PAPER, BaseLLTBoost
from sorb.learning.cross_validation import Curve, cross_validate
from sorb.learning.folds import Fold, folds_from_splits, random_folds
from sorb.learning.progress import show_fits
from sorb.tables.training import TrainingData
from sorb.tables.weights import is_non_negative

__all__ = ["CONSTRAINTS", "CrossValidatedFit"]

CONSTRAINTS: dict[str, list[Any]] = {
    "reg_lambdas": ["array-like"],
    "cv": ["cv_object"],
    "selection": [StrOptions({"best", "one_se"})],
}


class CrossValidatedFit(BaseLLTBoost):
    """Cross-validates each penalty, chooses one and a number of rules, and trains on all rows."""

    reg_lambdas: Sequence[float]
    cv: Any
    selection: str

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Set up the method as the paper describes it, with the penalties it chooses from.

        Parameters
        ----------
        **overrides
            Parameters that should differ from the paper's.
        """
        chosen = {"reg_lambdas": (1e-10, 1e-3, 0.1, 1.0, 10.0), "cv": 5, "selection": "best"}
        return cls(**{**PAPER, **chosen, **overrides})

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Choose the penalty and the number of rules, and learn the rules.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            Numbers, dense; NaN where a value is missing. float32 is not copied to float64. A
            DataFrame of pandas, polars or pyarrow may also hold categories.
        y : array-like of shape (n_samples,)
            The class labels, or the numbers to predict.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Non-negative weights: a weight of k means the same as k copies of the row. If they are
            not all whole numbers, no row counts as several observations.
        groups : array-like of shape (n_samples,) or None, default=None
            Passed to the splitter `cv`, for example ``GroupKFold``.

        Returns
        -------
        self : object
        """
        return self._fit(lambda: self._training_data(X, y, sample_weight), groups)

    def _fit(self, read: Callable[[], TrainingData], groups: Any) -> Any:
        """Learn from data that are read when the parameters have been checked."""
        started = time.perf_counter()
        self._validate_params()
        reg_lambdas = _check_penalties(self.reg_lambdas)
        data = read()
        seed = self._seed()
        folds = self._folds(data, groups, seed)
        seconds = math.inf if self.max_seconds is None else self.max_seconds
        share = self._share(seconds, len(folds) * len(reg_lambdas))
        curve = self._curve(data, folds, reg_lambdas, seed, share)
        reg_lambda, n_rules = curve.choose(self.selection)
        left = max(share, seconds - (time.perf_counter() - started))
        self._train(data, reg_lambda, seed, n_rules, left, [])
        self.curve_, self.reg_lambda_, self.n_rules_ = curve, reg_lambda, n_rules
        return self

    def _folds(self, data: TrainingData, groups: Any, seed: int) -> list[Fold]:
        if self.cv is None or isinstance(self.cv, Integral):
            if groups is not None:
                raise ValueError("groups need a splitter as cv, for example GroupKFold()")
            return random_folds(data, 5 if self.cv is None else int(self.cv), seed)
        is_splitter = hasattr(self.cv, "split")
        splits = self.cv.split(data.X, data.y, groups) if is_splitter else self.cv
        return folds_from_splits(data, splits)

    def _share(self, seconds: float, n_fits: int) -> float:
        """Share the time among the batches of parallel fits and the last fit.

        The last fit has more rows, and the others end a little late, so it gets two shares.
        """
        batches = math.ceil(n_fits / int(effective_n_jobs(self.n_jobs)))
        return seconds / (batches + 2)

    def _curve(
        self,
        data: TrainingData,
        folds: list[Fold],
        reg_lambdas: list[float],
        seed: int,
        max_seconds: float,
    ) -> Curve:
        all_settings = [
            self._settings(data, reg_lambda, seed, self.max_rules, max_seconds, n_threads=1)
            for reg_lambda in reg_lambdas
        ]
        n_fits = len(folds) * len(all_settings)
        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, n_fits))
        parallel = {"n_jobs": n_jobs, "verbose": max(0, self.verbose - 1)}
        with show_fits(self.verbose, n_fits) as after_fit:
            return cross_validate(data, folds, all_settings, after_fit, **parallel)


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
