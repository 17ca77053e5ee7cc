"""What all estimators share: parameters, training with them, and predictions of the ensemble."""

from __future__ import annotations

import copy
import math
import time
import warnings
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from sorb._types import Float
from sorb.checks import warn_of_serious_findings
from sorb.estimators.training_record import training_record
from sorb.explanation import Explanation
from sorb.learning.boosting import BoostingSettings, Growth, Limits, first_model
from sorb.learning.checkpoint import Checkpoint
from sorb.learning.cross_validation import Plan, cross_validate
from sorb.learning.fit_to_all import fit_constant, fit_to_all
from sorb.learning.folds import Fold
from sorb.learning.groups import keep_together
from sorb.learning.lazy_source import LazySource
from sorb.learning.lazy_table import LazyTable
from sorb.learning.near_duplicates import NearDuplicates, find_near_duplicates
from sorb.learning.objectives import OBJECTIVES
from sorb.learning.progress import show_fits, show_growth
from sorb.learning.risk_curve import RiskCurve
from sorb.learning.rows import Rows, collect_rows
from sorb.learning.search import AxisSearch, ObliqueSearch, Search
from sorb.learning.selection import Selection
from sorb.learning.source import Source
from sorb.learning.stages import Stage, TimedModel, refit_curve, stage_near, staged_scores
from sorb.learning.whole_table import ArrayTable, WholeTable
from sorb.losses import Loss
from sorb.rules import RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.tables.exposure import require_rates
from sorb.tables.given_rules import given_rules
from sorb.tables.lazy import is_lazy, log_columns
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.lazy_outside import add_outside_training
from sorb.tables.prediction import OpenTable, open_table
from sorb.tables.row_groups import number_groups
from sorb.tables.training import ColumnOptions, TrainingData

if TYPE_CHECKING:
    from sorb.report import Report

# The upper end of parameters without a limit of their own: a larger integer is no float.
LARGEST = 1e308
# Rules are learned from so many times the rows that a search looks at.
_ROWS_PER_SEARCH = 5
# The share of the time to use; the rest is for what follows.
_USED_TIME = 0.98
# Far more than there is ever work for; the kernels count in 32 bits.
_MOST_THREADS = 1024
# The penalty while rules are searched for, and those that their votes are then refitted with.
GROWTH_PENALTY = 3.0
VOTE_PENALTIES = (0.03, 0.3, 1.0, 3.0, 10.0, 30.0)
# How many rules are learned again after each new one.
REVISITS = {"low": 0, "normal": 3, "high": 10}
# The complexity up to which models grow unless the user sets a limit, and more for each class
# beyond two.
_ENOUGH_COMPLEXITY, _MORE_PER_CLASS = 100, 10

# The settings that reproduce the method as published.
PAPER: dict[str, Any] = {
    "max_rules": 10,
    "max_rule_complexity": 5,
    "effort": "low",
    "objective": "gradient_sum",
    "search": "oblique",
    "cut": "separator",
    "complexity_price": 0.0,
    "min_difference": 0.0,
    "near_duplicates": "apart",
    "search_rows": None,
}


