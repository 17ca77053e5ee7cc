"""How rules read: numbers in few digits, names that cannot be misread, lines that align."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["ALWAYS", "Line", "html_table", "linear", "name", "number", "rule_lines"]

ALWAYS = "True"
MINUS = "−"
RESERVED = frozenset({"and", "if", ALWAYS})

# Between these, a number is easier to read without an exponent.
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e9

TABLE_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums"
CAPTION_STYLE = "caption-side: bottom; text-align: left; padding: 0.3em 0.6em; opacity: 0.8"
CELL_STYLE = "text-align: left; vertical-align: top; padding: 0.2em 0.6em"
WEIGHT_STYLE = "text-align: right; vertical-align: top; padding: 0.2em 0.6em; white-space: nowrap"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a printed ensemble: what is added, to which class, and when."""

    weight: float
    condition: str
    label: str = ""


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
    return _plain_number(value, digits).replace("-", MINUS)


def _plain_number(value: float, digits: int | None) -> str:
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


def _signed(value: float, digits: int | None) -> str:
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
    # A name like ".5" would read as a number.
    return (
        text not in RESERVED
        and not text.startswith(".")
        and text.replace(".", "_").isidentifier()
        and text.isprintable()
    )


def label(value: object) -> str:
    """Write a class label: text like a name, anything else as Python does."""
    return name(value) if isinstance(value, str) else str(value)


def meaning(loss: str, classes: Sequence[object] | None) -> str:
    """Say what the decision values of a loss are.

    Examples
    --------
    >>> meaning("logistic", ("no", "yes"))
    'The log-odds of yes against no'
    """
    if loss == "logistic":
        against = " against ".join(label(value) for value in reversed(classes or ()))
        return f"The log-odds of {against or 'the positive class'}"
    return {
        "squared": "The prediction",
        "poisson": "The logarithm of the expected count",
        "softmax": "The score of each class",
    }[loss]


def linear(
    columns: Sequence[str], weights: Sequence[float], threshold: float, digits: int | None
) -> str:
    """Write "the weighted sum of these columns is at least the threshold" without a leading minus.

    Examples
    --------
    >>> linear(("age",), (-2.0,), -80.0, 3)
    'age ≤ 40'
    >>> linear(("petal", "sepal"), (1.72, -2.0), -1.0, 3)
    '0.86 petal − sepal ≥ −0.5'
    """
    weights, threshold = _readable_scale(weights, threshold, digits)
    relation = "≥"
    if weights[0] < 0:
        weights, threshold, relation = [-w for w in weights], -threshold, "≤"
    total = _term(columns[0], weights[0], digits)
    for column, weight in zip(columns[1:], weights[1:], strict=True):
        total += f" {MINUS if weight < 0 else '+'} {_term(column, abs(weight), digits)}"
    return f"{total} {relation} {number(threshold, _threshold_digits(digits))}"


def _term(column: str, weight: float, digits: int | None) -> str:
    factor = number(weight, digits)
    return name(column) if factor == "1" else f"{factor} {name(column)}"


def _threshold_digits(digits: int | None) -> int | None:
    # A threshold stands for a place on the user's own scale, so it gets one digit more.
    return None if digits is None else digits + 1


def _readable_scale(
    weights: Sequence[float], threshold: float, digits: int | None
) -> tuple[Sequence[float], float]:
    # Scaling rounds. So all digits means no scaling, and short numbers that scaling would make
    # long (2 a − 3 b ≥ 5) stay as they are.
    if digits is None:
        return weights, threshold
    largest = max(map(abs, weights))
    scaled, scaled_threshold = [w / largest for w in weights], threshold / largest
    if not _same_zeros((*scaled, scaled_threshold), (*weights, threshold)):
        return weights, threshold
    if not _is_short(scaled, scaled_threshold, digits) and _is_short(weights, threshold, digits):
        return weights, threshold
    return scaled, scaled_threshold


def _same_zeros(scaled: Sequence[float], values: Sequence[float]) -> bool:
    # Division can overflow, or underflow to zero.
    return all(
        math.isfinite(s) and (s == 0) == (v == 0) for s, v in zip(scaled, values, strict=True)
    )


def _is_short(weights: Sequence[float], threshold: float, digits: int) -> bool:
    return _reads_back(threshold, digits + 1) and all(_reads_back(w, digits) for w in weights)


def _reads_back(value: float, digits: int) -> bool:
    return float(_plain_number(value, digits)) == value


def rule_lines(lines: Sequence[Line], digits: int | None) -> str:
    """Write lines under each other, with weights aligned at the decimal point.

    Examples
    --------
    >>> print(rule_lines([Line(-2.5, "True"), Line(12.0, "age ≥ 40")], 3))
     −2.5  if  True
    +12    if  age ≥ 40
    """
    weights = _align_at_point([_signed(line.weight, digits) for line in lines])
    width = max(len(line.label) for line in lines)
    labels = [f" {line.label.ljust(width)}" if width else "" for line in lines]
    return "\n".join(
        f"{weight}{label}  if  {line.condition}"
        for weight, label, line in zip(weights, labels, lines, strict=True)
    )


def _align_at_point(numbers: Sequence[str]) -> list[str]:
    parts = [text.partition(".") for text in numbers]
    left = max(len(whole) for whole, _, _ in parts)
    right = max(len(point + fraction) for _, point, fraction in parts)
    return [whole.rjust(left) + (point + fraction).ljust(right) for whole, point, fraction in parts]


def html_table(lines: Sequence[Line], caption: str, digits: int | None) -> str:
    """Write lines as an HTML table that takes its colours from the page around it."""
    labelled = any(line.label for line in lines)
    heads = ["weight", *(["class"] if labelled else []), "if"]
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
        f'<tr><td style="{WEIGHT_STYLE}">{_signed(line.weight, digits)}</td>{label}'
        f'<td style="{CELL_STYLE}">{escape(line.condition)}</td></tr>'
    )
