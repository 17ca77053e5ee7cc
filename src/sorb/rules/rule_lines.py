"""The lines of a printed model: votes, classes and conditions, as text and as an HTML table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from sorb.rules.notation import ALWAYS, IF, Tokens, join_tokens, signed

__all__ = [
    "CAPTION_STYLE",
    "CELL_STYLE",
    "NUMBER_STYLE",
    "TABLE_STYLE",
    "RuleLine",
    "align_at_point",
    "format_lines",
    "html_table",
    "line_starts",
]

TABLE_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
CAPTION_STYLE = "caption-side: bottom; text-align: left; padding: 0.3em 0.6em; opacity: 0.8"
CELL_STYLE = "text-align: left; vertical-align: top; padding: 0.2em 0.6em"
NUMBER_STYLE = "text-align: right; vertical-align: top; padding: 0.2em 0.6em; white-space: nowrap"


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One line of a printed ensemble: what is added, to which class, and when."""

    vote: float
    condition: Tokens
    label: str = ""

    @property
    def clause(self) -> Tokens:
        """What is printed after the vote: "always", or "if" and the condition."""
        return self.condition if self.condition == ALWAYS else (IF, *self.condition)


def format_lines(lines: Sequence[RuleLine], digits: int | None) -> str:
    """Write one line below the other, with votes aligned at the decimal point.

    Examples
    --------
    >>> from sorb.rules.notation import Token
    >>> ill = (Token("name", "ill"),)
    >>> print(format_lines([RuleLine(-2.5, ALWAYS), RuleLine(12.0, ill)], 3))
     −2.5  always
    +12    if  ill
    """
    starts = zip(line_starts(lines, digits), lines, strict=True)
    return "\n".join(f"{start}  {join_tokens(line.clause)}" for start, line in starts)


def line_starts(lines: Sequence[RuleLine], digits: int | None) -> list[str]:
    """Write the vote and the class of each line, all equally wide."""
    votes = align_at_point([signed(line.vote, digits) for line in lines])
    width = max(len(line.label) for line in lines)
    labels = [f" {line.label.ljust(width)}" if width else "" for line in lines]
    return [vote + label for vote, label in zip(votes, labels, strict=True)]


def align_at_point(numbers: Sequence[str]) -> list[str]:
    """Pad numbers with spaces, so that their decimal points are aligned."""
    parts = [text.partition(".") for text in numbers]
    left = max(len(whole) for whole, _, _ in parts)
    right = max(len(point + fraction) for _, point, fraction in parts)
    return [whole.rjust(left) + (point + fraction).ljust(right) for whole, point, fraction in parts]


def html_table(lines: Sequence[RuleLine], caption: str, digits: int | None) -> str:
    """Write lines as an HTML table that takes its colours from the page around it."""
    labelled = any(line.label for line in lines)
    heads = ["vote", *(["class"] if labelled else []), "if"]
    rows = [_html_row(line, labelled, digits) for line in lines]
    return "\n".join(
        [
            f'<table style="{TABLE_STYLE}">',
            f'<caption style="{CAPTION_STYLE}">{escape(caption)}</caption>',
            "<thead><tr>"
            + "".join(f'<th scope="col" style="{CELL_STYLE}">{head}</th>' for head in heads)
            + "</tr></thead>",
            "<tbody>",
            *rows,
            "</tbody>",
            "</table>",
        ]
    )


def _html_row(line: RuleLine, labelled: bool, digits: int | None) -> str:
    label = f'<td style="{CELL_STYLE}">{escape(line.label)}</td>' if labelled else ""
    return (
        f'<tr><td style="{NUMBER_STYLE}">{signed(line.vote, digits)}</td>{label}'
        f'<td style="{CELL_STYLE}">{escape(join_tokens(line.condition))}</td></tr>'
    )
