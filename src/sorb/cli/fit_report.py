"""What ``sorb fit`` prints: the rules, how good they are, and the curve."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from sorb.checks import TableReport
from sorb.cli.feature_columns import FeatureColumns
from sorb.cli.fitted_model import MeasuredModel
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.odd_table import odd_table_section
from sorb.cli.printing import print_json, print_text
from sorb.cli.task import DetectedTask
from sorb.cli.text_layout import BOTH, plot_points
from sorb.cli.verdict import find_verdict
from sorb.losses import Loss
from sorb.measures.curve_points import CrossValidation
from sorb.measures.performance import BASELINE, MODEL
from sorb.measures.stage_risks import has_class_weights
from sorb.measures.table import align, format_losses
from sorb.render import show
from sorb.rules import notation

__all__ = ["FitReport", "RowCounts", "explain_choice", "some_places"]

MOST_LEFT_OUT = 5
MOST_SIZES = 12
NOT_KEPT = "The model is not kept: name a file for it, as in --out model.json."
OTHER, TRAINING, ARROW = "●", "○", "→"
LARGEST = "Without cross-validation, the largest model within the limits is used."
REASONS = {
    "near_best": "the smallest one whose {measure}, {chosen}, is about as low as the lowest, "
    "{lowest}",
    "one_se": "the smallest one whose {measure}, {chosen}, is within about one standard error of "
    "the lowest, {lowest}",
    "best": "the {measure} is lowest there, {lowest}",
}


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows there are to learn from, to test on, and without an outcome.

    If rows belong together in groups, also how many groups there are to learn from and to test on.
    `rarest` is the number of training rows of the rarest class, if there are classes and it is
    known.
    """

    training: int
    test: int
    left_out: int
    training_groups: int | None = None
    test_groups: int | None = None
    rarest: int | None = None

    @property
    def groups(self) -> dict[str, int | None] | None:
        """The numbers of groups, if there are groups."""
        if self.training_groups is None:
            return None
        return {"training": self.training_groups, "test": self.test_groups}

    @classmethod
    def of(
        cls, training: LabelledRows, test: LabelledRows | None, left_out: int, has_classes: bool
    ) -> RowCounts:
        """Count the rows of both sides."""
        rarest = min(Counter(training.y).values()) if has_classes else None
        n_test = 0 if test is None else len(test.y)
        groups = (training.n_groups, 0 if test is None else test.n_groups)
        return cls(len(training.y), n_test, left_out, *groups, rarest)


