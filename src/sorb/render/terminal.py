"""Rules in the terminal: in colour if it has colours, otherwise as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from sorb.rules import RuleEnsemble, rule_lines
from sorb.rules.shown_digits import Digits

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["show", "to_rich"]

# Named colours, for which terminals choose readable shades; votes and names are also set in bold,
# for readers who do not see colours.
STYLES: dict[str, str] = {
    "number": "cyan",
    "power": "cyan",
    "name": "bold",
    "category": "green",
    "word": "magenta",
    "unit": "italic",
}
VOTE = "bold cyan"

# Nobody reads a larger model as coloured text, which takes a kilobyte for each part of a condition.
MOST_COLOURED = 10_000


def show(ensemble: RuleEnsemble, digits: Digits = "auto", file: TextIO | None = None) -> None:
    """Print the rules of a model: in colour if the output is a terminal, otherwise as plain text.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The rules; in plain text if their complexity is more than 10,000.
    digits : int, "auto" or None, default="auto"
        The number of significant digits; thresholds get one more. None means all, and "auto" as
        many as `print(ensemble)` shows.
    file : file, optional
        Where to print; standard output by default. The plain text is `ensemble.describe(digits)`.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> show(RuleEnsemble(-2.97, (old,), ("age",), "squared"))
    The prediction, as a sum of votes (1 rule, complexity 3):
    −2.97  always
    +1.82  if  age ≥ 40
    """
    from rich.console import Console

    console = Console(file=file, highlight=False)
    in_colour = console.is_terminal or console.is_jupyter
    if in_colour and ensemble.complexity <= MOST_COLOURED:
        # The terminal itself breaks long lines.
        console.print(to_rich(ensemble, digits), soft_wrap=True)
    else:
        console.file.write(f"{ensemble.describe(digits)}\n")


def to_rich(ensemble: RuleEnsemble, digits: Digits = "auto") -> Text:
    """Give the rules as a `rich.text.Text`, for instance for a panel or a table.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The rules.
    digits : int, "auto" or None, default="auto"
        The number of significant digits; thresholds get one more. None means all, and "auto" as
        many as `print(ensemble)` shows.

    Examples
    --------
    >>> from sorb import Condition, Proposition, Rule
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> print(to_rich(RuleEnsemble(-2.97, (old,), ("age",), "squared")).plain.splitlines()[2])
    +1.82  if  age ≥ 40
    """
    from rich.text import Text

    count = ensemble.shown_digits(digits)
    lines = ensemble.lines(count)
    written = Text(f"{ensemble.caption()}:")
    for start, line in zip(rule_lines.line_starts(lines, count), lines, strict=True):
        vote = len(start) - len(start.lstrip()) + len(start.split()[0])
        written.append("\n")
        written.append(start[:vote], VOTE)
        written.append(f"{start[vote:]}  ")
        for token in line.clause:
            written.append(token.text, STYLES.get(token.kind))
    return written
