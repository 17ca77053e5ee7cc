"""A model learned from training rows, measured on test rows that it has not seen."""

from __future__ import annotations

import sys
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sorb.checks import TableWarning
from sorb.cli.decision import Decision
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.task import Task
from sorb.measures.curve_points import CrossValidation, CurvePoint, draw_points
from sorb.measures.measures import Measures
from sorb.measures.performance import MODEL, Performance, performance
from sorb.measures.stage_risks import weigh_classes
from sorb.rules import RuleEnsemble
from sorb.tables.class_shares import MOVED_SHARES
from sorb.tables.targets import Outcomes

__all__ = [
    "MeasuredModel",
    "draw_curve",
    "fit_catching",
    "fit_model",
    "new_estimator",
]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredModel:
    """A model, how good it is, and the curve of sizes that it was chosen from.

    Attributes
    ----------
    estimator : object
        What learned it.
    training : Measures
        How good it is on the training rows.
    performance : Performance
        How good it is on the test rows, or on the training rows if there are no others, beside the
        model without rules and perhaps others.
    curve : tuple of CurvePoint
        The risk of all sizes, by complexity.
    warnings : tuple of str
        The warnings of the estimator.
    """

    estimator: Any
    training: Measures
    performance: Performance
    curve: tuple[CurvePoint, ...]
    warnings: tuple[str, ...]

    @property
    def ensemble(self) -> RuleEnsemble:
        """The model."""
        found: RuleEnsemble = self.estimator.ensemble_
        return found

    @property
    def cross_validation(self) -> CrossValidation | None:
        """What cross-validation found, if there was one."""
        return CrossValidation.of(self.estimator)


def fit_model(
    task: Task,
    training: LabelledRows,
    test: LabelledRows | None,
    parameters: dict[str, Any],
    decision: Decision,
    recalibrate: bool = False,
) -> MeasuredModel:
    """Fit a model and measure it, with a progress bar if stderr is a terminal."""
    exposure = {} if training.exposure is None else {"exposure": training.exposure}
    estimator, caught = fit_catching(
        new_estimator(task, parameters),
        (training.table, np.array(training.y), training.weight),
        recalibrate,
        training.group,
        **exposure,
    )
    on_training = _measure(estimator, training, decision)
    return MeasuredModel(
        estimator,
        on_training.measures[MODEL],
        on_training if test is None else _measure(estimator, test, decision, training),
        draw_points(estimator, None if test is None else partial(_risk, estimator, rows=test)),
        caught,
    )


def _measure(
    estimator: Any, rows: LabelledRows, decision: Decision, training: LabelledRows | None = None
) -> Performance:
    """Measure a model on some rows; with the training rows, others learn from them, too."""
    learned = None
    if training is not None:
        known = training.table, training.y, training.weight
        learned = *known, training.exposure, training.group
    return performance(
        estimator,
        *(rows.table, rows.y, rows.weight),
        exposure=rows.exposure,
        groups=rows.group,
        cutoff=decision.cutoff,
        costs=decision.costs,
        training=learned,
    )


def draw_curve(model: MeasuredModel, test: LabelledRows | None) -> Any:
    """Draw risk against complexity: as cross-validation found it, or else on the test rows."""
    from sorb.render import plot_curve

    if test is None or model.cross_validation is not None:
        return plot_curve(model.estimator)
    return plot_curve(
        model.estimator, test.table, np.array(test.y), test.weight, exposure=test.exposure
    )


def new_estimator(task: Task, parameters: dict[str, Any], verbose: int | None = None) -> Any:
    """Make the estimator for a task, by default with a progress bar if stderr is a terminal."""
    import sorb

    kind = "Classifier" if task is Task.classification else "Regressor"
    cross_validated = "CV" if "cv" in parameters else ""
    return getattr(sorb, f"LLTBoost{kind}{cross_validated}")(
        **parameters, verbose=int(sys.stderr.isatty()) if verbose is None else verbose
    )


def fit_catching(
    estimator: Any,
    table: tuple[Any, ...],
    recalibrate: bool = False,
    groups: Any = None,
    **exposure: Any,
) -> tuple[Any, tuple[str, ...]]:
    """Give the fitted estimator and its warnings; progress goes to stderr, results to stdout.

    With `recalibrate`, class weights do not change how often classes are expected.
    """
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(sys.stderr):
        warnings.simplefilter("default", UserWarning)
        warnings.simplefilter("ignore", TableWarning)  # the report shows more of them
        if recalibrate:
            warnings.filterwarnings("ignore", MOVED_SHARES)
        estimator.fit(*table, groups=groups, **exposure)
        if recalibrate:
            estimator = estimator.recalibrate(*table)
    return estimator, tuple(str(warning.message) for warning in caught)


def _risk(estimator: Any, ensemble: RuleEnsemble, rows: LabelledRows) -> float:
    outcomes = Outcomes.of(ensemble, rows.y, rows.weight, rows.exposure)
    return weigh_classes(outcomes, ensemble, estimator).risk(ensemble(rows.table))
