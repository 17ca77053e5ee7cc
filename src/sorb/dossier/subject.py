"""What a dossier is about: a model, rows to measure it on, and how they are to be treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb._types import Float
from sorb.report.columns import plain_label
from sorb.report.few_rows import require_min_rows
from sorb.report.given_rows import GivenRows
from sorb.report.rows import ReportRows
from sorb.rules import RuleEnsemble
from sorb.rules.columns import column_source
from sorb.rules.labels import Labels
from sorb.rules.notation import label
from sorb.rules.prediction import class_labels
from sorb.tables.column_kinds import holds_labels, tell_kinds
from sorb.tables.row_values import row_values
from sorb.tables.weights import row_weights

__all__ = ["LEAST_ROWS", "SPLITS", "Settings", "Split", "Subject"]

Split: TypeAlias = Literal["test", "training"]

LEAST_ROWS = 5
UNKNOWN_SPLIT = "not known"
SPLITS = {
    "test": "The rows were not used in training, as whoever wrote the dossier says.",
    "training": (
        "The rows are those that the model was learned from: the measures make it look better than "
        "it is on new rows."
    ),
    UNKNOWN_SPLIT: (
        "Nobody has said whether the model was learned from these rows: if it was, the measures "
        "make it look better than it is on new rows."
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is measured.

    Attributes
    ----------
    cutoff : for two classes, the probability above which a row counts as positive.
    costs : instead of it, what a missed positive row and what a false alarm cost.
    min_rows : the fewest rows that a subgroup is told of.
    split : whether the rows are "test" or "training" rows; None if nobody knows.
    single_rows : whether the dossier may tell values of single rows.
    by : columns that rules need not use, and that divide the rows into subgroups, too.
    """

    cutoff: float | None = None
    costs: tuple[float, float] | None = None
    min_rows: int = LEAST_ROWS
    split: Split | None = None
    single_rows: bool = True
    by: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_min_rows(self.min_rows)
        if self.split not in ("test", "training", None):
            raise ValueError(f"split must be 'test', 'training' or None, found {self.split!r}")

    @property
    def least(self) -> int:
        """The fewest rows that a description of the columns tells anything of."""
        return 1 if self.single_rows else self.min_rows

    @property
    def split_name(self) -> str:
        """The kind of the rows, a key of `SPLITS`."""
        return self.split or UNKNOWN_SPLIT

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, "costs": self.costs and list(self.costs), "by": list(self.by)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Settings:
        """Read what `to_dict` gave."""
        costs = document["costs"]
        by = tuple(document["by"])
        return cls(**{**document, "costs": costs and (costs[0], costs[1]), "by": by})


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A model with rows to measure it on.

    Attributes
    ----------
    ensemble : the model.
    given : the rows as they were given.
    rows : those of positive weight.
    target : what the outcomes are called.
    settings : how it is measured.
    """

    ensemble: RuleEnsemble
    given: GivenRows
    rows: ReportRows
    target: str
    settings: Settings

    @classmethod
    def of(
        cls, ensemble: RuleEnsemble, given: GivenRows, target: str, settings: Settings
    ) -> Subject:
        """Open the table and check the outcomes."""
        used = ensemble.used_columns
        needed = [*dict.fromkeys([*used, *settings.by])]
        found = column_source(given.X, needed, ensemble.columns)

        def labels(name: str) -> Sequence[Any]:
            # A file of rows holds dates and the like as texts.
            return found.labels(name) if name in used else _plain_labels(found.labels(name))

        source = replace(found, labels=labels, read_rows=None)
        return cls(ensemble, given, ReportRows.of(ensemble, source, given), target, settings)

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """The columns that the rules use, and whether each holds categories."""
        return tell_kinds(self.ensemble.used_columns, [self.ensemble], [self.rows.source])

    @property
    def dividing_columns(self) -> list[tuple[str, bool]]:
        """The columns that divide the rows into subgroups, and whether each holds categories."""
        used = self.columns
        names = {name for name, _ in used}
        more = dict.fromkeys(name for name in self.settings.by if name not in names)
        return used + [(name, holds_labels(self.rows.source, name)) for name in more]

    @property
    def given_y(self) -> NDArray[Any]:
        """The outcomes of the rows as they were given."""
        return row_values(self.given.y, None)[self.rows.places]

    @property
    def given_weight(self) -> Float | None:
        """The weights of the rows, if any were given."""
        weight = self.given.sample_weight
        if weight is None:
            return None
        return row_weights(weight, len(row_values(self.given.y, None)))[self.rows.places]

    @property
    def given_exposure(self) -> Float | None:
        """What the outcomes accumulated over, if that was given."""
        exposure = self.given.exposure
        if exposure is None:
            return None
        return np.asarray(row_values(exposure, None)[self.rows.places], dtype=np.float64)

    @property
    def labels(self) -> list[str]:
        """The names of the classes; none if numbers are predicted."""
        if not self.ensemble.loss.has_classes:
            return []
        return [label(value) for value in class_labels(self.ensemble.classes)]


def _plain_labels(labels: Sequence[Any]) -> Labels:
    found = Labels.of(labels)
    if all(isinstance(value, (str, bool, int, float)) for value in found.values):
        return found
    plain = [*map(plain_label, found.values), None]
    return Labels.of([plain[code] for code in found.codes.tolist()])
