"""A model learned from training rows, measured on test rows that it has not seen."""

from __future__ import annotations

import sys
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.measures import Measures
from sorb.cli.task import Task
from sorb.rules import RuleEnsemble

__all__ = ["CrossValidation", "CurvePoint", "MeasuredModel", "draw_curve", "fit_model"]


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of the curve: the model after some number of rules, and its risks."""

    rules: int
    complexity: int
    training_risk: float
    test_risk: float | None


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What cross-validation chose, and the risk that it found for each number of rules."""

    reg_lambda: float
    rules: int
    risk: tuple[float, ...]
    standard_error: tuple[float, ...]

    @classmethod
    def of(cls, estimator: Any) -> CrossValidation | None:
        """Read it off a fitted estimator; None if it was not cross-validated."""
        curve = getattr(estimator, "curve_", None)
        if curve is None:
            return None
        chosen = curve.reg_lambda.tolist().index(estimator.reg_lambda_)
        risk, error = curve.risk[chosen].tolist(), curve.standard_error[chosen].tolist()
        return cls(estimator.reg_lambda_, estimator.n_rules_, tuple(risk), tuple(error))


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredModel:
    """A model, how good it is, and how it grew.

    Attributes
    ----------
    estimator : object
        What learned it.
    training, test, without_rules : Measures or None
        How good it is on the training rows and on the test rows, and how good the model without
        rules is on the test rows. The last two are None if there are no test rows.
    curve : tuple of CurvePoint
        The risk against the complexity.
    warnings : tuple of str
        The warnings of the estimator.
    """

    estimator: Any
    training: Measures
    test: Measures | None
    without_rules: Measures | None
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
    task: Task, training: LabelledRows, test: LabelledRows | None, parameters: dict[str, Any]
) -> MeasuredModel:
    """Fit a model and measure it, with a progress bar if stderr is a terminal."""
    estimator = _estimator(task, {**parameters, "verbose": int(sys.stderr.isatty())})
    caught = _fit(estimator, training)
    stages = estimator.stages_
    tested = [] if test is None else [_measure(stage.ensemble, test) for stage in stages]
    risks: list[float | None] = [found.risk for found in tested]
    curve = tuple(
        CurvePoint(len(stage.ensemble), stage.ensemble.complexity, stage.train_risk, risk)
        for stage, risk in zip(stages, risks or [None] * len(stages), strict=True)
    )
    return MeasuredModel(
        estimator,
        _measure(estimator.ensemble_, training),
        tested[-1] if tested else None,
        tested[0] if tested else None,
        curve,
        caught,
    )


def draw_curve(model: MeasuredModel, test: LabelledRows | None) -> Any:
    """Draw risk against complexity: on the test rows, or as cross-validation found it."""
    from sorb.render import plot_curve

    if test is None or model.cross_validation:
        return plot_curve(model.estimator)
    return plot_curve(
        model.estimator, test.table, np.array(test.y), test.weight, exposure=test.exposure
    )


def _estimator(task: Task, parameters: dict[str, Any]) -> Any:
    import sorb

    kind = "Classifier" if task is Task.classification else "Regressor"
    cross_validated = "CV" if "cv" in parameters else ""
    return getattr(sorb, f"LLTBoost{kind}{cross_validated}")(**parameters)


def _fit(estimator: Any, training: LabelledRows) -> tuple[str, ...]:
    """Fit, and return the warnings; progress goes to stderr, as stdout is for results."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(sys.stderr):
        warnings.simplefilter("default", UserWarning)
        exposure = {} if training.exposure is None else {"exposure": training.exposure}
        estimator.fit(training.table, np.array(training.y), training.weight, **exposure)
    return tuple(str(warning.message) for warning in caught)


def _measure(ensemble: RuleEnsemble, rows: LabelledRows) -> Measures:
    return Measures.of(ensemble, ensemble(rows.table), rows.y, rows.weight, rows.exposure)
