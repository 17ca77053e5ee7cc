"""Tables of the votes on a row, from the offset to the total."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sorb._types import Float
from sorb.explanation.explained_quantity import DIGITS, ExplainedQuantity, factor
from sorb.losses import Readout
from sorb.rules import notation, rule_lines

if TYPE_CHECKING:
    from sorb.explanation.explanation import RowExplanation

__all__ = ["html_table", "printed_table"]


class TableLine(NamedTuple):
    """One line: a vote, the class it is for, its effect on the expected outcome, and the rule."""

    vote: str
    label: str
    share: str
    reason: str


def printed_table(row: RowExplanation) -> str:
    """Write the votes as lines of text, with numbers aligned at the decimal point."""
    lines = list(_table_lines(row))
    columns = [
        rule_lines.align_at_point([line.vote for line in lines]),
        _pad([line.label for line in lines]),
        rule_lines.align_at_point([line.share for line in lines]),
        [line.reason for line in lines],
    ]
    # A column that is empty throughout takes no room.
    shown = [column for column in columns if any(cell.strip() for cell in column)]
    return "\n".join([f"{_caption(row)}:", *map("  ".join, zip(*shown, strict=True))])


def html_table(row: RowExplanation) -> str:
    """Write the votes as an HTML table that takes its colours from the page around it."""
    lines = [
        f'<tr><td style="{rule_lines.NUMBER_STYLE}">{escape(line.vote)}</td>'
        f'<td style="{rule_lines.CELL_STYLE}">{escape(line.label)}</td>'
        f'<td style="{rule_lines.NUMBER_STYLE}">{escape(line.share)}</td>'
        f'<td style="{rule_lines.CELL_STYLE}">{escape(line.reason)}</td></tr>'
        for line in _table_lines(row)
    ]
    caption = f'<caption style="{rule_lines.CAPTION_STYLE}">{escape(_caption(row))}</caption>'
    body = "\n".join(lines)
    return (
        f'<table style="{rule_lines.TABLE_STYLE}">\n{caption}\n<tbody>\n{body}\n</tbody>\n</table>'
    )


def _caption(row: RowExplanation) -> str:
    heading = _outcome_column(row).heading.format(ExplainedQuantity.of(row).name)
    return f"The {row.ensemble.score_words()}{heading}"


def _table_lines(row: RowExplanation) -> Iterator[TableLine]:
    quantity = ExplainedQuantity.of(row)
    yield from _levels(row, quantity, row.ensemble.offset, quantity.start, "to begin with")
    labels, digits = _labels(row), row.ensemble.shown_digits()
    added = _outcome_column(row).added
    for number, rule in enumerate(row.ensemble):
        condition = rule.condition.format(digits, dict(row.ensemble.units))
        if row.covered[number]:
            share = added(row.contributions[number], quantity.added[number])
            reason = f"rule {number + 1}: {condition}"
            yield TableLine(notation.signed(rule.vote, DIGITS), labels[rule.output], share, reason)
        else:
            yield TableLine("", "", "", f"not covered by rule {number + 1}: {condition}")
    yield from _levels(row, quantity, row.total, quantity.end, "in total")


def _levels(
    row: RowExplanation,
    quantity: ExplainedQuantity,
    values: float | Sequence[float] | Float,
    share: float,
    reason: str,
) -> Iterator[TableLine]:
    """Give one line for each output; the expected outcome is shown with the class it is about."""
    for value, label in zip(np.atleast_1d(np.array(values)), _labels(row), strict=True):
        level = _outcome_column(row).level
        about = level(share) if label in ("", quantity.answer) else ""
        yield TableLine(notation.signed(float(value), DIGITS), label, about, reason)


def _outcome_column(row: RowExplanation) -> OutcomeColumn:
    return row.ensemble.loss.by_readout(OUTCOME_COLUMNS, "explained")


def _labels(row: RowExplanation) -> list[str]:
    several = row.ensemble.loss.score_per_class
    return [notation.label(value) for value in row.ensemble.classes or ()] if several else [""]


def _points(vote: float, added: float) -> str:
    points = _tenths(100 * added)
    return points if points.startswith(notation.MINUS) else f"+{points}"


def _tenths(value: float) -> str:
    # Adding zero makes −0.0 a plain 0.0.
    return f"{round(value, 1) + 0.0:.1f}".replace("-", notation.MINUS)


def _pad(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts))
    return [written.ljust(width) for written in texts]


class OutcomeColumn(NamedTuple):
    """The column beside the votes: its heading, how it writes a level, and the effect of a vote."""

    heading: str
    level: Callable[[float], str]
    added: Callable[[float, float], str]


# The prediction itself is what votes add up to already.
NO_COLUMN = OutcomeColumn("", lambda value: "", lambda vote, added: "")
FACTORS = OutcomeColumn(
    ", and {}",
    lambda value: notation.number(value, DIGITS),
    lambda vote, added: f"× {factor(vote)}",
)
PERCENTAGES = OutcomeColumn(", and {} in %", lambda value: _tenths(100 * value), _points)
OUTCOME_COLUMNS = {
    Readout.IDENTITY: NO_COLUMN,
    Readout.EXPONENTIAL: FACTORS,
    Readout.SIGMOID: PERCENTAGES,
    Readout.SOFTMAX: PERCENTAGES,
}
