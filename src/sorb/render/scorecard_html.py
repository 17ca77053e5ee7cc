"""A scorecard as a page to print: boxes to tick, a column for points, and what a total means."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from html import escape

from sorb.rules.notation import Token, Tokens, printable
from sorb.simplify import Scorecard
from sorb.simplify.card_text import cost_cells

__all__ = ["card_title", "made_from", "scorecard_page"]

# The browser may load nothing: whatever a name contains, the page stays by itself.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

STYLE = """
@page { margin: 16mm 17mm; }
* { box-sizing: border-box; }
html { font: 10.5pt/1.4 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
body { color: #000; background: #fff; max-width: 180mm; margin: 10mm auto; padding: 0 4mm;
  overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
header { display: flex; justify-content: space-between; gap: 8mm; align-items: flex-end;
  border-bottom: 1.2pt solid #000; padding-bottom: 3mm; }
h1 { font-size: 17pt; line-height: 1.2; font-weight: 600; margin: 0; }
header p { margin: 1mm 0 0; }
.fields { flex: none; width: 56mm; font-size: 9pt; }
.fields div { display: flex; gap: 2mm; margin-top: 3.5mm; }
.fields div::after { content: ""; flex: 1; border-bottom: .5pt solid #000; }
h2 { font-size: 10.5pt; font-weight: 600; margin: 7mm 0 1.5mm; }
table { border-collapse: collapse; width: 100%; }
th { font-weight: normal; font-size: 9pt; text-align: left; vertical-align: bottom; }
th, td { padding: 1.6mm 2mm; border-bottom: .4pt solid #999; }
td { vertical-align: top; }
tr { break-inside: avoid; }
thead th { border-bottom: .8pt solid #000; }
.number { text-align: right; white-space: nowrap; }
.tick { width: 9mm; padding-left: 0; }
.box { display: inline-block; width: 4mm; height: 4mm; border: .8pt solid #000;
  vertical-align: -.6mm; }
.write { display: inline-block; width: 15mm; height: 7.5mm; border: .5pt solid #000;
  vertical-align: middle; }
.points .number { width: 21mm; }
.points .write { height: 5.5mm; margin: -1mm 0; border-color: #777; }
.total td { border-bottom: none; padding-top: 3mm; font-weight: 600; vertical-align: middle; }
.total .write { border: 1.4pt solid #000; }
.name { font-weight: 600; }
.meaning { display: flex; gap: 6mm 9mm; flex-wrap: wrap; align-items: flex-start; }
.totals { width: auto; flex: none; }
.totals td, .totals th { padding: .8mm 2.4mm; }
.bar { width: 26mm; padding-left: 0 !important; }
.bar span { display: block; height: 2.6mm; margin-top: 1.1mm; border: .4pt solid #000;
  background: #bbb; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.few td { padding-top: .35mm; padding-bottom: .35mm; }
footer { margin-top: 6mm; padding-top: 2mm; border-top: .8pt solid #000; font-size: 8.5pt; }
footer p { margin: 0 0 1.2mm; }
.cost { width: 0; flex: 1 1 54mm; font-size: 8.5pt; }
.cost th, .cost td { padding: .5mm 0 .5mm 3mm; font-size: 8.5pt; border: none; }
.cost th:first-child, .cost td:first-child { padding-left: 0; }
.cost caption { text-align: left; overflow-wrap: anywhere; }
.cost tr:first-child th { border-bottom: .8pt solid #000; }
.cost p { margin: 1.5mm 0 0; }
.together { break-inside: avoid; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""
LINES_THAT_FIT = 14


def scorecard_page(
    card: Scorecard,
    title: str | None = None,
    about: str = "",
    date: datetime.date | None = None,
) -> str:
    """Write a scorecard as one HTML page, to be printed on A4 or Letter.

    The page needs nothing else and loads nothing. To make a PDF of it, print it from a browser.

    Parameters
    ----------
    card : Scorecard
        The card.
    title : str, optional
        What to call it; by default what the points are for.
    about : str, default=""
        A sentence on what the model is about, such as whom it was made for.
    date : datetime.date, optional
        The date on the page; today by default.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> card = RuleEnsemble(-2.97, (old,), ("age",), "logistic", ("well", "ill")).scorecard()
    >>> page = scorecard_page(card, "Risk of falling ill")
    >>> "<h1>Risk of falling ill</h1>" in page
    True
    """
    heading = escape(printable(title or card_title(card)))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{heading}</title>",
            f"<style>{STYLE}</style></head><body>",
            *_header(card, heading, about),
            *_points(card),
            *_totals(card),
            *_footer(card, date or datetime.date.today()),
            "</body></html>",
            "",
        ]
    )


def card_title(card: Scorecard) -> str:
    """Name a card by what its points are for."""
    return f"Points for {card.labels[0]}"


def made_from(card: Scorecard) -> str:
    """Say how many rows a card was made from, if any were given."""
    if card.observed is None:
        return "Made from a model, without rows."
    rows, positive = (
        f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"
        for value in (
            sum(total.rows for total in card.observed),
            sum(total.positive for total in card.observed),
        )
    )
    return f"Made from {rows} rows, {positive} of them {card.positive}."


def _header(card: Scorecard, heading: str, about: str) -> Iterator[str]:
    high, other = card.labels
    points = "The higher the score" if card.scale else "The more points"
    yield f"<header><div><h1>{heading}</h1>"
    yield f"<p>{points}, the more likely <b>{escape(high)}</b> rather than {escape(other)}.</p>"
    if about:
        yield f"<p>{escape(printable(about))}</p>"
    yield '</div><div class="fields"><div>Name</div><div>Date</div></div></header>'


def _points(card: Scorecard) -> Iterator[str]:
    units = dict(card.model.units)
    yield '<h2>Tick what is true, and write down its points</h2><table class="points"><thead><tr>'
    yield '<th class="tick"></th><th></th><th class="number">points</th><th></th></tr></thead>'
    yield "<tbody>"
    if card.scale:
        yield _points_row("", "Everyone starts with", card.start)
    for line in card.lines:
        condition = _statement(*line.statement(units))
        yield _points_row('<span class="box"></span>', condition, line.points)
    name = "Score" if card.scale else "Total"
    yield f'<tr class="total"><td></td><td class="number" colspan="2">{name}</td>'
    yield '<td class="number"><span class="write"></span></td></tr></tbody></table>'


def _points_row(box: str, condition: str, points: int) -> str:
    return (
        f'<tr><td class="tick">{box}</td><td>{condition}</td><td class="number">{points}</td>'
        '<td class="number"><span class="write"></span></td></tr>'
    )


def _statement(word: str, parts: Sequence[Tokens]) -> str:
    """Write a condition as a statement to tick, with each comparison on its own line."""
    return f"<br>{word} ".join("".join(map(_part, part)) for part in parts)


def _part(token: Token) -> str:
    if token.kind != "name":
        return escape(token.text)
    # In its own type, a name needs no quotes.
    plain = json.loads(token.text) if token.text.startswith('"') else token.text
    return f'<span class="name">{escape(printable(plain))}</span>'


def _totals(card: Scorecard) -> Iterator[str]:
    lines = card.total_lines()
    few = " few" if len(lines) > LINES_THAT_FIT else ""
    name = "Score" if card.scale else "Total"
    yield f'<div class="together"><h2>What the {name.lower()} means</h2><div class="meaning">'
    yield f'<table class="totals{few}"><thead><tr><th class="number">{name}</th>'
    positive = escape(card.positive)
    yield f'<th class="number">Probability of {positive}</th><th class="bar"></th>'
    if card.observed is not None:
        yield f"<th>Observed {positive}</th>"
    yield "</tr></thead><tbody>"
    for line in lines:
        width = 100 * sum(line.probabilities) / 2
        shares = ""
        if card.observed is not None and line.lines:
            shares = f'<td rowspan="{line.lines}">{escape(line.observed)}</td>'
        yield (
            f'<tr><td class="number">{line.total}</td>'
            f'<td class="number">{escape(line.probability)}</td>'
            f'<td class="bar"><span style="width:{width:.1f}%"></span></td>{shares}</tr>'
        )
    yield "</tbody></table>"
    if card.cost is not None:
        # A card is one sheet, which has no room for intervals.
        (where, *heads), *measures = cost_cells(card.cost, intervals=False)
        yield f'<div class="cost"><table><caption>{escape(where)}</caption>'
        yield _cost_row("th", "", heads)
        yield from (_cost_row("td", name, values) for name, *values in measures)
        yield f"</table><p>{escape(card.cost.decisions())}</p></div>"
    yield "</div></div>"


def _footer(card: Scorecard, date: datetime.date) -> Iterator[str]:
    yield "<footer>"
    sentences = [*card.notes(), made_from(card), f"{date.isoformat()}."]
    yield f"<p>{escape(' '.join(sentences))}</p></footer>"


def _cost_row(tag: str, name: str, values: Sequence[str]) -> str:
    numbers = "".join(f'<{tag} class="number">{escape(v)}</{tag}>' for v in values)
    return f"<tr><{tag}>{escape(name)}</{tag}>{numbers}</tr>"
