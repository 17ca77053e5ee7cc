"""How numbers, names and labels are written, and the tokens of printed conditions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = [
    "ALWAYS",
    "IF",
    "MINUS",
    "Token",
    "Tokens",
    "check_digits",
    "count",
    "join_tokens",
    "label",
    "name",
    "number",
    "plain_number",
    "printable",
    "signed",
]

MINUS = "−"
RESERVED = frozenset(
    {"always", "and", "if", "in", "measured", "missing", "not", "or", "True", "False"}
)

# Between these, numbers are easier to read without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e9
# No float has as many.
MOST_DIGITS = 1000


TokenKind: TypeAlias = Literal[
    "number", "name", "operator", "relation", "word", "unit", "power", "category"
]


class Token(NamedTuple):
    """A part of a printed condition, and its kind; the joined texts are what is printed."""

    kind: TokenKind
    text: str


Tokens: TypeAlias = tuple[Token, ...]
ALWAYS: Tokens = (Token("word", "always"),)
IF = Token("word", "if  ")


def join_tokens(tokens: Iterable[Token]) -> str:
    """Write tokens as one text."""
    return "".join(token.text for token in tokens)


def check_digits(digits: Any) -> int | None:
    """Return a number of significant digits that can be printed; None means all.

    Examples
    --------
    >>> check_digits(0)
    Traceback (most recent call last):
    ...
    ValueError: digits must be a whole number from 1 to 1000, or None for all digits, found 0
    """
    is_whole = isinstance(digits, Integral) and not isinstance(digits, bool)
    if digits is None or (is_whole and 1 <= digits <= MOST_DIGITS):
        return None if digits is None else int(digits)
    raise (ValueError if is_whole else TypeError)(
        f"digits must be a whole number from 1 to {MOST_DIGITS}, or None for all digits, "
        f"found {digits!r}"
    )


def number(value: float, digits: int | None) -> str:
    """Write a number in `digits` significant digits, or in all it has if `digits` is None.

    Digits before the decimal point are never rounded away: 123457 is no harder to read than
    123000, and says more.

    Examples
    --------
    >>> [number(value, 3) for value in (0.8567, -40.0, 123456.7, 1.5e-7, 2e12)]
    ['0.857', '−40', '123457', '1.5e−7', '2e12']
    >>> number(0.1 + 0.2, None)
    '0.30000000000000004'
    """
    return plain_number(value, digits).replace("-", MINUS)


def plain_number(value: float, digits: int | None) -> str:
    """Write a number as `number` does, but with the ASCII minus sign, so that `float` reads it."""
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
    """Write a number with its sign, even if it is positive."""
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
    return printable(json.dumps(text, ensure_ascii=False))


def printable(text: str, kept: str = "") -> str:
    r"""Escape, as in JSON, what has no sign of its own but changes how others are shown.

    These are control characters, which a terminal would obey, and invisible ones, such as those
    that reverse the direction of writing. Those in `kept` stay as they are.

    Examples
    --------
    >>> print(printable("no \x1b[2J\u202e\n", kept="\n"), end="")
    no \u001b[2J\u202e
    """
    return "".join(c if c.isprintable() or c in kept else json.dumps(c)[1:-1] for c in text)


def _is_plain_word(text: str) -> bool:
    # A name like ".5" would read as a number, and one like "a·b" as a product.
    return (
        text not in RESERVED
        and not text.startswith(".")
        and "·" not in text
        and text.replace(".", "_").isidentifier()
        and text.isprintable()
    )


def count(things: int, noun: str) -> str:
    """Write how many things there are, in digits alone, as numbers are written everywhere.

    Examples
    --------
    >>> count(1, "rule"), count(3, "rule"), count(12345, "row")
    ('1 rule', '3 rules', '12345 rows')
    """
    return f"{things} {noun}{'' if things == 1 else 's'}"


def label(value: object) -> str:
    """Write the label of a class or category: strings like names, anything else as Python does."""
    return name(value) if isinstance(value, str) else str(value)
