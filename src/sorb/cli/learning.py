"""A model learned from a table, and how good it is on rows that it was not learned from."""

from __future__ import annotations

import sys
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from sorb.cli.known_rows import KnownRows
from sorb.cli.measures import Measures
from sorb.cli.questions import Task
from sorb.rules import RuleEnsemble

__all__ = ["CrossValidation", "Learned", "Step", "draw_curve", "learn"]


@dataclass(frozen=True, slots=True)
class Step:
    """One point of the curve: the model after so many rules, and its risks."""

    rules: int
    complexity: int
    learned_risk: float
    held_out_risk: float | None


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
        risk, error = curve.risk[chosen].tolist(), curve.spread[chosen].tolist()
        return cls(estimator.reg_lambda_, estimator.n_rules_, tuple(risk), tuple(error))


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model, how good it is, and how it grew.

    Attributes
    ----------
    estimator : object
        What learned it.
    learned, held_out, without_rules : Measures or None
        How good it is on the rows that it was learned from, on those held out, and how good the
        model without rules is on these. The last two are None if no rows were held out.
    steps : tuple of Step
        The curve of risk against complexity.
    warnings : tuple of str
        What the learner had to say.
    """

    estimator: Any
    learned: Measures
    held_out: Measures | None
    without_rules: Measures | None
    steps: tuple[Step, ...]
    warnings: tuple[str, ...]

    @property
    def ensemble(self) -> RuleEnsemble:
        """The model."""
        found: RuleEnsemble = self.estimator.ensemble_
        return found

    @property
    def cross_validation(self) -> CrossValidation | None:
        """What cross-validation found, if it was asked to."""
        return CrossValidation.of(self.estimator)


def learn(
    task: Task, known: KnownRows, held_out: KnownRows | None, parameters: dict[str, Any]
) -> Learned:
    """Learn a model from some rows, with a progress bar if somebody is watching, and judge it."""
    watched = sys.stderr.isatty()
    estimator = _estimator(task, {**parameters, "verbose": int(watched)})
    said = _fit(estimator, known)
    stages = [stage.ensemble for stage in estimator.stages_]
    judged = [] if held_out is None else [_judged(ensemble, held_out) for ensemble in stages]
    risks: list[float | None] = [found.risk for found in judged]
    steps = tuple(
        Step(len(stage.ensemble), stage.ensemble.complexity, stage.train_risk, risk)
        for stage, risk in zip(estimator.stages_, risks or [None] * len(stages), strict=True)
    )
    return Learned(
        estimator,
        _judged(estimator.ensemble_, known),
        judged[-1] if judged else None,
        judged[0] if judged else None,
        steps,
        said,
    )


def draw_curve(learned: Learned, held_out: KnownRows | None) -> Any:
    """Draw risk against complexity: on the rows held out, or as cross-validation found it."""
    from sorb.render import plot_curve

    if held_out is None or learned.cross_validation:
        return plot_curve(learned.estimator)
    return plot_curve(learned.estimator, held_out.table, np.array(held_out.y), held_out.weight)


def _estimator(task: Task, parameters: dict[str, Any]) -> Any:
    import sorb

    kind = "Classifier" if task is Task.classification else "Regressor"
    cross_validated = "CV" if "cv" in parameters else ""
    if task is Task.counts:
        parameters = {**parameters, "loss": "poisson"}
    return getattr(sorb, f"LLTBoost{kind}{cross_validated}")(**parameters)


def _fit(estimator: Any, known: KnownRows) -> tuple[str, ...]:
    """Fit, and give what was warned of; the progress goes to stderr, as stdout is for results."""
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(sys.stderr):
        warnings.simplefilter("default", UserWarning)
        estimator.fit(known.table, np.array(known.y), known.weight)
    return tuple(str(warning.message) for warning in caught)


def _judged(ensemble: RuleEnsemble, rows: KnownRows) -> Measures:
    return Measures.of(ensemble, ensemble(rows.table), rows.y, rows.weight)
