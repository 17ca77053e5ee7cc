r"""A scorecard as tables for documents: in Markdown, and in LaTeX that needs no package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sorb.render import latex_table, latex_text, markdown_table
from sorb.render.scorecard_html import made_from
from sorb.rules.notation import Tokens
from sorb.simplify import Scorecard
from sorb.simplify.card_text import cost_cells, total_cells

__all__ = ["scorecard_latex", "scorecard_markdown"]

BOX = r"\fbox{\rule{0pt}{1ex}\rule{1ex}{0pt}}"


def scorecard_markdown(card: Scorecard) -> str:
    r"""Write a scorecard as Markdown tables.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    >>> card = RuleEnsemble(-3.0, (old,), ("age",), "logistic", ("well", "ill")).scorecard()
    >>> print(scorecard_markdown(card).partition("\n\nNo")[0])
    Points for ill against well:
    <BLANKLINE>
    | points | if |
    | ---: | :--- |
    | 1 | age ≥ 40 |
    <BLANKLINE>
    | Total | Probability of ill |
    | ---: | ---: |
    | 0 | 4.7 % |
    | 1 | 26.9 % |
    """
    write = markdown_table.escape
    points = [("points", "if"), *_point_rows(card, markdown_table.mark_up)]
    parts = [f"{write(card.caption())}:", _markdown(points, left=(1,))]
    totals = [[write(cell) for cell in row] for row in total_cells(card)]
    parts.append(_markdown(totals, left=(2,)))
    if card.cost is not None:
        costs = [[write(cell) for cell in row] for row in cost_cells(card.cost)]
        parts += [_markdown(costs, left=(0,)), write(card.cost.decisions())]
    return "\n\n".join([*parts, write(" ".join([*card.notes(), made_from(card)]))])


def _markdown(rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    head, *body = rows
    sides = [":---" if j in left else "---:" for j in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, sides, *body))


def _point_rows(card: Scorecard, write: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Write the points and the condition of each line."""
    units = dict(card.model.units)
    if card.start:
        yield str(card.start), "always"
    for line in card.lines:
        tokens: Tokens = line.tokens(units)
        yield str(line.points), "".join(map(write, tokens))


def scorecard_latex(card: Scorecard) -> str:
    r"""Write a scorecard as LaTeX tables with boxes to tick.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule, RuleEnsemble
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    >>> card = RuleEnsemble(-3.0, (old,), ("age",), "logistic", ("well", "ill")).scorecard()
    >>> print("\n".join(scorecard_latex(card).splitlines()[:7]))
    \noindent Points for ill against well:\par\medskip
    \noindent\begin{tabular}{lp{0.7\linewidth}r}
     &  & points \\
    \hline
    \fbox{\rule{0pt}{1ex}\rule{1ex}{0pt}} & \textsf{age} $\geq$ $40$ & 1 \\
    \hline
     & \raggedleft Total & \fbox{\rule{0pt}{2ex}\rule{2em}{0pt}} \\
    """
    return "\n".join(_latex_lines(card))


def _latex_lines(card: Scorecard) -> Iterator[str]:
    yield rf"\noindent {latex_text.escape(card.caption())}:\par\medskip"
    yield r"\noindent\begin{tabular}{lp{0.7\linewidth}r}"
    yield r" &  & points \\"
    yield r"\hline"
    for place, (points, condition) in enumerate(_point_rows(card, latex_table.typeset)):
        box = "" if card.start and not place else BOX
        yield rf"{box} & {condition} & {points} \\"
    yield r"\hline"
    name = "Score" if card.scale else "Total"
    yield rf" & \raggedleft {name} & \fbox{{\rule{{0pt}}{{2ex}}\rule{{2em}}{{0pt}}}} \\"
    yield r"\end{tabular}\par\medskip"
    yield from _latex_table(total_cells(card), "rrl")
    if card.cost is not None:
        yield from _latex_table(cost_cells(card.cost), "lrr")
        yield rf"\noindent {latex_text.escape(card.cost.decisions())}\par\medskip"
    notes = latex_text.escape(" ".join([*card.notes(), made_from(card)]))
    yield rf"\noindent {notes}\par"


def _latex_table(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    yield rf"\noindent\begin{{tabular}}{{{sides[: len(rows[0])]}}}"
    for place, row in enumerate(rows):
        end = r" \\ \hline" if place == 0 else r" \\"
        yield " & ".join(map(latex_text.escape, row)) + end
    yield r"\end{tabular}\par\medskip"
