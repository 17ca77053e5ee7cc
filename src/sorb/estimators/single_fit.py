"""Training once, with a given penalty, or continuing an earlier fit."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from sorb.estimators.base import LARGEST, BaseLLTBoost
from sorb.learning.stages import Stage
from sorb.tables.quoting import quote_some
from sorb.tables.training import TrainingData

__all__ = ["CONSTRAINTS", "SingleFit"]

CONSTRAINTS: dict[str, list[Any]] = {
    "reg_lambda": [Interval(Real, 0, LARGEST, closed="both")],
    "warm_start": ["boolean"],
}


class SingleFit(BaseLLTBoost):
    """Trains once, with a given penalty."""

    reg_lambda: float
    warm_start: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn the rules.

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

        Returns
        -------
        self : object
        """
        return self._fit(lambda reset: self._training_data(X, y, sample_weight, reset))

    def _fit(self, read: Callable[[bool], TrainingData]) -> Any:
        """Learn from data that are read when the parameters have been checked.

        `read` takes whether the estimator forgets the columns of an earlier fit.
        """
        self._validate_params()
        earlier = self._earlier_stages()
        data = read(not earlier)
        if earlier:
            self._require_same_task(data)
        if not earlier or isinstance(self.random_state, Integral):
            self._fit_seed = self._seed()
        self._train(
            data, self.reg_lambda, self._fit_seed, self.max_rules, self.max_seconds, earlier
        )
        return self

    def _earlier_stages(self) -> list[Stage]:
        """The stages to continue from."""
        if not (self.warm_start and self.__sklearn_is_fitted__()):
            return []
        if self.max_rules < self.n_iter_:
            raise ValueError(
                f"max_rules={self.max_rules} must not be less than the {self.n_iter_} rules "
                "learned before, if warm_start is True"
            )
        return self.stages_

    def _require_same_task(self, data: TrainingData) -> None:
        before = self.ensemble_
        if data.columns != before.columns:
            raise ValueError(
                f"the columns must stay {quote_some(before.columns)}, if warm_start is True; found "
                f"{quote_some(data.columns)}"
            )
        for name in data.columns:
            if (name in data.schema.labels) != (name in self.categories_):
                raise ValueError(
                    f"column {name!r} must hold {_kind(name in self.categories_)} as before, if "
                    f"warm_start is True; found {_kind(name in data.schema.labels)}"
                )
        if data.loss != before.loss and data.classes is None:
            raise ValueError(f"the loss must stay {before.loss}, if warm_start is True")
        if data.per_exposure != before.per_exposure:
            raise ValueError("exposure must be passed always or never, if warm_start is True")
        if data.classes is not None and not np.array_equal(data.classes, self.classes_):
            raise ValueError(
                f"the classes in y must stay {self.classes_.tolist()}, if warm_start is True; "
                f"found {data.classes.tolist()}"
            )


def _kind(categorical: bool) -> str:
    return "categories" if categorical else "numbers"
