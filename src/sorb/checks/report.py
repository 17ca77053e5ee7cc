"""All findings about a table, for people and for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sorb.checks.finding import Finding, Severity
from sorb.checks.wording import listed
from sorb.rules import notation
from sorb.tables.quoting import quote_argument

__all__ = ["TableReport"]

WIDTH = 88
_TITLE = "What looks odd about this table"
_MOST_OF_A_KIND = 5
_WITH_MARKS = ("bad-numbers", "sentinel")
_MARKS = {Severity.serious: "!", Severity.look: "·"}


@dataclass(frozen=True, slots=True)
class TableReport:
    """What looks odd about a table: a sequence of findings, serious ones first.

    Attributes
    ----------
    findings : tuple of Finding
        What was found.
    n_rows, n_columns : int
        The size of the table.
    n_checked : int
        How many rows were looked at: large tables are checked on a sample.
    left_out : int
        The number of rows that have no outcome, or no weight.

    Examples
    --------
    >>> import numpy as np
    >>> import sorb
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 2))
    >>> print(sorb.check(X, X[:, 0] > 0))
    What looks odd about this table (200 rows, 2 columns)
    <BLANKLINE>
    ! x0 tells the outcome almost alone: it gives the right class in 100 % of the rows,
      where the most frequent class is right in 54 %.
      If it is recorded after the outcome, or because of it, the model looks excellent here
      and fails where the outcome is not yet known; a real measurement is seldom this good.
      → Find out when x0 is recorded: unless that is before the outcome, leave it out
        (--ignore x0).
    """

    findings: tuple[Finding, ...]
    n_rows: int
    n_columns: int
    n_checked: int
    left_out: int = 0

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, place: int) -> Finding:
        return self.findings[place]

    @property
    def serious(self) -> tuple[Finding, ...]:
        """The findings that are likely to spoil a model."""
        return tuple(f for f in self.findings if f.severity is Severity.serious)

    def __str__(self) -> str:
        """Write the findings for people, one paragraph each."""
        if not self.findings:
            return f"Nothing looks odd about this table ({self._size}).{self._sample}"
        parts = [f"{_TITLE} ({self._size}){self._sample}"]
        for group, more in self._by_kind():
            parts += [_paragraph(finding) for finding in group]
            if more:
                parts.append(
                    "\n".join(_wrapped(f"{_others(more)}{_shared_mark(more)}", " ", WIDTH))
                )
        return "\n\n".join(parts)

    def brief(self, width: int = WIDTH) -> str:
        """Write one line or two for each finding, without what it does and how to act."""
        if not self.findings:
            return str(self)
        lines = [f"{_TITLE}:"]
        for group, more in self._by_kind():
            for finding in group:
                lines += _wrapped(f"{finding.what}.", _MARKS[finding.severity], width)
            if more:
                lines.append(f"  {_others(more)}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data, for JSON."""
        return {
            "rows": self.n_rows,
            "columns": self.n_columns,
            "rows_checked": self.n_checked,
            "rows_left_out": self.left_out,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    @property
    def _size(self) -> str:
        rows = notation.count(self.n_rows, "row")
        columns = notation.count(self.n_columns, "column")
        left_out = f", {self.left_out} more without an outcome or a weight" if self.left_out else ""
        return f"{rows}, {columns}{left_out}"

    @property
    def _sample(self) -> str:
        if self.n_checked == self.n_rows:
            return ""
        return f"\nLooked at a sample of {self.n_checked} rows, drawn by what they hold."

    def _by_kind(self) -> Iterator[tuple[list[Finding], list[Finding]]]:
        """Group findings of the same kind and severity, the first few and the others."""
        groups: dict[tuple[str, Severity], list[Finding]] = {}
        for finding in self.findings:
            groups.setdefault((finding.kind, finding.severity), []).append(finding)
        for group in groups.values():
            yield group[:_MOST_OF_A_KIND], group[_MOST_OF_A_KIND:]


def _paragraph(finding: Finding) -> str:
    lines = _wrapped(f"{finding.what}.", _MARKS[finding.severity], WIDTH)
    lines += _wrapped(f"{_capital(finding.effect)}.", " ", WIDTH)
    lines += _wrapped(f"{_capital(finding.advice)}.", "→", WIDTH, "  ")
    return "\n".join(lines)


def _wrapped(text: str, mark: str, width: int, indent: str = "") -> list[str]:
    lines = textwrap.wrap(
        text.replace(" %", "\N{NO-BREAK SPACE}%"),
        width,
        initial_indent=f"{indent}{mark} ",
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\N{NO-BREAK SPACE}%", " %") for line in lines]


def _others(findings: list[Finding]) -> str:
    names = [name for finding in findings for name in finding.columns]
    return f"The same holds for {notation.count(len(findings), 'more column')}: {listed(names)}."


def _shared_mark(findings: list[Finding]) -> str:
    """Say how a mark of missing values that columns share is named once for all of them."""
    shared = {finding.classes for finding in findings if finding.kind in _WITH_MARKS}
    if len(shared) != 1 or not (marks := shared.pop()):
        return ""
    return f" --missing {quote_argument(','.join(map(str, marks)))} speaks of all columns."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
