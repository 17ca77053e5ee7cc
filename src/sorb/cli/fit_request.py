"""What is to be learned, and from what: the options of ``sorb fit`` that need the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from sorb.cli.decision import Decision
from sorb.cli.task import DetectedTask, Task
from sorb.tables.reading import Reading

if TYPE_CHECKING:
    from sorb.losses import Loss

__all__ = ["GO_ON", "FitRequest"]

GO_ON = "the same command goes on from there"


@dataclass(frozen=True, slots=True, eq=False)
class FitRequest:
    """A fit that is asked for.

    Attributes
    ----------
    sources : where the table is; more than one if it is in several files.
    target, weight, exposure, group : the columns of outcomes, weights, exposures and groups.
    task : the kind of outcome, if it is given.
    loss : that of a regression.
    columns : the values of the options that name columns to learn from, as the user gave them.
    reading : how the table is read.
    test_size : the share of test rows.
    random_state : the seed.
    recalibrate : whether to expect each class as often as it occurs, whatever the class weights.
    parameters : those of the estimator.
    decision : how the cut-off of the measures is chosen.
    """

    sources: Sequence[str]
    target: str
    weight: str | None
    exposure: str | None
    group: str | None
    task: Task | None
    loss: Loss
    columns: Mapping[str, Sequence[str] | None]
    reading: Reading
    test_size: float
    random_state: int
    recalibrate: bool
    parameters: dict[str, Any]
    decision: Decision

    @property
    def others(self) -> dict[str, str]:
        """The columns that are not learned from, by their options."""
        columns = {
            "--target": self.target,
            "--weight": self.weight,
            "--exposure": self.exposure,
            "--group": self.group,
        }
        return {option: column for option, column in columns.items() if column is not None}

    def check_group(self) -> None:
        """Refuse a column of groups that is for something else, too."""
        for option, column in self.others.items():
            if column == self.group and option != "--group":
                raise typer.BadParameter(f"{option} and --group both name column {column!r}")

    def check_task(self, detected: DetectedTask) -> None:
        """Refuse options that are not for this task."""
        of_classes = {
            "--class-weight": "class_weight" in self.parameters,
            "--positive": "positive" in self.parameters,
            "--recalibrate": self.recalibrate,
        }
        for option, given in of_classes.items():
            if given and detected.task is not Task.classification:
                raise typer.BadParameter(f"{option} is for classes, but {self.target} is a number")
        if self.exposure and detected.task is Task.classification:
            raise typer.BadParameter(f"--exposure is for numbers, but {self.target} holds classes")
        self.decision.check(self.target, detected.n_classes)
