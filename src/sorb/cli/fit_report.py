"""What ``sorb fit`` prints: the rules, how good they are, and the curve."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from sorb.cli.feature_columns import FeatureColumns
from sorb.cli.fitted_model import MeasuredModel
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.measures import measure_lines
from sorb.cli.printing import print_json, print_text
from sorb.cli.task import DetectedTask
from sorb.cli.text_layout import BOTH, align, plot_points
from sorb.render import show
from sorb.rules import notation

__all__ = ["FitReport"]

MOST_LEFT_OUT = 5
TEST, TRAINING = "●", "○"


@dataclass(frozen=True, slots=True, eq=False)
class FitReport:
    """Everything that is reported about a fit."""

    target: str
    detected: DetectedTask
    features: FeatureColumns
    rows: LabelledRows
    n_test: int
    model: MeasuredModel
    out: Path | None

    @property
    def _n_training(self) -> int:
        return len(self.rows.y) - self.n_test

    def print_json(self) -> None:
        """Print it for other programs."""
        model, ensemble = self.model, self.model.ensemble
        document = {
            "target": self.target,
            "task": self.detected.task.value,
            "rows": {
                "training": self._n_training,
                "test": self.n_test,
                "without_target": self.rows.left_out,
            },
            "columns": len(self.features.names),
            "left_out_columns": self.features.left_out,
            "rules": len(ensemble),
            "complexity": ensemble.complexity,
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
            parts.append(self._curve())
        if self.out:
            parts.append(f"The model is in {self.out}.")
        print_text(f"{self._introduction()}\n")
        show(self.model.ensemble)
        print_text("\n" + "\n\n".join(parts))

    def _introduction(self) -> str:
        tested = f", tested on {self.n_test} others" if self.n_test else ""
        columns = notation.count(len(self.features.names), "column")
        lines = [
            f"{self.detected.reason}.",
            f"Learned from {self._n_training} rows and {columns}{tested}.",
        ]
        if self.rows.left_out:
            rows = notation.count(self.rows.left_out, "row")
            lines.append(f"Left out {rows} without {notation.name(self.target)}.")
        lines += self._columns_left_out()
        if chosen := self.model.cross_validation:
            rules = notation.count(chosen.rules, "rule")
            lines.append(f"Cross-validation chose {rules} and the penalty {chosen.reg_lambda:g}.")
        return "\n".join(lines)

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

    def _curve(self) -> str:
        curve = self.model.curve
        series = [(TRAINING, [(point.complexity, point.training_risk) for point in curve])]
        legend = f"{TRAINING} training rows"
        if self.n_test:
            tested = [(point.complexity, point.test_risk or 0.0) for point in curve]
            series = [(TEST, tested), *series]
            legend = f"{TEST} test rows, {legend}, {BOTH} both"
        return f"risk ({legend})\n{plot_points(series, 'complexity', get_terminal_size().columns)}"


def _dict_or_none(found: Any) -> dict[str, Any] | None:
    return None if found is None else asdict(found)
