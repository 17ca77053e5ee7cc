"""One thing that looks odd about a table."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

__all__ = ["Finding", "Severity"]


class Severity(str, Enum):
    """How likely a finding is to spoil a model: very, or only in some tables."""

    serious = "serious"
    look = "worth a look"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that looks odd about a table.

    Attributes
    ----------
    kind : str
        What kind of oddity it is, one word for programs, such as ``"leak"``.
    severity : Severity
        Whether it is serious, or only worth a look.
    what : str
        What is odd, with numbers; a sentence without a full stop.
    effect : str
        What it may do to a model.
    advice : str
        How to act.
    columns : tuple of str
        The columns concerned.
    classes : tuple
        The classes or categories concerned.
    rows : tuple of int
        The first few rows concerned, counted from 0.

    Examples
    --------
    >>> import pandas as pd
    >>> import sorb
    >>> doses = pd.DataFrame({"dose": [1.0, 2.0, 5.0] * 40, "site": 7})
    >>> [finding] = sorb.check(doses)
    >>> print(finding.kind, finding.columns, finding.what, sep="; ")
    constant; ('site',); site is 7 in all rows
    """

    kind: str
    severity: Severity
    what: str
    effect: str
    advice: str
    columns: tuple[str, ...] = ()
    classes: tuple[Any, ...] = ()
    rows: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data, for JSON."""
        return {**asdict(self), "severity": self.severity.value}