@dataclass(frozen=True, slots=True, eq=False)
class FitReport:
    """Everything that is reported about a fit.

    `unfinished` is the file with the rules so far, if the fit was interrupted and has one;
    `oddities` is what looks odd about the table, if it was read as a whole.
    """

    target: str
    detected: DetectedTask
    features: FeatureColumns
    rows: RowCounts
    model: MeasuredModel
    out: Path | None
    unfinished: Path | None = None
    oddities: TableReport | None = None

    def print_json(self) -> None:
        """Print it for other programs."""
        model, ensemble, found = self.model, self.model.ensemble, self.model.performance.measures
        document = {
            "target": self.target,
            "task": self.detected.task.value,
            "rows": {
                "training": self.rows.training,
                "test": self.rows.test,
                "without_target": self.rows.left_out,
            },
            "groups": self.rows.groups,
            "columns": len(self.features.names),
            "left_out_columns": self.features.left_out,
            "findings": [finding.to_dict() for finding in self.oddities or ()],
            "rules": len(ensemble),
            "complexity": ensemble.complexity,
            "price": self._price,
            "choice": self._choice,
            "training": model.training.to_dict(),
            "test": found[MODEL].to_dict() if self.rows.test else None,
            "without_rules": found[BASELINE].to_dict() if self.rows.test else None,
            "rivals": {name: found[name].to_dict() for name in model.performance.rivals},
            "cutoff": model.performance.cutoff and asdict(model.performance.cutoff),
            "gain": model.performance.gain.to_dict() if self.rows.test else None,
            "verdict": self._verdict,
            "cross_validation": _cross_validation(model.cross_validation),
            "curve": [asdict(point) for point in model.curve],
            "model": json.loads(ensemble.to_json()),
            "out": None if self.out is None else str(self.out),
        }
        print_json(document)

    def print_text(self) -> None:
        """Print it for people."""
        parts = [self._quality()]
        if len(self.model.curve) > 1:
            parts += [self._sizes(), self._curve()]
        parts.append(f"The model is in {self.out}." if self.out else NOT_KEPT)
        before = [self._introduction(), odd_table_section(self.oddities)]
        print_text("\n\n".join(filter(None, before)) + "\n")
        show(self.model.ensemble)
        print_text("\n" + "\n\n".join(parts))

    def _introduction(self) -> str:
        counts = self.rows
        tested = ""
        if counts.test:
            tested = f", tested on {counts.test} others{_count_groups(counts.test_groups)}"
        learned = f"{counts.training} rows{_count_groups(counts.training_groups)}"
        columns = notation.count(len(self.features.names), "column")
        lines = [
            f"{self.detected.reason}.",
            f"Learned from {learned} and {columns}{tested}.",
        ]
        if self.rows.left_out:
            rows = notation.count(self.rows.left_out, "row")
            lines.append(f"Left out {rows} without {notation.name(self.target)}.")
        lines += self._columns_left_out()
        lines.append(self._choice)
        if self.model.estimator.column_prices:
            lines.append(f"The columns that the model uses cost {self._price} of its complexity.")
        return "\n".join(lines)

    @property
    def _price(self) -> int:
        """What the columns of the model cost, rounded up."""
        return int(self.model.estimator.complexity_ - self.model.ensemble.complexity)

    @property
    def _choice(self) -> str:
        """Say in one sentence which size was chosen, and why."""
        found = self.model.cross_validation
        first = self.model.estimator.stages_[0].ensemble
        if found is not None and not found.complexity and len(first):
            return "Cross-validation chose the given rules alone: more rules are no better."
        return LARGEST if found is None else explain_choice(found, self._loss)

    @property
    def _loss(self) -> Loss:
        return self.model.ensemble.loss

    @property
    def _verdict(self) -> str | None:
        return find_verdict(self.model, self.rows.training, self.rows.test, self.rows.rarest)

    def _columns_left_out(self) -> list[str]:
        shown = list(self.features.left_out.items())[:MOST_LEFT_OUT]
        lines = [f"Left out the column {notation.name(name)}: {reason}." for name, reason in shown]
        more = len(self.features.left_out) - len(shown)
        if more:
            lines.append(f"Left out {notation.count(more, 'more column')} like these.")
        return lines

    def _quality(self) -> str:
        """Write how good the model is, beside others, and what the table needs to be understood."""
        found = self.model.performance
        if self.rows.test:
            title = f"On the {notation.count(self.rows.test, 'test row')}:"
            table = found.lines({"training": self.model.training})
        else:
            title = "On the rows that it was learned from, which makes sorb look too good:"
            table = found.lines()
        parts = [f"{title}\n{align(table)}", "\n".join(found.explanations), self._verdict]
        return "\n\n".join(part for part in parts if part)

    def _sizes(self) -> str:
        """Write the losses of some sizes, and an arrow beside the size of the model."""
        complexities = [point.complexity for point in self.model.curve]
        chosen = complexities.index(self.model.estimator.complexity_)
        places = some_places(len(complexities), chosen)
        points = [self.model.curve[place] for place in places]
        columns = [
            ["", *(ARROW if place == chosen else "" for place in places)],
            ["complexity", *(str(point.complexity) for point in points)],
            ["rules", *(str(point.rules) for point in points)],
            ["training rows", *self._losses([point.training_risk for point in points])],
        ]
        if self.model.cross_validation:
            losses = self._losses([point.cross_validated_risk for point in points])
            errors = self._losses([point.standard_error for point in points])
            both = [f"{loss} ± {error}" for loss, error in zip(losses, errors, strict=True)]
            columns.append(["cross-validated", *both])
        if self.rows.test:
            columns.append(["test rows", *self._losses([point.test_risk for point in points])])
        title = f"The {self._loss.measure} of models of other sizes"
        return f"{title}{self._weighted}:\n" + align(
            [list(line) for line in zip(*columns, strict=True)]
        )

    def _losses(self, risks: Sequence[float | None]) -> list[str]:
        """Write mean losses in one column, as users know them."""
        measured = self._loss.measured
        return format_losses([None if risk is None else measured(risk) for risk in risks])

    def _curve(self) -> str:
        """Plot the training loss, beside that on test rows or, without any, by folds."""
        curve, measured = self.model.curve, self._loss.measured
        training = [(point.complexity, measured(point.training_risk)) for point in curve]
        series = [(TRAINING, training)]
        legend = f"{TRAINING} training rows"
        others = [
            (point.complexity, point.test_risk if self.rows.test else point.cross_validated_risk)
            for point in curve
        ]
        known = [(complexity, measured(risk)) for complexity, risk in others if risk is not None]
        if known:
            name = "test rows" if self.rows.test else "cross-validated"
            series = [(OTHER, known), *series]
            legend = f"{OTHER} {name}, {legend}, {BOTH} both"
        plot = plot_points(series, "complexity", get_terminal_size().columns)
        return f"{self._loss.measure}{self._weighted} ({legend})\n{plot}"

    @property
    def _weighted(self) -> str:
        """What there is to add to the name of the losses of all sizes."""
        return ", with class weights" if has_class_weights(self.model.estimator) else ""


