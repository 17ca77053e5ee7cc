"""What was checked about a dossier, and whether it still agrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sorb.measures.table import align
from sorb.rules.notation import printable

__all__ = ["Check", "Outcome", "Verification"]


class Outcome(str, Enum):
    """What came of a check."""

    agrees = "agrees"
    disagrees = "DISAGREES"
    not_run = "not run"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes
    ----------
    what : what it is.
    outcome : what came of it.
    detail : what exactly was compared, does not agree, or was missing.
    """

    what: str
    outcome: Outcome
    detail: str = ""

    @classmethod
    def of(cls, what: str, difference: str | None, detail: str = "") -> Check:
        """Compare: without a difference, it agrees."""
        if difference is None:
            return cls(what, Outcome.agrees, detail)
        return cls(what, Outcome.disagrees, difference)


@dataclass(frozen=True, slots=True)
class Verification:
    """All that was checked about a dossier; it prints itself as a table.

    Attributes
    ----------
    checks : tuple of Check
        What was checked, in this order.
    fingerprint : str
        The SHA-256 of the manifest, which identifies the whole folder.
    """

    checks: tuple[Check, ...]
    fingerprint: str

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees; some things may not have been run."""
        return not self.of(Outcome.disagrees)

    def of(self, outcome: Outcome) -> tuple[Check, ...]:
        """The checks with an outcome."""
        return tuple(check for check in self.checks if check.outcome is outcome)

    def __str__(self) -> str:
        head = align([["", ""], *([check.outcome.value, ""] for check in self.checks)])
        width = max(len(line.rstrip()) for line in head.splitlines())
        names = [printable(check.what) for check in self.checks]
        wide = max(map(len, names))
        lines = [
            f"{check.outcome.value:<{width}}  {name:<{wide}}  {printable(check.detail)}".rstrip()
            for name, check in zip(names, self.checks, strict=True)
        ]
        return "\n".join([*lines, "", self.summary, f"Fingerprint: {self.fingerprint}"])

    @property
    def summary(self) -> str:
        """Count what agrees, what does not, and what was not run."""
        counts = {outcome: len(self.of(outcome)) for outcome in Outcome}
        total = len(self.checks)
        told = f"Of {total} checks, {counts[Outcome.agrees]} agree"
        told += f", {counts[Outcome.disagrees]} disagree"
        were = "was" if counts[Outcome.not_run] == 1 else "were"
        return f"{told}, and {counts[Outcome.not_run]} {were} not run."

    def to_dict(self) -> dict[str, Any]:
        """Give plain values that fit in JSON."""
        return {
            "agrees": self.agrees,
            "fingerprint": self.fingerprint,
            "checks": [
                {"what": c.what, "outcome": c.outcome.value.lower(), "detail": c.detail}
                for c in self.checks
            ],
        }
