"""What ``sorb fit`` prints: the rules, how good they are, and the curve."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from sorb.checks import TableReport
from sorb.cli.feature_columns import FeatureColumns
from sorb.cli.fitted_model import CrossValidation, CurvePoint, MeasuredModel
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.measures import format_risks, measure_lines
from sorb.cli.odd_table import odd_table_section
from sorb.cli.printing import print_json, print_text
from sorb.cli.task import DetectedTask
from sorb.cli.text_layout import BOTH, plot_points
from sorb.measures.table import align
from sorb.render import show
from sorb.rules import notation

__all__ = ["FitReport", "RowCounts", "explain_choice", "some_places"]

MOST_LEFT_OUT = 5
MOST_SIZES = 12
NOT_KEPT = "The model is not kept: name a file for it, as in --out model.json."
OTHER, TRAINING, ARROW = "●", "○", "→"
LARGEST = "Without cross-validation, the largest model within the limits is used."
REASONS = {
    "near_best": "the smallest one whose risk, {risk}, is about as low as the lowest, {lowest}",
    "one_se": "the smallest one whose risk, {risk}, is within about one standard error of the "
    "lowest, {lowest}",
    "best": "the risk is lowest there, {lowest}",
}


@dataclass(frozen=True, slots=True)
class RowCounts:
    """How many rows there are to learn from, to test on, and without an outcome.

    If rows belong together in groups, also how many groups there are to learn from and to test on.
    """

    training: int
    test: int
    left_out: int
    training_groups: int | None = None
    test_groups: int | None = None

    @property
    def groups(self) -> dict[str, int | None] | None:
        """The numbers of groups, if there are groups."""
        if self.training_groups is None:
            return None
        return {"training": self.training_groups, "test": self.test_groups}

    @classmethod
    def of(cls, training: LabelledRows, test: LabelledRows | None, left_out: int) -> RowCounts:
        """Count the rows of both sides."""
        n_test = 0 if test is None else len(test.y)
        groups = (training.n_groups, 0 if test is None else test.n_groups)
        return cls(len(training.y), n_test, left_out, *groups)


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
        model, ensemble = self.model, self.model.ensemble
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
            "training": asdict(model.training),
            "test": _dict_or_none(model.test),
            "without_rules": _dict_or_none(model.without_rules),
            "cross_validation": _dict_or_none(model.cross_validation),
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
        return LARGEST if found is None else explain_choice(found)

    def _columns_left_out(self) -> list[str]:
        shown = list(self.features.left_out.items())[:MOST_LEFT_OUT]
        lines = [f"Left out the column {notation.name(name)}: {reason}." for name, reason in shown]
        more = len(self.features.left_out) - len(shown)
        if more:
            lines.append(f"Left out {notation.count(more, 'more column')} like these.")
        return lines

    def _quality(self) -> str:
        found = {"training rows": self.model.training}
        if self.model.test and self.model.without_rules:
            found = {
                "test rows": self.model.test,
                "without rules": self.model.without_rules,
                **found,
            }
        return align([["", *found], *measure_lines(list(found.values()))])

    def _sizes(self) -> str:
        """Write the risks of some sizes, and an arrow beside the size of the model."""
        complexities = [point.complexity for point in self.model.curve]
        chosen = complexities.index(self.model.estimator.complexity_)
        places = some_places(len(complexities), chosen)
        points = [self.model.curve[place] for place in places]
        columns = [
            ["", *(ARROW if place == chosen else "" for place in places)],
            ["complexity", *(str(point.complexity) for point in points)],
            ["rules", *(str(point.rules) for point in points)],
            ["training risk", *format_risks([point.training_risk for point in points])],
        ]
        if self.model.cross_validation:
            columns.append(["cross-validated risk", *_validated_risks(points)])
        if self.rows.test:
            columns.append(["test risk", *format_risks([point.test_risk for point in points])])
        return align([list(line) for line in zip(*columns, strict=True)])

    def _curve(self) -> str:
        """Plot the training risk, beside the risk on test rows or, without any, by folds."""
        curve = self.model.curve
        training = [(point.complexity, point.training_risk) for point in curve]
        series = [(TRAINING, training)]
        legend = f"{TRAINING} training rows"
        others = [
            (point.complexity, point.test_risk if self.rows.test else point.cross_validated_risk)
            for point in curve
        ]
        known = [(complexity, risk) for complexity, risk in others if risk is not None]
        if known:
            name = "test rows" if self.rows.test else "cross-validated"
            series = [(OTHER, known), *series]
            legend = f"{OTHER} {name}, {legend}, {BOTH} both"
        return f"risk ({legend})\n{plot_points(series, 'complexity', get_terminal_size().columns)}"


def _count_groups(count: int | None) -> str:
    return "" if count is None else f" ({notation.count(count, 'group')})"


def explain_choice(found: CrossValidation) -> str:
    """Say in one sentence which size cross-validation chose, and why.

    Examples
    --------
    >>> errors = (0.01, 0.01, 0.01, 0.01, 0.01)
    >>> found = CrossValidation("one_se", 1.0, 3, (0.7, 0.7, 0.7, 0.4, 0.395), errors)
    >>> print(explain_choice(found))
    Cross-validation chose the penalty 1 and a complexity of about 3: the smallest one whose risk,
    0.4, is within about one standard error of the lowest, 0.395.
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
    risk, lowest = notation.number(chosen, 4), notation.number(min(known), 4)
    reason = REASONS[found.selection].format(risk=risk, lowest=lowest)
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


def _validated_risks(points: Sequence[CurvePoint]) -> list[str]:
    risks = format_risks([point.cross_validated_risk for point in points])
    errors = format_risks([point.standard_error for point in points])
    return [f"{risk} ± {error}" for risk, error in zip(risks, errors, strict=True)]


def _dict_or_none(found: Any) -> dict[str, Any] | None:
    return None if found is None else asdict(found)
