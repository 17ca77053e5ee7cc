"""Rules as a Markdown table."""

from __future__ import annotations

from sorb.rules import RuleEnsemble, notation
from sorb.rules.shown_digits import Digits

__all__ = ["escape", "mark_up", "to_markdown"]

# A backslash keeps a character from being markup. Those that separate cells or escape others must
# not appear in a cell at all.
ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "`*_[]<>~^"},
        **{character: f"&#{ord(character)};" for character in "|\\&$"},
    }
)


def to_markdown(ensemble: RuleEnsemble, digits: Digits = "auto") -> str:
    r"""Write rules as a Markdown table in the syntax of GitHub and most other programs.

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
    >>> old = Proposition(("age_now",), (1.0,), 40.0)
    >>> heavy = Proposition(("bmi",), (1.0,), 25.0)
    >>> rule = Rule(Condition((old, heavy)), 1.82)
    >>> print(to_markdown(RuleEnsemble(-2.97, (rule,), ("age_now", "bmi"), "squared")))
    The prediction, as a sum of votes (1 rule, complexity 5):
    <BLANKLINE>
    | vote | if |
    | ---: | :--- |
    | −2.97 | always |
    | +1.82 | age\_now ≥ 40 **and** bmi ≥ 25 |
    """
    count = ensemble.shown_digits(digits)
    lines = ensemble.lines(count)
    labelled = any(line.label for line in lines)
    heads = ["vote", *(["class"] if labelled else []), "if"]
    sides = ["---:", *[":---"] * (len(heads) - 1)]
    rows = [heads, sides]
    for line in lines:
        label = [escape(line.label)] if labelled else []
        condition = "".join(map(mark_up, line.condition))
        rows.append([notation.signed(line.vote, count), *label, condition])
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"{escape(ensemble.caption())}:\n\n{table}"


def escape(written: str) -> str:
    r"""Escape a text so that Markdown shows it unchanged.

    Examples
    --------
    >>> print(escape("<b> | a_b"))
    \<b\> &#124; a\_b
    """
    return written.translate(ESCAPES)


def mark_up(token: notation.Token) -> str:
    """Write a part of a printed condition."""
    if token.kind == "word" and token.text.strip() == "and":
        return " **and** "
    return escape(token.text)
