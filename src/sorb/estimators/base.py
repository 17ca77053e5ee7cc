"""What all estimators share: parameters, training with them, and predictions of the ensemble."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from sorb._types import Float
from sorb.explanation import Explanation
from sorb.learning.boosting import BoostingSettings, Limits, boost, empty_model
from sorb.learning.objectives import OBJECTIVES
from sorb.learning.progress import show_rules
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch, ObliqueSearch, Search
from sorb.learning.selection import Selection
from sorb.learning.stages import Stage, staged_scores
from sorb.losses import Loss
from sorb.rules.columns import ColumnSource
from sorb.tables.prediction import open_table
from sorb.tables.training import ColumnOptions, TrainingData

# The upper end of parameters without a limit of their own: a larger integer is no float.
LARGEST = 1e308
# A search uses one for each sign of the gradient.
MOST_THREADS = 2

# The settings that reproduce the method as published.
PAPER: dict[str, Any] = {
    "objective": "gradient_sum",
    "search": "oblique",
    "cut": "separator",
    "complexity_price": 0.0,
    "min_gain": None,
    "max_rule_complexity": 5,
}


class BaseLLTBoost(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The parameters and methods of all estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 0, None, closed="left")],
        "max_complexity": [Interval(Integral, 0, None, closed="left"), None],
        "max_rule_complexity": [Interval(Integral, 1, None, closed="left")],
        "objective": [StrOptions(set(OBJECTIVES))],
        "search": [StrOptions({"oblique", "oblique_append", "axis"})],
        "cut": [StrOptions({"gradient_sum", "separator", "objective"})],
        "n_quantiles": [Interval(Integral, 2, None, closed="left"), None],
        "validation": [StrOptions({"out_of_bag"}), None],
        "complexity_price": [Interval(Real, 0, LARGEST, closed="both")],
        "min_gain": [Interval(Real, -LARGEST, LARGEST, closed="both"), None],
        "random_state": ["random_state"],
        "n_jobs": [
            Interval(Integral, None, -1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            None,
        ],
        "verbose": ["verbose"],
        "max_seconds": [Interval(Real, 0, LARGEST, closed="right"), None],
        "weights": [StrOptions({"real", "integer"})],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "log_columns": [StrOptions({"auto"}), "array-like", None],
        "units": [dict, None],
    }

    def __init__(
        self,
        *,
        max_rules: int,
        max_complexity: int | None,
        max_rule_complexity: int,
        objective: str,
        search: str,
        cut: str,
        n_quantiles: int | None,
        validation: str | None,
        complexity_price: float,
        min_gain: float | None,
        random_state: Any,
        n_jobs: int | None,
        verbose: int,
        max_seconds: float | None,
        weights: str,
        categorical_features: Any,
        log_columns: Any,
        units: dict[Any, str] | None,
    ) -> None:
        self.max_rules = max_rules
        self.max_complexity = max_complexity
        self.max_rule_complexity = max_rule_complexity
        self.objective = objective
        self.search = search
        self.cut = cut
        self.n_quantiles = n_quantiles
        self.validation = validation
        self.complexity_price = complexity_price
        self.min_gain = min_gain
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.max_seconds = max_seconds
        self.weights = weights
        self.categorical_features = categorical_features
        self.log_columns = log_columns
        self.units = units

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @classmethod
    def paper(cls, **overrides: Any) -> Any:
        """Set up the method as the paper describes it.

        Parameters
        ----------
        **overrides
            Parameters that should differ from the paper's.
        """
        return cls(**{**PAPER, **overrides})

    @abstractmethod
    def _training_data(
        self, X: Any, y: Any, sample_weight: Any, reset: bool = True
    ) -> TrainingData:
        """Check the table, the outcomes and the weights."""

    def _seed(self) -> int:
        """Draw the seed of a fit."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _settings(
        self,
        data: TrainingData,
        reg_lambda: float,
        seed: int,
        max_rules: int,
        max_seconds: float | None,
        n_threads: int,
    ) -> BoostingSettings:
        limits = Limits(
            0 if data.one_class else max_rules,
            self.max_complexity,
            self.max_rule_complexity,
            max_seconds,
        )
        return BoostingSettings(
            data.loss, self._search(), self._selection(), float(reg_lambda), seed, limits, n_threads
        )

    def _selection(self) -> Selection | None:
        if self.validation is None:
            return None
        return Selection(self.complexity_price, -np.inf if self.min_gain is None else self.min_gain)

    def _search(self) -> Search:
        if self.search == "axis":
            return AxisSearch(self.objective, self.n_quantiles)
        refine, whole = self.search == "oblique", self.weights == "integer"
        return ObliqueSearch(self.objective, self.cut, refine, whole)

    def _train(
        self,
        data: TrainingData,
        reg_lambda: float,
        seed: int,
        max_rules: int,
        max_seconds: float | None,
        earlier: list[Stage],
    ) -> None:
        """Boost on all rows and keep the stages, even after an interruption."""
        n_threads = min(effective_n_jobs(self.n_jobs), MOST_THREADS)
        settings = self._settings(data, reg_lambda, seed, max_rules, max_seconds, n_threads)
        rows = Rows.of(data)
        start = earlier[-1].ensemble if earlier else empty_model(data)
        stages = list(earlier)
        with show_rules(self.verbose, max_rules) as show:

            def keep(stage: Stage) -> None:
                stages[len(stage.ensemble) :] = [stage]
                show(stage)

            try:
                boost(rows, settings, start, keep, earlier)
            except KeyboardInterrupt:
                if not stages:
                    raise
                warnings.warn(
                    f"training was interrupted: the model keeps the {len(stages) - 1} rules "
                    "learned so far",
                    stacklevel=3,
                )
        if data.classes is not None:
            self.classes_ = data.classes
        complete = ~np.isnan(data.X).any(axis=0)
        self._complete_columns = np.array(data.columns)[complete].tolist()
        self.log_columns_, self.categories_ = data.schema.log_names, data.schema.labels
        self.stages_ = stages
        self.ensemble_ = stages[-1].ensemble
        self.n_iter_ = len(self.ensemble_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensemble_")

    def _column_options(self) -> ColumnOptions:
        return ColumnOptions(self.categorical_features, self.log_columns, self.units)

    def _open(self, X: Any) -> ColumnSource:
        check_is_fitted(self)
        return open_table(self, X, self.ensemble_, self._complete_columns, self.categories_)

    def _scores(self, X: Any) -> Float:
        source = self._open(X)
        return self.ensemble_(source)

    def _staged_scores(self, X: Any) -> Iterator[Float]:
        source = self._open(X)
        return staged_scores((stage.ensemble for stage in self.stages_), source)

    @property
    def _loss(self) -> Loss:
        check_is_fitted(self)
        return self.ensemble_.loss

    def transform(self, X: Any) -> Float:
        """Say which rules cover each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Returns
        -------
        covered : ndarray of shape (n_samples, n_rules)
            1.0 where the rule covers the row, else 0.0.
        """
        source = self._open(X)
        return self.ensemble_.covers(source).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns of `transform` by the number and condition of each rule.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Only checked against the columns seen in `fit`.

        Returns
        -------
        names : ndarray of str objects, such as ``"rule0: age ≥ 40"``
        """
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        names = [f"rule{k}: {rule.condition}" for k, rule in enumerate(self.ensemble_)]
        return np.array(names, dtype=object)

    def explain(self, X: Any) -> Explanation:
        """Say what each rule adds to the score of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table.

        Returns
        -------
        explanation : Explanation
            The offset and the contributions of the rules. Their `total` is exactly the score: the
            decision function of a classifier, the prediction of a regressor or, depending on the
            loss, its logarithm.
        """
        source = self._open(X)
        return Explanation.of(self.ensemble_, source)

    def _repr_html_inner(self) -> str:
        rules = self.ensemble_._repr_html_() if self.__sklearn_is_fitted__() else ""
        return f"{rules}{estimator_html_repr(self)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle
