"""How rules read: numbers in few digits, names that cannot be misread, lines that align."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple, TypeAlias

from sorb.losses import Loss

__all__ = [
    "ALWAYS",
    "Line",
    "Token",
    "Tokens",
    "html_table",
    "joined",
    "label",
    "line_starts",
    "meaning",
    "name",
    "number",
    "plain_number",
    "rule_lines",
]

MINUS = "−"
RESERVED = frozenset(
    {"always", "and", "if", "in", "known", "missing", "not", "or", "True", "False"}
)

# Between these, a number is easier to read without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e9

TABLE_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
CAPTION_STYLE = "caption-side: bottom; text-align: left; padding: 0.3em 0.6em; opacity: 0.8"
CELL_STYLE = "text-align: left; vertical-align: top; padding: 0.2em 0.6em"
WEIGHT_STYLE = "text-align: right; vertical-align: top; padding: 0.2em 0.6em; white-space: nowrap"


Kind: TypeAlias = Literal[
    "number", "name", "operator", "relation", "word", "unit", "power", "category"
]


class Token(NamedTuple):
    """A part of a printed condition, and what it is; joined, the texts are what is printed."""

    kind: Kind
    text: str


Tokens: TypeAlias = tuple[Token, ...]
ALWAYS: Tokens = (Token("word", "always"),)
IF = Token("word", "if  ")


def joined(tokens: Iterable[Token]) -> str:
    """Write tokens as one text."""
    return "".join(token.text for token in tokens)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a printed ensemble: what is added, to which class, and when."""

    vote: float
    condition: Tokens
    label: str = ""

    @property
    def clause(self) -> Tokens:
        """What is printed after the vote: "always", or "if" and the condition."""
        return self.condition if self.condition == ALWAYS else (IF, *self.condition)


def number(value: float, digits: int | None) -> str:
    """Write a number in `digits` significant digits, or in all it has if `digits` is None.

    Whole numbers keep all their digits, and nothing in front of the decimal point is rounded
    away, because 123457 is no harder to read than 123000 and says more.

    Examples
    --------
    >>> [number(value, 3) for value in (0.8567, -40.0, 123456.7, 1.5e-7, 2e12)]
    ['0.857', '−40', '123457', '1.5e−7', '2e12']
    >>> number(0.1 + 0.2, None)
    '0.30000000000000004'
    """
    if digits is not None and digits < 1:
        raise ValueError(f"digits must be at least 1, found {digits}")
    return plain_number(value, digits).replace("-", MINUS)


def plain_number(value: float, digits: int | None) -> str:
    """Write a number as `number` does, with the minus sign that a computer reads."""
    if value.is_integer() and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    if digits is None:
        return _tidy_exponent(repr(value))
    scientific = f"{value:.{digits - 1}e}"
    if not SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return _tidy_exponent(scientific)
    exponent = int(scientific.partition("e")[2])
    return _strip_zeros(f"{value:.{max(0, digits - 1 - exponent)}f}")


def _tidy_exponent(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return _strip_zeros(mantissa) + (f"e{int(exponent)}" if e else "")


def _strip_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed(value: float, digits: int | None) -> str:
    """Write a number with its sign, also if that is a plus."""
    text = number(value, digits)
    return text if text.startswith(MINUS) else f"+{text}"


def name(text: str) -> str:
    r"""Write a plain word as it is, and any other name in double quotes, escaped as in JSON.

    Examples
    --------
    >>> print(name("petal.length"), name("5 o'clock"), name('the "best"'))
    petal.length "5 o'clock" "the \"best\""
    """
    if _is_plain_word(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in quoted)


def _is_plain_word(text: str) -> bool:
    # A name like ".5" would read as a number, and one like "a·b" as a product.
    return (
        text not in RESERVED
        and not text.startswith(".")
        and "·" not in text
        and text.replace(".", "_").isidentifier()
        and text.isprintable()
    )


def label(value: object) -> str:
    """Write a class label: text like a name, anything else as Python does."""
    return name(value) if isinstance(value, str) else str(value)


def meaning(loss: Loss, classes: Sequence[object] | None) -> str:
    """Say what the decision values of a loss are.

    Examples
    --------
    >>> from sorb.losses import Logistic
    >>> meaning(Logistic(), ("no", "yes"))
    'The log-odds of yes against no'
    """
    return f"The {loss.score_words([label(value) for value in classes or ()])}"


def rule_lines(lines: Sequence[Line], digits: int | None) -> str:
    """Write lines under each other, with weights aligned at the decimal point.

    Examples
    --------
    >>> print(rule_lines([Line(-2.5, ALWAYS), Line(12.0, (Token("name", "ill"),))], 3))
     −2.5  always
    +12    if  ill
    """
    starts = zip(line_starts(lines, digits), lines, strict=True)
    return "\n".join(f"{start}  {joined(line.clause)}" for start, line in starts)


def line_starts(lines: Sequence[Line], digits: int | None) -> list[str]:
    """Write the vote and the class of each line, all equally wide."""
    votes = aligned_at_point([signed(line.vote, digits) for line in lines])
    width = max(len(line.label) for line in lines)
    labels = [f" {line.label.ljust(width)}" if width else "" for line in lines]
    return [vote + label for vote, label in zip(votes, labels, strict=True)]


def aligned_at_point(numbers: Sequence[str]) -> list[str]:
    """Fill numbers up with spaces so that their decimal points stand under each other."""
    parts = [text.partition(".") for text in numbers]
    left = max(len(whole) for whole, _, _ in parts)
    right = max(len(point + fraction) for _, point, fraction in parts)
    return [whole.rjust(left) + (point + fraction).ljust(right) for whole, point, fraction in parts]


def html_table(lines: Sequence[Line], caption: str, digits: int | None) -> str:
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


def _html_row(line: Line, labelled: bool, digits: int | None) -> str:
    label = f'<td style="{CELL_STYLE}">{escape(line.label)}</td>' if labelled else ""
    return (
        f'<tr><td style="{WEIGHT_STYLE}">{signed(line.vote, digits)}</td>{label}'
        f'<td style="{CELL_STYLE}">{escape(joined(line.condition))}</td></tr>'
    )
