"""A model that is learned again from resamples of its rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals
import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from sorb._types import Float, Int
from sorb.estimators import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.progress import show_fits
from sorb.learning.recalibration import find_correction
from sorb.measures.agreement import agreement
from sorb.measures.stage_risks import is_recalibrated, training_class_weights
from sorb.resampling.matching import Match, Matcher
from sorb.resampling.resamples import Resample, draw_resamples
from sorb.resampling.result import RuleStability, Spread, Stability
from sorb.rules import RuleEnsemble
from sorb.rules.columns import column_source
from sorb.rules.field_checks import check_natural
from sorb.rules.prediction import count_classes
from sorb.rules.sparse import is_sparse
from sorb.tables.lazy import is_lazy
from sorb.tables.quoting import quote_some
from sorb.tables.row_values import row_values
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = ["stability"]


def stability(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    exposure: Any = None,
    n_resamples: int = 40,
    random_state: int = 0,
    n_jobs: int | None = -1,
    verbose: int = 0,
) -> Stability:
    """Learn a model again from resamples of its rows, and see which of its rules are found again.

    Each resample draws as many observations as there are, with replacement (a bootstrap); copies
    of a row and rows of a group are drawn together. The models grow with the settings of the
    estimator, with its penalty, up to the complexity of its model. As a resample has fewer
    different rows than a new table would, true rules are found a little less often, and
    predictions change more; rules that these rows favour by chance are found more often.

    Parameters
    ----------
    model : fitted estimator or RuleEnsemble
        The model. A `RuleEnsemble` is learned again with the settings in its `record`, or with
        default ones if it has none.
    X : array, sparse matrix or DataFrame
        The rows that it was learned from.
    y : array-like
        Their outcomes.
    sample_weight : array-like, optional
        Their weights: a weight of k counts as k rows.
    groups : array-like, optional
        What group each row belongs to, such as a patient, if rows of a group may be alike.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    n_resamples : int, default=40
        The number of resamples, ≥ 2. A share of 80 % is known to ± 6 % with 40 of them.
    random_state : int, default=0
        The seed of the resamples, and of what is learned from them.
    n_jobs : int or None, default=-1
        How many fits run in parallel; -1 means one per core.
    verbose : int, default=0
        With 1 or more, progress is shown.

    Returns
    -------
    Stability
        For each rule, how often one that decides alike was found, with the spread of its vote and
        its thresholds; and how much predictions change.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb import LLTBoostClassifier, stability
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = LLTBoostClassifier(max_rules=2, max_rule_complexity=1, selection=None).fit(X, y)
    >>> found = stability(model, X, y, n_resamples=5)
    >>> len(found.rules), found.agreement > 0.9
    (2, True)
    """
    if is_lazy(X):
        raise TypeError(
            "stability needs rows in memory: collect the lazy frame, or some of its rows"
        )
    if check_natural(n_resamples, "n_resamples") < 2:
        raise ValueError(f"n_resamples must be 2 or more, found {n_resamples}")
    estimator, ensemble = _estimator(model), _ensemble(model)
    table = _Table.of(_known_columns(X, ensemble), y, groups, exposure)
    resamples = table.resamples(estimator, sample_weight, n_resamples, random_state)
    weight = row_weights(sample_weight, len(table.y))
    source = column_source(X, ensemble.used_columns, ensemble.columns)
    matcher = Matcher(ensemble, source, weight)
    correction = _correction(model, estimator, X, Outcomes.of(ensemble, table.y, weight))
    predictions = _Predictions(ensemble, X, weight / weight.sum(), correction)
    matches, complexity = [], []
    fits = Parallel(n_jobs=n_jobs, return_as="generator")
    tasks = (
        delayed(_learn)(estimator, table, resample, random_state + k)
        for k, resample in enumerate(resamples, 1)
    )
    with show_fits(verbose, n_resamples, "resample") as after_fit:
        for other in fits(tasks):
            matches.append(matcher.find(other))
            complexity.append(other.complexity)
            predictions.add(other)
            after_fit()
    lines = ensemble.format().splitlines()[len(ensemble.offsets) :]
    return Stability(
        rules=tuple(
            _rule_stability(ensemble, k, line.strip(), [found[k] for found in matches])
            for k, line in enumerate(lines)
        ),
        n_resamples=n_resamples,
        n_rows=int(np.count_nonzero(weight)),
        agreement=float(np.mean(predictions.agreements)),
        spread=predictions.spread,
        complexity=Spread.of(complexity),
        has_classes=ensemble.loss.has_classes,
    )


def _ensemble(model: Any) -> RuleEnsemble:
    if isinstance(model, RuleEnsemble):
        return model
    if not hasattr(model, "near_duplicates"):
        raise TypeError(
            f"expected a fitted estimator of sorb, or a RuleEnsemble, found {type(model).__name__}"
        )
    check_is_fitted(model)
    found: RuleEnsemble = model.ensemble_
    return found


def _estimator(model: Any) -> Any:
    """Make an estimator that grows models of the same size, with the same settings."""
    ensemble = _ensemble(model)
    plain: Any = LLTBoostClassifier() if ensemble.loss.has_classes else LLTBoostRegressor()
    if isinstance(model, RuleEnsemble):
        given = _recorded_settings(model)
    else:
        given = {**model.get_params(), "reg_lambda": model.reg_lambda_}
    known = {name: given[name] for name in plain.get_params() if name in given}
    prices = known.get("column_prices") or {}
    price = math.ceil(math.fsum(prices.get(name, 0.0) for name in ensemble.used_columns))
    size = {"max_complexity": ensemble.complexity + price, "selection": None}
    return plain.set_params(**{**known, **size, "warm_start": False, "n_jobs": 1, "verbose": 0})


def _correction(model: Any, estimator: Any, X: Any, outcomes: Outcomes) -> Any:
    """What a recalibration added to the offsets of a model, which was learned from these rows."""
    ensemble = _ensemble(model)
    class_weight = getattr(estimator, "class_weight", None)
    is_corrected = class_weight is not None or (model is not ensemble and is_recalibrated(model))
    if not is_corrected or count_classes(ensemble.loss, ensemble.classes) < 2:
        return 0.0
    factors = training_class_weights(class_weight, ensemble, outcomes)
    fitted = outcomes if factors is None else outcomes.weigh_classes(factors)
    return find_correction(ensemble, ensemble(X), fitted.y, fitted.weight)


def _recorded_settings(ensemble: RuleEnsemble) -> dict[str, Any]:
    """What a model tells of the settings that it was learned with."""
    found: dict[str, Any] = {"reg_lambda": 1.0}
    if not ensemble.loss.has_classes:
        found |= {"loss": ensemble.loss.name, **ensemble.loss.parameters}
    elif not ensemble.loss.score_per_class:
        found["positive"] = (ensemble.classes or (None,))[-1]
    if ensemble.record is not None:
        found = ensemble.record.readable_settings | found
        if ensemble.record.reg_lambda is not None:
            found["reg_lambda"] = ensemble.record.reg_lambda
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The rows that are resampled, with what `fit` takes for each of them."""

    X: Any
    y: Any
    groups: Any
    exposure: Any

    @classmethod
    def of(cls, X: Any, y: Any, groups: Any, exposure: Any) -> _Table:
        y = row_values(y, None)
        others = {"groups": groups, "exposure": exposure}
        given = (None if v is None else row_values(v, len(y), k) for k, v in others.items())
        return cls(X, y, *given)

    def resamples(
        self, estimator: Any, sample_weight: Any, count: int, seed: int
    ) -> list[Resample]:
        """Draw resamples, as an estimator sees the rows."""
        plain = {} if self.exposure is None else {"exposure": self.exposure}
        unweighted = clone(estimator)
        if isinstance(unweighted, LLTBoostClassifier):
            unweighted.set_params(class_weight=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the fit has warned of
            data = unweighted._table(self.X, self.y, sample_weight, self.groups, **plain).data
        return draw_resamples(data, count, seed, estimator.near_duplicates == "together")


def _learn(estimator: Any, table: _Table, resample: Resample, seed: int) -> RuleEnsemble:
    """Learn from a resample."""
    row, weight = resample.row, resample.weight
    given = {}
    if table.groups is not None:
        given["groups"] = table.groups[row]
    if table.exposure is not None:
        given["exposure"] = table.exposure[row]
        weight = weight / given["exposure"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learned = (
            clone(estimator)
            .set_params(random_state=seed)
            .fit(_take(table.X, row), table.y[row], weight, **given)
        )
    found: RuleEnsemble = learned.ensemble_
    return found


def _known_columns(X: Any, ensemble: RuleEnsemble) -> Any:
    """Give the columns that a model was learned from: a table may also hold the outcome."""
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, narwhals.DataFrame):
        return X
    if missing := [name for name in ensemble.columns if name not in frame.columns]:
        raise ValueError(f"X lacks columns that the model was learned from: {quote_some(missing)}")
    return frame.select(*ensemble.columns).to_native()


def _take(X: Any, rows: Int) -> Any:
    """Give some rows of a table, as a table of the same kind."""
    frame = narwhals.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, narwhals.DataFrame):
        return frame[rows].to_native()
    return X.tocsr()[rows] if is_sparse(X) else np.asarray(X)[rows]


