"""The texts in pictures: shortened, wrapped, and never read as mathematics."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from sorb.rules import Condition, RuleEnsemble, notation

__all__ = [
    "DIGITS",
    "FIXED_SPACE",
    "LABEL_WIDTH",
    "LONGEST_WORD",
    "column_label",
    "condition_label",
    "escape",
    "outcome_label",
    "quantity",
    "rule_label",
    "score_label",
    "shorten",
    "wrap",
]

DIGITS = 3
FIXED_SPACE = "\u00a0"
LONGEST_WORD, LABEL_WIDTH = 25, 50  # of a category and of an axis label, in characters
LONGEST_NAME, LONGEST_TEXT = 120, 240  # of a name in a label, and of a sentence with names


def escape(written: str) -> str:
    """Escape dollar signs, which would start mathematics in matplotlib, and invisible signs."""
    return notation.printable(written, kept=f"\n{FIXED_SPACE}").replace("$", r"\$")


def wrap(written: str, width: int) -> str:
    """Break a text into lines of at most `width` characters.

    Lines end at spaces if possible. A word that is too long for a line is broken at fixed spaces,
    otherwise after an underscore, hyphen or slash, otherwise anywhere.

    Examples
    --------
    >>> print(wrap("age and number_of_visits_to_the_doctor", 20))
    age and
    number_of_visits_to_
    the_doctor
    """
    lines = textwrap.wrap(written, width, break_long_words=False, break_on_hyphens=False)
    some = f".{{{width // 3},{width - 1}}}"
    pieces = re.compile(rf".{{1,{width}}}$|{some}\s|{some}[_\-/]|.{{1,{width}}}")
    return "\n".join(piece.strip() for line in lines for piece in pieces.findall(line))


def shorten(written: str, most: int = LONGEST_WORD) -> str:
    """Leave out the middle of a word of more than `most` characters.

    Examples
    --------
    >>> shorten("Married, with the spouse in the armed forces")
    'Married, with …med forces'
    """
    if len(written) <= most:
        return written
    return f"{written[: most - 11]}…{written[-10:]}"


def condition_label(
    condition: Condition, digits: int | None, units: Mapping[str, str], width: int = 38
) -> str:
    """Write a condition as a label: each proposition starts a line, and terms stay whole."""
    written = "".join(map(_unbreakable, condition.tokens(digits, units)))
    parts = written.split("\n")
    return escape("\n".join(wrap(part, width) for part in parts).replace(FIXED_SPACE, " "))


def rule_label(ensemble: RuleEnsemble, number: int) -> str:
    """Write a rule of an ensemble with its number, and with its class if there are several."""
    rule = ensemble[number]
    condition = condition_label(rule.condition, ensemble.shown_digits(), dict(ensemble.units))
    if ensemble.loss.score_per_class and ensemble.classes:
        condition = (
            escape(f"{shorten(notation.label(ensemble.classes[rule.output]))}: ") + condition
        )
    return f"rule {number + 1}: {condition}"


def _unbreakable(token: notation.Token) -> str:
    if token.kind == "word" and token.text.strip() == "and":
        return f"\nand{FIXED_SPACE}"
    if token.kind == "word":
        return token.text
    if token.kind == "operator" and token.text.strip():
        return f" {token.text.strip()}{FIXED_SPACE}" if token.text[0] == " " else token.text
    return shorten(token.text, LONGEST_NAME).replace(" ", FIXED_SPACE)


def column_label(name: str, units: Mapping[str, str], width: int = LABEL_WIDTH) -> str:
    """Write the name of a column, with its unit, as an axis label."""
    written = shorten(name, LONGEST_NAME)
    return escape(wrap(f"{written} ({units[name]})" if name in units else written, width))


def score_label(ensemble: RuleEnsemble, start: str = "", width: int = LABEL_WIDTH) -> str:
    """Say in a few words what the votes add up to, as an axis label."""
    return escape(wrap(shorten(start + ensemble.vote_words(), LONGEST_TEXT), width))


def outcome_label(ensemble: RuleEnsemble) -> str:
    """Say in a few words what the model expects, as an axis label."""
    return escape(wrap(shorten(ensemble.outcome_words(), LONGEST_TEXT), LABEL_WIDTH))


def quantity(number: float, noun: str) -> str:
    """Write a number and its noun.

    Examples
    --------
    >>> quantity(1, "rule"), quantity(3, "rule"), quantity(2.5, "row")
    ('1 rule', '3 rules', '2.5 rows')
    """
    return f"{notation.number(float(number), DIGITS)} {noun}{'' if number == 1 else 's'}"