def _count_groups(count: int | None) -> str:
    return "" if count is None else f" ({notation.count(count, 'group')})"


def explain_choice(found: CrossValidation, loss: Loss) -> str:
    """Say in one sentence which size cross-validation chose, and why.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> errors = (0.01, 0.01, 0.01, 0.01, 0.01)
    >>> found = CrossValidation("one_se", 1.0, 3, (0.7, 0.7, 0.7, 0.4, 0.395), errors)
    >>> print(explain_choice(found, Logistic()))
    Cross-validation chose the penalty 1 and a complexity of about 3: the smallest one whose log
    loss, 0.4, is within about one standard error of the lowest, 0.395.
    """
    known = [risk for risk in found.risk if risk is not None]
    chosen = found.risk[found.complexity]
    if chosen is None:
        return (
            "No size could be validated, since there are too few rows, or of a class, or there "
            "was too little time: there are no rules."
        )
    if not found.complexity and found.selection != "best":
        return (
            "Cross-validation chose the model without rules: no other one is better by two "
            "standard errors."
        )
    size = f"the penalty {found.reg_lambda:g} and a complexity of about {found.complexity}"
    shown, lowest = (notation.number(loss.measured(risk), 4) for risk in (chosen, min(known)))
    reason = REASONS[found.selection].format(measure=loss.measure, chosen=shown, lowest=lowest)
    return f"Cross-validation chose {size}: {reason}."


def some_places(count: int, chosen: int) -> list[int]:
    """Choose lines of a table to show: the first, the last, the chosen one, and some between.

    Examples
    --------
    >>> some_places(40, 7)
    [0, 4, 7, 8, 12, 16, 20, 23, 27, 31, 35, 39]
    """
    shown = min(count, MOST_SIZES - 1)
    spread = (round(k * (count - 1) / max(1, shown - 1)) for k in range(shown))
    return sorted({*spread, chosen})


def _cross_validation(found: CrossValidation | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {**asdict(found), "gain": found.gain and found.gain.to_dict()}
