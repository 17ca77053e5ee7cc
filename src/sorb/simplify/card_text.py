"""The tables of a scorecard in words: for terminals, for notebooks, and for other documents."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from sorb.rules import notation
from sorb.rules.rule_lines import CAPTION_STYLE, CELL_STYLE, NUMBER_STYLE, TABLE_STYLE
from sorb.simplify.text_tables import align_columns

if TYPE_CHECKING:
    from sorb.simplify.card import Scorecard
    from sorb.simplify.card_cost import CardCost
    from sorb.simplify.card_totals import TotalLine

__all__ = ["card_html", "card_text", "cost_cells", "total_cells"]


def card_text(card: Scorecard) -> str:
    """Write a card as text."""
    width = max(len(str(points)) for points in card.points)
    units = dict(card.model.units)
    lines = [
        f"{line.points:>{width}}  {notation.join_tokens(line.clause(units))}" for line in card.lines
    ]
    parts = ["\n".join([f"{card.caption()}:", *lines])]
    parts.append(align_columns(total_cells(card), right=(0, 1)))
    if card.cost is not None:
        parts += [align_columns(cost_cells(card.cost), right=(1, 2)), card.cost.decisions()]
    return "\n\n".join([*parts, "\n".join(card.notes())])


def card_html(card: Scorecard) -> str:
    """Write the points and the totals of a card as tables that fit in any page."""
    units = dict(card.model.units)
    rules = [(str(line.points), notation.join_tokens(line.tokens(units))) for line in card.lines]
    return "\n".join(
        [
            _html_table([("points", "if"), *rules], card.caption(), left=(1,)),
            _html_table(total_cells(card), "", left=(2,)),
            f"<p>{escape(' '.join(card.notes()))}</p>",
        ]
    )


def total_cells(card: Scorecard) -> list[tuple[str, ...]]:
    """Give the cells of the table of totals, its heads first."""
    lines = card.total_lines()
    head = ("Total" if card.scale is None else "Score", f"Probability of {card.positive}")
    rows = [(line.total, line.probability) for line in lines]
    if card.observed is None:
        return [head, *rows]
    shares = [_share(lines[k : k + line.lines]) for k, line in enumerate(lines)]
    return [(*head, "Observed"), *((*row, s) for row, s in zip(rows, shares, strict=True))]


def _share(group: Sequence[TotalLine]) -> str:
    """Say what was observed on the lines that a line stands for, if any."""
    if not group:
        return ""
    if len(group) == 1:
        return group[0].observed
    last = group[-1].total.rpartition("–")[2]
    return f"{group[0].observed} ({group[0].total.partition('–')[0]} to {last})"


def cost_cells(cost: CardCost, intervals: bool = True) -> list[list[str]]:
    """Give the cells of the table of measures, its heads first."""
    where = f"On {cost.n_rows} {cost.rows}"
    return [[where, "exact model", "card"], *cost.measure_lines(intervals)]


def _html_table(rows: Sequence[Sequence[str]], caption: str, left: Sequence[int]) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="{CELL_STYLE if j in left else NUMBER_STYLE}">{escape(cell)}</{tag}>'
            for j, cell in enumerate(cells)
        )

    head, *body = rows
    written = f'<caption style="{CAPTION_STYLE}">{escape(caption)}</caption>' if caption else ""
    return (
        f'<table style="{TABLE_STYLE}">{written}<thead><tr>{row(head, "th")}</tr></thead><tbody>'
        + "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in body)
        + "</tbody></table>"
    )
