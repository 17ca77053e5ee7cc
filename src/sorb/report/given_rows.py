"""The rows as the user gives them, which other methods learn from, too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sorb._types import Int
from sorb.rules import RuleEnsemble

__all__ = ["GivenRows"]


@dataclass(frozen=True, slots=True, eq=False)
class GivenRows:
    """A table with its outcomes, and perhaps weights, exposures, groups and row numbers."""

    X: Any
    y: Any
    sample_weight: Any = None
    exposure: Any = None
    groups: Any = None
    numbers: Int | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Weights, groups and, if there is any, the exposure, which few losses know, by name."""
        found = {"sample_weight": self.sample_weight, "groups": self.groups}
        return found if self.exposure is None else {**found, "exposure": self.exposure}

    def outcome_name(self, target: str | None, ensemble: RuleEnsemble) -> str:
        """Name the outcomes: as someone wants, as `y` does, or as the model remembers."""
        remembered = "" if ensemble.record is None else ensemble.record.target
        return target or str(getattr(self.y, "name", None) or remembered or "the outcome")

    @property
    def learned_from(self) -> tuple[Any, ...]:
        """What a rival learns from: table, outcomes, weights, exposures and groups."""
        return self.X, self.y, self.sample_weight, self.exposure, self.groups
