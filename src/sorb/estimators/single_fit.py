"""Training once, with the penalty and the size chosen by cross-validation, or as they are given."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from sorb.estimators.base import GROWTH_PENALTY, LARGEST, VOTE_PENALTIES, BaseLLTBoost
from sorb.learning.boosting import BoostingSettings, GrownModels, Growth, first_model
from sorb.learning.cross_validation import Plan
from sorb.learning.deadline import OutOfTimeError
from sorb.learning.folds import Fold, learnable, random_folds
from sorb.learning.risk_curve import SELECTIONS, RiskCurve
from sorb.learning.rows import Rows
from sorb.learning.stages import Stage
from sorb.learning.whole_table import WholeTable
from sorb.rules import Condition
from sorb.tables.quoting import quote_some
from sorb.tables.training import TrainingData

__all__ = ["CONSTRAINTS", "SingleFit"]

CONSTRAINTS: dict[str, list[Any]] = {
    "reg_lambda": [Interval(Real, 0, LARGEST, closed="both"), StrOptions({"auto"})],
    "selection": [StrOptions(set(SELECTIONS)), None],
    "warm_start": ["boolean"],
}
_FOLDS, _REPEATS = 3, 2
# When so many rows have validated, and each of them once, further folds gain hardly anything.
_ENOUGH_ROWS = 20_000


class SingleFit(BaseLLTBoost):
    """Grows models of all sizes once, and chooses the penalty and the size by cross-validation."""

    reg_lambda: float | str
    selection: str | None
    warm_start: bool

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Set up the method as the paper describes it, with a given penalty and number of rules.

        Parameters
        ----------
        **overrides
            Parameters that should differ from the paper's.
        """
        return super().paper(**{"reg_lambda": 1.0, "selection": None, **overrides})

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Any:
        """Learn the rules.

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
            independent when standard errors are estimated.

        Returns
        -------
        self : object
        """
        return self._fit(lambda reset: self._table(X, y, sample_weight, groups, reset))

    def _fit(self, read: Callable[[bool], WholeTable]) -> Any:
        """Learn from a table that is read when the parameters have been checked.

        `read` takes whether the estimator forgets the columns of an earlier fit.
        """
        started = time.perf_counter()
        self._validate_params()
        goes_on = self.warm_start and self.__sklearn_is_fitted__()
        table = read(not goes_on)
        if not goes_on or isinstance(self.random_state, Integral):
            self._fit_seed = self._seed()
        divided = self.validation is not None or self.selection is not None
        try:
            data, rows, aside = self._prepare(table, self._fit_seed, started, divided)
        except OutOfTimeError:
            if not goes_on:
                self._use_constant(table, started)
                self._grown = GrownModels.of(self.stages_)
                self._given = _what_is_given(table.data)
            self._warn_of_no_time()
            self._warn_of_dropped_rules(table)
            return self
        self._check_classes(data)
        if goes_on:
            self._require_same_task(data)
        self._given = _what_is_given(data)
        started -= aside
        n_fits = min(_FOLDS * _REPEATS, _enough_folds(len(rows))) if self.selection else 0
        shares = self._shares_of_growth()
        others = self._batches(n_fits) if n_fits else 0
        seconds = self._seconds_left(started) * shares / (shares + others)
        settings = self._single_settings(data, seconds, self._n_threads())
        growth = self._begin(rows, settings, data, goes_on)
        try:
            self._grow(growth)
            if growth.lacks_time and self._seconds_left(started) > 0:
                # Better a rule whose size is not chosen than none.
                growth.extend(self._seconds_left(started))
                self._grow(growth)
            lacks_time = growth.lacks_time
            # The columns of the folds can have their memory.
            growth.rows = rows = rows.without_columns()
            curve = None
            if self.selection is not None:
                curve = self._validated_curve(data, rows, started)
                if len(growth.models) > 1 and self._out_of_time(curve):
                    curve = None
            self._choose(table, data, growth, curve)
            if lacks_time:
                self._warn_of_no_time()
        except KeyboardInterrupt:
            self._choose(table, data, growth, None, interrupted=True)
            self._warn_of_interruption("; no size was chosen" if self.selection else "")
        self._warn_of_dropped_rules(table)
        return self

    def _choose(
        self,
        table: WholeTable,
        data: TrainingData,
        growth: Growth,
        curve: RiskCurve | None,
        interrupted: bool = False,
    ) -> None:
        """Use the model that the curve speaks for; without a curve, the largest one."""
        # With other penalties, some stages are not the best of their size; a warm start needs all.
        self._grown = growth.grown
        if curve is not None and self.selection is not None:
            self._set_chosen_model(table, data, growth, curve, *curve.choose(self.selection))
            return
        if hasattr(self, "curve_"):
            del self.curve_
        models = self._models(table, data, growth, interrupted)
        stages = [Stage.of(found, growth.first) for found in models]
        self._set_model(table, data, stages, math.inf)

    def _single_settings(
        self, data: TrainingData, seconds: float, n_threads: int
    ) -> BoostingSettings:
        penalty = GROWTH_PENALTY if self.reg_lambda == "auto" else self.reg_lambda
        return self._settings(data, float(penalty), self._fit_seed, seconds, n_threads)

    def _begin(
        self, rows: Rows, settings: BoostingSettings, data: TrainingData, goes_on: bool
    ) -> Growth:
        if not goes_on:
            kept = None if self._checkpoint is None else self._checkpoint.read()
            if kept is not None:
                return Growth.resume(rows, settings, first_model(data), kept)
            return Growth.begin(rows, settings, first_model(data))
        n_rules, complexity = self._grown.size
        if self.max_rules is not None and self.max_rules < n_rules:
            raise ValueError(
                f"max_rules={self.max_rules} must not be less than the {n_rules} rules "
                "learned before, if warm_start is True"
            )
        if self.max_complexity is not None and self.max_complexity < complexity:
            raise ValueError(
                f"max_complexity={self.max_complexity} must not be less than the complexity "
                f"{complexity} reached before, if warm_start is True"
            )
        return Growth.resume(rows, settings, first_model(data), self._grown)

    def _validated_curve(self, data: TrainingData, rows: Rows, started: float) -> RiskCurve:
        folds: list[Fold] = []
        if self._seconds_left(started) > 0:
            most = _enough_folds(len(rows))
            folds = random_folds(data, _FOLDS, self._fit_seed, _REPEATS, rows, most)
        if not all(learnable(data, fold) for fold in folds):
            # The other folds alone would be no sample of the table.
            folds = []
        penalties = VOTE_PENALTIES if self.reg_lambda == "auto" else (float(self.reg_lambda),)
        seconds = self._seconds_left(started)
        share = seconds / self._batches(len(folds))
        plan = Plan(self._single_settings(data, share, n_threads=1), penalties)
        return self._cross_validate(data, folds, [plan], seconds)

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
        if _what_is_given(data) != self._given:
            raise ValueError("the rules of init must stay, if warm_start is True")
        if data.classes is not None and not np.array_equal(data.classes, self.classes_):
            raise ValueError(
                f"the classes in y must stay {self.classes_.tolist()}, if warm_start is True; "
                f"found {data.classes.tolist()}"
            )


def _enough_folds(n_rows: int) -> int:
    """How many folds are enough: the first three divide so many rows, the next three again."""
    return max(_FOLDS, math.ceil(_ENOUGH_ROWS * _FOLDS / n_rows))


def _what_is_given(data: TrainingData) -> list[tuple[Condition, int]]:
    """The rules to begin with, but for their votes, which are fitted."""
    return [(rule.condition, rule.output) for rule in data.given]


def _kind(categorical: bool) -> str:
    return "categories" if categorical else "numbers"
