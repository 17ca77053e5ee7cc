"""Other models of about the same size and risk: from other seeds, and without some columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from sorb._types import Float
from sorb.measures.agreement import agreement
from sorb.measures.curve_points import CrossValidation
from sorb.measures.gain import Gain
from sorb.report.few_rows import rounded_share
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble
from sorb.rules.prediction import predicted_indices

__all__ = ["EqualModels"]

SEEDS, MOST_COLUMNS = 2, 4
# A column that costs so much is in no model within any ordinary limit.
PROHIBITIVE = 10_000.0
# A model may be a little larger than the one that it stands beside.
LARGER, MORE = 1.2, 2


@dataclass(frozen=True, slots=True)
class _Equal:
    how: str
    ensemble: RuleEnsemble
    complexity: int
    risk: float
    risk_error: float | None
    test_risk: float
    worse: Gain
    agreement: float
    predictions: Float


@dataclass(frozen=True, slots=True)
class EqualModels:
    """Models that are not clearly worse than one of a fit, and what they say about it.

    Attributes
    ----------
    ensemble : the model that they stand beside.
    share : that of each test row in the weight of all.
    predictions : of the test rows, by this model.
    found : the others.
    notes : what was tried in vain.
    """

    ensemble: RuleEnsemble
    share: Float
    predictions: Float
    found: tuple[_Equal, ...]
    notes: tuple[str, ...]

    @classmethod
    def learn(
        cls,
        estimator: Any,
        given: GivenRows,
        score: Callable[[RuleEnsemble], Float],
        test: ReportRows,
        fit: Callable[[Any, Any, GivenRows], Any],
        show: Callable[[str], None],
    ) -> EqualModels:
        """Fit again with other seeds, and without each of the columns that are used most.

        `score` gives the scores that models have for the test rows.
        """
        ensemble: RuleEnsemble = estimator.ensemble_
        scores, share = score(ensemble), test.weight / test.weight.sum()
        found, worse, known = [], [], {ensemble.rules}
        for how, variant in _variants(estimator) if len(ensemble) else ():
            show(how)
            limit = int(LARGER * estimator.complexity_) + MORE
            # A price counts as complexity, of which other models have none.
            try:
                other = fit(estimator, variant, given).at(complexity=limit)
            except ValueError:  # no column is left
                continue
            if other.ensemble_.rules in known:
                continue
            known.add(other.ensemble_.rules)
            others = score(other.ensemble_)
            gain = Gain.of(test.outcomes, scores, others, test.group)
            if gain.is_clear or not len(other.ensemble_):
                worse.append(how)
                continue
            alike = agreement(ensemble, scores, others, share)
            risk = test.outcomes.risk(others)
            found.append(_compared(how, other, others, risk, gain, alike))
        note = f"Clearly worse on the test rows: {', '.join(worse)}."
        predictions = _predictions(ensemble, scores)
        return cls(ensemble, share, predictions, tuple(found), (note,) if worse else ())

    def view(self, least: int) -> dict[str, Any]:
        """Give the parts of `Comparison` of the page that are about these models.

        With more than one row as the `least`, they do not remember what their columns held, and
        shares are those of rounded numbers of rows.
        """
        own = set(self.ensemble.used_columns)
        others = [set(model.ensemble.used_columns) for model in self.found]
        in_all = own.intersection(*others)
        return {
            "equal": [_view(model, least, len(self.share)) for model in self.found],
            "in_all": [name for name in self.ensemble.columns if name in in_all],
            "in_some": [
                name
                for name in self.ensemble.columns
                if name in own.union(*others) and name not in in_all
            ],
            "unanimous": self._unanimous(least) if self.found else None,
        }

    def _unanimous(self, least: int) -> float:
        """The share of rows for which all decide alike, or how much predictions differ."""
        every = np.array([self.predictions, *(model.predictions for model in self.found)])
        if self.ensemble.loss.has_classes:
            alike = float(self.share @ (every == every[0]).all(axis=0))
            return _rounded(alike, len(self.share), least)
        return float(self.share @ np.std(every, axis=0))


def _variants(estimator: Any) -> Iterator[tuple[str, Any]]:
    seed = estimator.random_state
    first = seed if isinstance(seed, int) else 0
    for k in range(1, SEEDS + 1):
        yield f"another seed ({first + k})", clone(estimator).set_params(random_state=first + k)
    uses = Counter(name for rule in estimator.ensemble_ for name in rule.condition.columns)
    prices = dict(estimator.column_prices or {})
    ranked = sorted(uses, key=lambda name: (-prices.get(name, 0.0), -uses[name]))
    for name in ranked[:MOST_COLUMNS]:
        dear = clone(estimator).set_params(column_prices={**prices, name: PROHIBITIVE})
        yield f"without {name}", dear


def _predictions(ensemble: RuleEnsemble, scores: Float) -> Float:
    """The decision about each row, or the expected number."""
    if ensemble.loss.has_classes:
        return predicted_indices(ensemble.classes, scores).astype(np.float64)
    return ensemble.loss.mean(scores)


def _compared(
    how: str, other: Any, scores: Float, test_risk: float, worse: Gain, alike: float
) -> _Equal:
    ensemble: RuleEnsemble = other.ensemble_
    validated = CrossValidation.of(other)
    risk, error = (None, None) if validated is None else validated.within(int(other.complexity_))
    return _Equal(
        how,
        ensemble,
        ensemble.complexity,
        test_risk if risk is None else risk,
        error,
        test_risk,
        worse,
        alike,
        _predictions(ensemble, scores),
    )


def _rounded(share: float, n_rows: int, least: int) -> float:
    """The share, which is that of a rounded number of rows where few must not be told of."""
    if least == 1:
        return round(share, 5)
    return rounded_share(round(share * n_rows), n_rows, least)


def _view(model: _Equal, least: int, n_rows: int) -> dict[str, Any]:
    ensemble = model.ensemble if least == 1 else replace(model.ensemble, experience=())
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    alike = model.agreement
    if ensemble.loss.has_classes:
        alike = _rounded(alike, n_rows, least)
    return {
        "how": model.how,
        "model": json.loads(ensemble.to_json(None)),
        "tokens": [rule.condition.tokens(digits, units) for rule in ensemble],
        "complexity": model.complexity,
        "risk": model.risk,
        "risk_error": model.risk_error,
        "test_risk": model.test_risk,
        "worse": model.worse.value,
        "worse_error": model.worse.standard_error,
        "columns": list(ensemble.used_columns),
        "agreement": alike,
    }