class BaseLLTBoost(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The parameters and methods of all estimators."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 0, None, closed="left"), None],
        "max_complexity": [Interval(Integral, 0, None, closed="left"), None],
        "max_rule_complexity": [Interval(Integral, 1, None, closed="left")],
        "effort": [StrOptions(set(REVISITS))],
        "objective": [StrOptions(set(OBJECTIVES))],
        "search": [StrOptions({"oblique", "oblique_append", "axis"})],
        "cut": [StrOptions({"gradient_sum", "separator", "objective"})],
        "n_quantiles": [Interval(Integral, 2, None, closed="left"), None],
        "validation": [StrOptions({"out_of_bag"}), None],
        "complexity_price": [Interval(Real, 0, LARGEST, closed="both")],
        "min_difference": [Interval(Real, 0, 0.5, closed="left")],
        "near_duplicates": [StrOptions({"together", "apart"})],
        "random_state": ["random_state"],
        "n_jobs": [
            Interval(Integral, None, -1, closed="right"),
            Interval(Integral, 1, None, closed="left"),
            None,
        ],
        "verbose": ["verbose"],
        "search_rows": [Interval(Integral, 1, None, closed="left"), None],
        "max_seconds": [Interval(Real, 0, LARGEST, closed="right"), None],
        "weights": [StrOptions({"real", "integer"})],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "log_columns": [StrOptions({"auto"}), "array-like", None],
        "units": [dict, None],
        "monotonic_cst": ["array-like", dict, None],
        "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
        "column_prices": [dict, None],
        "init": [RuleEnsemble, None],
    }
    # Where the rules so far are kept, if they are.
    _checkpoint: Checkpoint | None = None

    def __init__(
        self,
        *,
        max_rules: int | None,
        max_complexity: int | None,
        max_rule_complexity: int,
        effort: str,
        objective: str,
        search: str,
        cut: str,
        n_quantiles: int | None,
        validation: str | None,
        complexity_price: float,
        min_difference: float,
        near_duplicates: str,
        random_state: Any,
        n_jobs: int | None,
        verbose: int,
        search_rows: int | None,
        max_seconds: float | None,
        weights: str,
        categorical_features: Any,
        log_columns: Any,
        units: dict[Any, str] | None,
        monotonic_cst: Any,
        interaction_cst: Any,
        column_prices: dict[Any, float] | None,
        init: RuleEnsemble | None,
    ) -> None:
        self.max_rules = max_rules
        self.max_complexity = max_complexity
        self.max_rule_complexity = max_rule_complexity
        self.effort = effort
        self.objective = objective
        self.search = search
        self.cut = cut
        self.n_quantiles = n_quantiles
        self.validation = validation
        self.complexity_price = complexity_price
        self.min_difference = min_difference
        self.near_duplicates = near_duplicates
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.search_rows = search_rows
        self.max_seconds = max_seconds
        self.weights = weights
        self.categorical_features = categorical_features
        self.log_columns = log_columns
        self.units = units
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.column_prices = column_prices
        self.init = init

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
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

    def _table(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        reset: bool = True,
        **exposure: Any,
    ) -> WholeTable:
        """Open a table to learn from, in memory or not."""
        if is_lazy(X):
            source = self._lazy_source(X, y, sample_weight, groups, **exposure)
            _warn_of_columns(source.columns.left_out)
            return self._lazy_table(source, reset)
        data = self._training_data(X, y, sample_weight, reset, **exposure)
        _warn_of_columns(data.schema.left_out)
        if groups is not None:
            data = replace(data, group=number_groups(groups, len(data.y)))
        return ArrayTable(self._with_given_rules(data))

    def _with_given_rules(self, data: TrainingData) -> TrainingData:
        """The same data, with the rules to begin with."""
        return data if self.init is None else replace(data, given=given_rules(self.init, data))

    def _lazy_source(
        self, X: Any, y: Any, sample_weight: Any, groups: Any = None, exposure: Any = None
    ) -> LazySource:
        """Open a lazy frame that holds outcomes and weights itself."""
        loss = self._loss_of_numbers()
        if exposure is not None and loss is not None:
            require_rates(loss)
        columns = open_lazy(
            X, y, sample_weight, exposure, self.categorical_features, loss is None, group=groups
        )
        return LazySource(columns, loss)

    def _source_options(self, source: Source) -> ColumnOptions:
        """How to read the columns of the rows that a source gives, which has looked at all rows."""
        named = log_columns(
            self.log_columns,
            source.description.features,
            source.numbers().ranges,
            source.between,
        )
        categorical = list(source.description.categorical)
        return replace(self._column_options(), categorical_features=categorical, log_columns=named)

    @abstractmethod
    def _lazy_table(self, source: Source, reset: bool) -> LazyTable:
        """Make a table of a source."""

    @abstractmethod
    def _loss_of_numbers(self) -> Loss | None:
        """The loss, if the outcomes are numbers; None if they are classes."""

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
        self, data: TrainingData, reg_lambda: float, seed: int, max_seconds: float, n_threads: int
    ) -> BoostingSettings:
        return BoostingSettings(
            data.loss,
            self._search(),
            None if self.validation is None else Selection(self.complexity_price),
            float(reg_lambda),
            seed,
            self._limits(data, max_seconds),
            REVISITS[self.effort],
            self.effort != "low",
            self.min_difference,
            n_threads,
            self.search_rows,
            constraints=data.constraints,
        )

    def _limits(self, data: TrainingData, max_seconds: float) -> Limits:
        max_rules, max_complexity = self.max_rules, self.max_complexity
        used = {name for rule in data.given for name in rule.condition.columns}
        price = math.ceil(data.constraints.price(used))
        given = (len(data.given), sum(rule.complexity for rule in data.given) + price)
        for name, most, least in zip(
            ("max_rules", "max_complexity"), (max_rules, max_complexity), given, strict=True
        ):
            if most is not None and most < least:
                raise ValueError(f"{name}={most} is less than the {least} of init")
        if data.one_class:
            max_rules = 0
        elif max_rules is None and max_complexity is None:
            n_classes = 2 if data.classes is None else len(data.classes)
            max_complexity = _ENOUGH_COMPLEXITY + _MORE_PER_CLASS * (n_classes - 2) + given[1]
        return Limits(max_rules, max_complexity, self.max_rule_complexity, max_seconds)

    def _search(self) -> Search:
        if self.search == "axis":
            return AxisSearch(self.objective, self.n_quantiles)
        refine, whole = self.search == "oblique", self.weights == "integer"
        return ObliqueSearch(self.objective, self.cut, refine, whole)

    def _seconds_left(self, started: float) -> float:
        """The seconds that are left of a call that started then."""
        if self.max_seconds is None:
            return math.inf
        return max(0.0, _USED_TIME * self.max_seconds - (time.perf_counter() - started))

    def _batches(self, n_fits: int) -> int:
        """The number of batches of parallel fits, at least one."""
        return max(1, math.ceil(n_fits / int(effective_n_jobs(self.n_jobs))))

    def _shares_of_growth(self) -> int:
        """How many times as long as a fit of a cross-validation the fit on all rows may take.

        It has more rows, so it gets two shares, and two more for each rule that only it revisits in
        a round.
        """
        return 2 * (1 + (0 if self.validation is None else REVISITS[self.effort]))

    def _n_threads(self) -> int:
        return min(int(effective_n_jobs(self.n_jobs)), _MOST_THREADS)

    def _grow(self, growth: Growth) -> None:
        with show_growth(self.verbose, growth.settings.limits) as show:

            def report(growth: Growth) -> None:
                show(growth)
                if self._checkpoint is not None:
                    self._checkpoint.write(growth.grown)

            growth.run(report)

    def _keep_together(
        self, data: TrainingData, rows: Rows, search: bool, deadline: float
    ) -> tuple[TrainingData, Rows]:
        """Keep the rows of a group together and, after a `search`, those that are nearly equal."""
        found = None
        if search and self.near_duplicates == "together":
            found = find_near_duplicates(rows, data.classes is not None, deadline)
        if found is not None and data.group is None:
            self._warn_of_near_duplicates(found, len(rows))
        near = found.group if found is not None and found.enough else None
        data, rows = keep_together(data, rows, near, deadline)
        if rows.group is not None and not rows.group.any() and (search or self.validation):
            raise ValueError(
                "groups: all rows are in one group, by their labels or because copies of a row "
                "link the groups, so that there is no other one to validate with; expected at "
                "least two, or no groups"
            )
        return data, rows

    def _warn_of_near_duplicates(self, found: NearDuplicates, n_rows: int) -> None:
        """Warn whoever called `fit`."""
        consequence = (
            "each group is kept together in validation"
            if found.enough
            else "they are too few to be kept together in validation, which may be misled by them"
        )
        warnings.warn(
            f"many rows are nearly equal: {found.n_rows} of {n_rows} different rows form "
            f"{found.n_groups} groups; {consequence}. If the rows are independent, set "
            "near_duplicates='apart'",
            stacklevel=6,
        )

    def _warn_of_interruption(self, consequence: str = "") -> None:
        """Warn whoever called `fit`; to be called by the method that `fit` calls."""
        warnings.warn(
            "training was interrupted: the model keeps the "
            f"{self.n_iter_} rule{'' if self.n_iter_ == 1 else 's'} learned so far"
            f"{consequence}",
            stacklevel=4,
        )

    def _cross_validate(
        self, data: TrainingData, folds: Sequence[Fold], plans: Sequence[Plan], seconds: float
    ) -> RiskCurve:
        deadline = time.perf_counter() + seconds
        n_fits = len(folds) * len(plans)
        n_jobs = min(effective_n_jobs(self.n_jobs), max(1, n_fits))
        parallel = {"n_jobs": n_jobs, "verbose": max(0, self.verbose - 1)}
        with show_fits(self.verbose, n_fits) as after_fit:
            return cross_validate(data, folds, plans, after_fit, deadline, **parallel)

    def _prepare(
        self, table: WholeTable, seed: int, started: float, divided: bool
    ) -> tuple[TrainingData, Rows, float]:
        """The rows to learn rules from, all of them if there are not too many.

        If they are `divided` at random, those that belong together are found.

        Also gives the seconds to set aside for sums over the rows that are not among them: about as
        many as finding the sample took. If the time of a call that started then is over, it raises
        `OutOfTimeError`.
        """
        if isinstance(table, ArrayTable):
            warn_of_serious_findings(table.data, stacklevel=4)
        began = time.perf_counter()
        deadline = began + self._seconds_left(started)
        most = None if self.search_rows is None else _ROWS_PER_SEARCH * int(self.search_rows)
        data = table.sample(most, seed, deadline)
        aside = time.perf_counter() - began if data.sampled else 0.0
        data, rows = collect_rows(data, deadline)
        _require_division(data, rows)
        data, rows = self._keep_together(data, rows, divided, deadline)
        return data, rows, aside

    def _use_constant(self, table: WholeTable, started: float) -> None:
        """Use the model without rules, when there was no time for any."""
        constant = fit_constant(table, GROWTH_PENALTY, time.perf_counter() - started)
        stage = Stage.of(constant, first_model(table.data))
        self._set_model(table, table.data, [stage], 0)

    def _check_classes(self, data: TrainingData) -> None:
        """Check what depends on the classes, if there are any; to be called by what `fit` calls."""

    def _warn_of_no_time(self) -> None:
        """Warn whoever called `fit`; to be called by the method that `fit` calls."""
        warnings.warn(
            f"max_seconds={self.max_seconds} left no time to learn a rule: the model has "
            f"{self.n_iter_}",
            stacklevel=4,
        )

    def _warn_of_dropped_rules(self, table: WholeTable) -> None:
        """Warn whoever called `fit` of given rules that the model lacks; to be called like that."""
        kept = {(rule.condition, rule.output) for rule in self.ensemble_}
        for number, rule in enumerate(table.data.given, 1):
            if (rule.condition, rule.output) not in kept:
                warnings.warn(
                    f"rule {number} of init, {rule.condition}, is left out of the model: a vote of "
                    "the sign that monotonic_cst allows does not lower the loss",
                    stacklevel=4,
                )

    def _models(
        self, table: WholeTable, data: TrainingData, growth: Growth, interrupted: bool = False
    ) -> list[TimedModel]:
        """The models that have grown, with votes that are fitted to all rows of the table.

        If the user has interrupted the fit, their votes stay fitted to the sample.
        """
        return (
            fit_to_all(growth.models, table) if data.sampled and not interrupted else growth.models
        )

    def _out_of_time(self, curve: RiskCurve) -> bool:
        """Whether there was no time to validate any rule; warns whoever called `fit` of it."""
        too_short = self.max_seconds is not None and len(curve.complexity) == 1
        if too_short:
            warnings.warn(
                f"max_seconds={self.max_seconds} left no time to choose a size: the largest model "
                "is used",
                stacklevel=4,
            )
        return too_short

    def _set_chosen_model(
        self,
        table: WholeTable,
        data: TrainingData,
        growth: Growth,
        curve: RiskCurve,
        reg_lambda: float,
        complexity: float,
        interrupted: bool = False,
    ) -> None:
        """Refit each size with the penalty that is best for it, and use the one that is chosen."""
        models = self._models(table, data, growth, interrupted)
        penalties = [curve.best_penalty(model.complexity) for model in models]
        # Among those that their refit leaves the best of their size.
        chosen = stage_near(refit_curve(models, [reg_lambda] * len(models)), complexity)
        # A refit may have left it fewer rules than its model had.
        sizes = [model.complexity for model in models]
        penalties[bisect_left(sizes, chosen.complexity)] = reg_lambda
        stages = [Stage.of(found, growth.first) for found in refit_curve(models, penalties)]
        self.curve_ = curve
        self._set_model(table, data, stages, chosen.complexity)

    def _set_model(
        self, table: WholeTable, data: TrainingData, stages: list[Stage], complexity: float
    ) -> None:
        """Keep what has grown, and use the model whose complexity is nearest to the chosen one."""
        if data.classes is not None:
            self.classes_ = data.classes
        self.log_columns_, self.categories_ = data.schema.log_names, data.schema.labels
        self._left_out = tuple(data.schema.left_out)
        used = dict.fromkeys(name for stage in stages for name in stage.ensemble.used_columns)
        self._experience = table.experience(used)
        record = training_record(self, table.n_rows)
        self.stages_ = [stage.remember(self._experience, record) for stage in stages]
        self._use(stage_near(self.stages_, complexity))

    def _use(self, stage: Stage) -> None:
        self.ensemble_ = stage.ensemble
        self.n_iter_ = len(stage.ensemble)
        self.complexity_ = stage.complexity
        self.reg_lambda_ = stage.reg_lambda

    def outside_training(self, X: Any) -> Any:
        """Find the rows with values unlike all that training held, in the columns of the rules.

        Parameters
        ----------
        X : array-like, DataFrame or lazy frame of shape (n_samples, n_features)
            The table.

        Returns
        -------
        outside : OutsideTraining or lazy frame
            What `ensemble_.outside_training` finds, with `rows` and `columns()`. A lazy frame gets
            one more column, `outside_training`: the names of these columns, separated by
            semicolons, and an empty text where there is none.

        Examples
        --------
        >>> import polars as pl
        >>> from sorb import LLTBoostRegressor
        >>> table = pl.DataFrame({"age": list(range(18, 85))})
        >>> model = LLTBoostRegressor(max_rules=1, selection=None).fit(table, table["age"] > 40)
        >>> new = pl.LazyFrame({"age": [50, 7, None]})
        >>> model.outside_training(new).collect()["outside_training"].to_list()
        ['', 'age', 'age']
        >>> model.outside_training(new.collect()).rows.tolist()
        [False, True, True]
        """
        check_is_fitted(self)
        if is_lazy(X):
            return add_outside_training(X, self.ensemble_)
        return self.ensemble_.outside_training(X)

    def at(self, *, complexity: int | None = None, rules: int | None = None) -> Any:
        """Give the same fit with the model of another size; nothing is learned again.

        Parameters
        ----------
        complexity : int or None, default=None
            The largest complexity of the model.
        rules : int or None, default=None
            The largest number of rules.

        Returns
        -------
        estimator : object
            A copy of this estimator whose `ensemble_` is the largest of the `stages_` within the
            size, which fits the training rows best. Its cross-validated risk may be higher than
            that of a smaller one.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sorb import LLTBoostRegressor
        >>> X, y = load_diabetes(return_X_y=True)
        >>> model = LLTBoostRegressor(max_complexity=30).fit(X, y)
        >>> len(model.at(rules=1).ensemble_)
        1
        """
        check_is_fitted(self)
        for name, value in (("complexity", complexity), ("rules", rules)):
            if value is not None and not (isinstance(value, Integral) and value >= 0):
                raise ValueError(f"{name} must be a whole number ≥ 0, found {value!r}")
        if complexity is None and rules is None:
            raise ValueError("name a size, as in at(complexity=20) or at(rules=5)")
        within = [
            stage
            for stage in self.stages_
            if (complexity is None or stage.complexity <= complexity)
            and (rules is None or len(stage.ensemble) <= rules)
        ]
        other = copy.copy(self)
        other._use(within[-1])
        return other

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "ensemble_")

    def _column_options(self) -> ColumnOptions:
        return ColumnOptions(
            self.categorical_features,
            self.log_columns,
            self.units,
            self.monotonic_cst,
            self.interaction_cst,
            self.column_prices,
        )

    def _open(self, X: Any, ensemble: RuleEnsemble | None = None) -> OpenTable:
        check_is_fitted(self)
        used = self.ensemble_ if ensemble is None else ensemble
        return open_table(self, X, used, self._experience)

    def _map(self, X: Any, question: Callable[[ColumnSource], NDArray[Any]]) -> NDArray[Any]:
        """Ask something about each block of rows; to be called by the method that the user does."""
        return self._open(X).map(question)

    def _staged_scores(self, X: Any) -> Iterator[Float]:
        check_is_fitted(self)
        # Other stages may use other columns than the model.
        rules = {rule.condition: rule for stage in self.stages_ for rule in stage.ensemble}
        source = self._open(X, replace(self.ensemble_, rules=tuple(rules.values()))).read()
        return staged_scores((stage.ensemble for stage in self.stages_), source)

    @property
    def _model(self) -> RuleEnsemble:
        check_is_fitted(self)
        return self.ensemble_

    @property
    def _loss(self) -> Loss:
        return self._model.loss

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
        return self._map(X, lambda rows: self.ensemble_.covers(rows).astype(np.float64))

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
            The offset and the contributions of the rules. Their `total` is exactly the score of
            `ensemble_`: the decision function of a classifier (with the other sign if `positive` is
            the first of two classes), the prediction of a regressor or, depending on the loss, its
            logarithm.
        """
        covered = self._map(X, lambda rows: self.ensemble_.covers(rows))
        return Explanation(self.ensemble_, covered)

    def report(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> Report:
        """Make a page that lets people see, question, change and sign the model.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            The table that the estimator was fitted to.
        y : array-like of shape (n_samples,)
            The outcomes of its rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            The weights of its rows, as in `fit`.
        **options
            The other parameters of `sorb.report.report`, above all `X_test` and `y_test`: rows that
            the estimator has not seen.

        Returns
        -------
        report : Report
            The page, which a notebook shows and `save` writes to a file.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from sorb import LLTBoostRegressor
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> model = LLTBoostRegressor(max_rules=2, selection=None).fit(X[:300], y[:300])
        >>> page = model.report(X[:300], y[:300], X_test=X[300:], y_test=y[300:], compare=False)
        >>> page.data["title"], page.data["n_rows"]
        ('A model of target', {'training': 300, 'test': 142})
        """
        # Imported only here, because learning does not need it.
        from sorb.report import report

        check_is_fitted(self)
        return report(self, X, y, sample_weight, **options)

    def _repr_html_inner(self) -> str:
        rules = self.ensemble_._repr_html_() if self.__sklearn_is_fitted__() else ""
        return f"{rules}{estimator_html_repr(self)}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle


def _require_division(data: TrainingData, rows: Rows) -> None:
    """Refuse given rules that cover all rows or none, as no vote could be fitted."""
    for number, rule in enumerate(data.given, 1):
        covered = rows.covered_by(rule.condition)
        if covered.all() or not covered.any():
            which = "all rows" if covered.any() else "no row"
            raise ValueError(
                f"rule {number} of init, {rule.condition}, covers {which}: leave it out, since no "
                "vote can be fitted"
            )


def _warn_of_columns(left_out: Mapping[str, str]) -> None:
    """Warn whoever called `fit` of columns that are left out; to be called by `_table`."""
    for name, reason in left_out.items():
        warnings.warn(f"column {name!r} is left out: {reason}", stacklevel=6)