class _Predictions:
    """Compares the predictions of models with those of the first one, row by row."""

    def __init__(self, ensemble: RuleEnsemble, X: Any, share: Float, correction: Any) -> None:
        self._ensemble, self._X, self._share = ensemble, X, share
        self._correction = correction
        self._scores = ensemble(X)
        self._sum, self._squares = np.zeros((2, *self._scores.shape))
        self.agreements: list[float] = []

    def add(self, other: RuleEnsemble) -> None:
        """Take another model."""
        scores = other(self._X) + self._correction
        mean = self._ensemble.loss.mean(scores)
        self._sum += mean
        self._squares += mean**2
        self.agreements.append(agreement(self._ensemble, self._scores, scores, self._share))

    @property
    def spread(self) -> float:
        """The standard deviation of a prediction over the models, on average over the rows."""
        n = len(self.agreements)
        variance = np.maximum(self._squares / n - (self._sum / n) ** 2, 0) * n / (n - 1)
        deviation = np.sqrt(variance)
        of_row = deviation.max(axis=1) if deviation.ndim == 2 else deviation
        return float(self._share @ of_row)


def _rule_stability(
    ensemble: RuleEnsemble, number: int, line: str, matches: Sequence[Match | None]
) -> RuleStability:
    found = [match for match in matches if match is not None]
    propositions = ensemble[number].condition.propositions
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    moved = [
        [t for match in found if (t := match.thresholds[place]) is not None]
        for place in range(len(propositions))
    ]
    thresholds = [Spread.of(values) if values else None for values in moved]
    texts = [part.format(digits, units) for part in propositions]
    return RuleStability(
        rule=line,
        found=len(found) / len(matches),
        same_columns=sum(match.same_columns for match in found) / len(matches),
        vote=Spread.of([match.vote for match in found]) if found else None,
        thresholds=tuple(zip(texts, thresholds, strict=True)),
    )
