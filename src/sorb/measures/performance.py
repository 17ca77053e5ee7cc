"""How good a model is on given rows, beside the baseline and what many people would try first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from sorb._types import Float
from sorb.losses import Loss
from sorb.measures.cutoff import Cutoff, choose_cutoff, positive_label
from sorb.measures.gain import LEAST_STANDARD_ERRORS, Gain
from sorb.measures.measures import Measures
from sorb.measures.rivals import learn_rivals, rival_columns
from sorb.measures.stage_risks import has_class_weights
from sorb.measures.table import align, measure_lines
from sorb.rules import RuleEnsemble, notation
from sorb.rules.prediction import count_classes
from sorb.tables.row_groups import number_groups
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

__all__ = [
    "BASELINE",
    "MODEL",
    "Performance",
    "cutoff_on_rows",
    "explain_cutoff",
    "performance",
    "without_rules",
]

MODEL, BASELINE = "sorb", "baseline"


@dataclass(frozen=True, slots=True, eq=False)
class Performance:
    """How good a model is on given rows, and others beside it.

    Attributes
    ----------
    n_rows : int
        The number of rows.
    measures : mapping from str to Measures
        Those of the model ("sorb"), of the "baseline", which says the same of all rows, and of
        other models.
    gain : Gain
        How much better the model is than the baseline.
    loss : Loss
        The loss of the outcomes.
    cutoff : Cutoff or None
        The probability from which a row counts as positive, if there are two classes.
    positive : str
        The class that counts as positive.
    has_rules : bool
        Whether the model has any rules.
    rivals : mapping from str to str
        What the other models are.
    notes : tuple of str
        What was left out, and why.
    """

    n_rows: int
    measures: Mapping[str, Measures]
    gain: Gain
    loss: Loss
    cutoff: Cutoff | None = None
    positive: str = ""
    has_rules: bool = True
    rivals: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str | None:
        """Say so if the model is no better than the baseline; None if it is better."""
        if not self.has_rules:
            return "No better than without rules: the model has none."
        if self.gain.is_clear:
            return None
        rows = notation.count(self.n_rows, "row")
        values = [self.loss.measured(self.measures[name].risk) for name in (MODEL, BASELINE)]
        model, baseline = (notation.number(value, 4) for value in values)
        if self.gain.value <= 0:
            return (
                f"No better than without rules on these {rows}: the {self.loss.measure} is "
                f"{model}, that of the baseline {baseline}."
            )
        gain = self.loss.measured(self.gain.value)
        error = self.loss.measured(self.gain.standard_error or 0.0)
        few = ""
        if self.gain.value > LEAST_STANDARD_ERRORS * (self.gain.standard_error or 0.0):
            of_class = " of a class" if self.loss.has_classes else ""
            few = f" with so few rows or groups{of_class}"
        return (
            f"No better than without rules, as far as {rows} can tell: the {self.loss.measure} is "
            f"lower by {notation.number(gain, 2)} ± {notation.number(error, 2)}, which may be "
            f"chance{few}."
        )

    def lines(self, others: Mapping[str, Measures] | None = None) -> list[list[str]]:
        """Write the measures as cells: a header, then a line for each."""
        found = {**self.measures, **(others or {})}
        first, *rest = found
        # Sums in a database tell no intervals of numbers.
        interval = bool(found[first].intervals)
        lines = measure_lines(list(found.values()), self.loss, interval)
        return [["", first, *(["95 % interval"] if interval else []), *rest], *lines]

    @property
    def models(self) -> str:
        """Say what the baseline and the other models are."""
        models = {BASELINE: "no rules, the same for all rows", **self.rivals}
        return "; ".join(f"{name}: {what}" for name, what in models.items()) + "."

    @property
    def explanations(self) -> list[str]:
        """Say in sentences what the table needs to be understood."""
        decisions = [] if self.cutoff is None else [self.cutoff.explain(self.positive)]
        return [self.models, *decisions, *self.notes]

    def __str__(self) -> str:
        parts = [f"On {notation.count(self.n_rows, 'row')}:", align(self.lines())]
        parts += self.explanations
        if self.verdict:
            parts.append(self.verdict)
        return "\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        return {
            "rows": self.n_rows,
            "measures": {name: found.to_dict() for name, found in self.measures.items()},
            "cutoff": self.cutoff and asdict(self.cutoff),
            "gain": self.gain.to_dict(),
            "verdict": self.verdict,
            "rivals": dict(self.rivals),
            "notes": list(self.notes),
        }


def performance(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    groups: Any = None,
    cutoff: float | None = None,
    costs: tuple[float, float] | None = None,
    training: tuple[Any, ...] | None = None,
) -> Performance:
    """Measure a model on rows that it has not seen, beside the baseline and simple other models.

    Parameters
    ----------
    model : fitted estimator or RuleEnsemble
        The model. The baseline is the first stage of an estimator, if that has no rules. Otherwise,
        and for a `RuleEnsemble`, it is what fits the given rows best without rules.
    X : array or DataFrame
        A table of test rows.
    y : array-like
        The outcomes of its rows.
    sample_weight : array-like, optional
        The weights of its rows. If all are whole numbers, a weight of k counts as k rows, also for
        the intervals; with other weights, each row is a single one.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    groups : array-like, optional
        What group each row belongs to, such as a patient, if rows of a group may be alike: the
        intervals are wider then.
    cutoff : float, optional
        For two classes: the probability above which a row counts as positive, that is as the
        second class. By default it is that of the baseline, the share of positive rows.
    costs : pair of float, optional
        Instead of a cut-off: what a missed positive row and what a false alarm cost. The cut-off
        is the probability at which both are the same loss to expect.
    training : tuple, optional
        What the estimator was fitted to: X, y, and perhaps sample_weight, exposure and groups. Then
        logistic or linear regression and a small tree learn from these rows, too, with a penalty
        and a size that cross-validation chooses, and are measured beside the model.

    Returns
    -------
    Performance
        The measures, which print themselves as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sorb import LLTBoostClassifier, performance
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> rows = slice(0, 400)
    >>> model = LLTBoostClassifier(max_rules=2, selection=None).fit(X[rows], y[rows])
    >>> found = performance(model, X[400:], y[400:], training=(X[rows], y[rows]))
    >>> list(found.measures)
    ['sorb', 'baseline', 'logistic', 'tree']
    >>> found.measures["sorb"].auc.value > 0.95
    True
    """
    is_estimator = hasattr(model, "ensemble_")
    ensemble: RuleEnsemble = model.ensemble_ if is_estimator else model
    if training is not None and not is_estimator:
        raise ValueError(
            "training needs a fitted estimator, which knows the columns it learned from; found a "
            f"{type(model).__name__}"
        )
    scores = ensemble(X)
    weight = row_weights(sample_weight, len(scores))
    outcomes = Outcomes.of(ensemble, y, weight, exposure)
    empty = model.stages_[0].ensemble if is_estimator else ensemble
    # Of rules that were given, there is no stage without any.
    has_empty = is_estimator and not len(empty)
    baseline = empty(X) if has_empty else _constant(ensemble, outcomes)
    chosen = (
        choose_cutoff(ensemble, baseline, cutoff, costs, explain_cutoff(has_class_weights(model)))
        if has_empty
        else cutoff_on_rows(ensemble, outcomes, cutoff, costs)
    )
    all_scores = {MODEL: scores, BASELINE: baseline}
    rivals, notes = ([], ()) if training is None else learn_rivals(model, *training)
    if rivals:
        matrix = rival_columns(model).read(X)
        all_scores |= {rival.name: rival.scores(matrix) for rival in rivals}
    rows = np.flatnonzero(outcomes.weight > 0)
    used = outcomes.take(rows)
    group = None if groups is None else number_groups(groups, len(scores))[rows]
    found = {
        name: Measures.of(ensemble, values[rows], used, chosen, group)
        for name, values in all_scores.items()
    }
    return Performance(
        n_rows=len(rows),
        measures=found,
        gain=Gain.of(used, scores[rows], baseline[rows], group),
        loss=ensemble.loss,
        cutoff=chosen,
        positive=positive_label(ensemble),
        has_rules=len(ensemble) > 0,
        rivals={rival.name: f"{rival.what} ({rival.size})" for rival in rivals},
        notes=notes,
    )


def cutoff_on_rows(
    ensemble: RuleEnsemble,
    outcomes: Outcomes,
    cutoff: float | None = None,
    costs: tuple[float, float] | None = None,
    share: str = "the share of {}",
) -> Cutoff | None:
    """Choose the cut-off: by hand, by costs, or else the share of the second class in the rows."""
    return choose_cutoff(ensemble, _constant(ensemble, outcomes), cutoff, costs, share)


def explain_cutoff(weighted: bool) -> str:
    """Say what the baseline of a fit expects, which is the cut-off unless one is given."""
    if weighted:
        return "what the baseline expects of {} after class weights"
    return "the share of {} in the training rows"


def without_rules(ensemble: RuleEnsemble, outcomes: Outcomes) -> RuleEnsemble:
    """Give the model without rules that fits the rows best, for the same outcomes."""
    n_classes = count_classes(ensemble.loss, ensemble.classes)
    found = ensemble.loss.best_constant(outcomes.y, outcomes.weight, n_classes).tolist()
    return replace(ensemble, rules=(), offset=found if len(found) > 1 else found[0])


def _constant(ensemble: RuleEnsemble, outcomes: Outcomes) -> Float:
    """The score that fits the rows best, for each row."""
    offsets, n_rows = np.array(without_rules(ensemble, outcomes).offsets), len(outcomes.y)
    return np.tile(offsets, (n_rows, 1) if ensemble.loss.score_per_class else n_rows)
