"""What ``sorb fit`` says: the rules, how good they are, and the curve."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import get_terminal_size

import typer

from sorb.cli.features import Features
from sorb.cli.known_rows import KnownRows
from sorb.cli.learning import Learned
from sorb.cli.measures import measure_lines
from sorb.cli.messages import print_json
from sorb.cli.questions import TaskFound
from sorb.cli.terminal import TOGETHER, aligned, plot
from sorb.render import show

__all__ = ["Fit"]

MOST_LEFT_OUT = 5
HELD_OUT, LEARNED = "●", "○"


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """All there is to say about a fit."""

    target: str
    found: TaskFound
    features: Features
    rows: KnownRows
    held_out: int
    learned: Learned
    out: Path | None

    def print_json(self) -> None:
        """Print it for other programs."""
        learned, validated = self.learned, self.learned.cross_validation
        document = {
            "target": self.target,
            "task": self.found.task.value,
            "rows": {
                "learned": len(self.rows.y) - self.held_out,
                "held_out": self.held_out,
                "without_target": self.rows.left_out,
            },
            "columns": len(self.features.columns),
            "left_out_columns": self.features.left_out,
            "rules": len(learned.ensemble),
            "complexity": learned.ensemble.complexity,
            "learned": asdict(learned.learned),
            "held_out": learned.held_out and asdict(learned.held_out),
            "without_rules": learned.without_rules and asdict(learned.without_rules),
            "cross_validation": validated and asdict(validated),
            "curve": [asdict(step) for step in learned.steps],
            "model": json.loads(learned.ensemble.to_json()),
            "out": None if self.out is None else str(self.out),
        }
        print_json(document)

    def print_text(self) -> None:
        """Print it for people."""
        parts = [self._quality()]
        if len(self.learned.steps) > 1:
            parts.append(self._curve())
        if self.out:
            parts.append(f"The model is in {self.out}.")
        typer.echo(f"{self._introduction()}\n")
        show(self.learned.ensemble)
        typer.echo("\n" + "\n\n".join(parts))

    def _introduction(self) -> str:
        held_out = f", {self.held_out} held out" if self.held_out else ""
        rows = f"{len(self.rows.y) - self.held_out} rows"
        lines = [
            f"{self.found.words}.",
            f"Learned from {rows} and {_count(len(self.features.columns), 'column')}{held_out}.",
        ]
        if self.rows.left_out:
            lines.append(f"Left out {_count(self.rows.left_out, 'row')} without {self.target}.")
        shown = list(self.features.left_out.items())[:MOST_LEFT_OUT]
        lines += [f"Left out the column {name}: {reason}." for name, reason in shown]
        if len(self.features.left_out) > len(shown):
            more = len(self.features.left_out) - len(shown)
            lines.append(f"Left out {_count(more, 'more column')} of such kinds.")
        if chosen := self.learned.cross_validation:
            rules = _count(chosen.rules, "rule")
            lines.append(f"Cross-validation chose {rules} and the penalty {chosen.reg_lambda:g}.")
        return "\n".join(lines)

    def _quality(self) -> str:
        found = {"learned from": self.learned.learned}
        if self.learned.held_out and self.learned.without_rules:
            found = {
                "held out": self.learned.held_out,
                "without rules": self.learned.without_rules,
                **found,
            }
        return aligned([["", *found], *measure_lines(list(found.values()))])

    def _curve(self) -> str:
        steps = self.learned.steps
        learned = [(step.complexity, step.learned_risk) for step in steps]
        series = [(LEARNED, learned)]
        legend = f"{LEARNED} learned from"
        if self.held_out:
            held_out = [(step.complexity, step.held_out_risk or 0.0) for step in steps]
            series = [(HELD_OUT, held_out), *series]
            legend = f"{HELD_OUT} rows held out, {legend}, {TOGETHER} both"
        return f"risk ({legend})\n{plot(series, 'complexity', get_terminal_size().columns)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
