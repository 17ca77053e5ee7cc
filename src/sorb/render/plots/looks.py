"""What all pictures share: colours that all can tell apart, and texts that stay as they are."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sorb.rules import Condition, RuleEnsemble, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# From the palette of Okabe and Ito; line styles, markers and hatches serve where colours do not.
BLACK, BLUE, VERMILION, GREEN = "#000000", "#0072B2", "#D55E00", "#009E73"
ORANGE, SKY, PURPLE, GREY = "#E69F00", "#56B4E9", "#CC79A7", "#777777"
PALE_BLUE, PALE_GREY, HATCH = "#cfe3f1", "#ececec", "///"
DASHED, DOTTED = (0, (4, 1.5)), (0, (1, 1.2))

SERIES: tuple[dict[str, Any], ...] = tuple(
    {"color": color, "marker": marker, "linestyle": style}
    for color, marker, style in (
        (BLUE, "o", "-"),
        (VERMILION, "^", DASHED),
        (GREEN, "s", (0, (5, 1.5, 1, 1.5))),
        (PURPLE, "D", DOTTED),
        (ORANGE, "v", "-"),
        (BLACK, "P", DASHED),
        (SKY, "X", (0, (5, 1.5, 1, 1.5))),
        (GREY, "<", DOTTED),
    )
)

# What the mean loss is called.
RISKS = {
    "squared": "half the mean squared error",
    "logistic": "mean log loss",
    "softmax": "mean log loss",
    "poisson": "half the mean Poisson deviance",
}

DIGITS = 3
FIXED_SPACE = "\u00a0"
ROW_HEIGHT, LINE_HEIGHT = 0.5, 0.38  # of a row in inches, of a line of its label in rows


def new_axes(width: float, height: float, columns: int = 1, **options: Any) -> Any:
    """Begin a figure of this size in inches, with one axes or some beside each other."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('plots are drawn by matplotlib: pip install "sorb[plot]"') from None
    return pyplot.subplots(1, columns, figsize=(width, height), layout="constrained", **options)[1]


def tidy(axes: Axes, grid: str = "y") -> None:
    """Leave out what says nothing, and draw faint lines to read values by."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)  # type: ignore[arg-type]


def literal(written: str) -> str:
    """Keep matplotlib from taking dollar signs for mathematics."""
    return written.replace("$", r"\$")


def wrapped(written: str, width: int) -> str:
    """Break a text into lines of at most so many characters, where there are spaces."""
    return "\n".join(textwrap.wrap(written, width, break_long_words=False, break_on_hyphens=False))


def condition_label(condition: Condition, units: Mapping[str, str], width: int = 38) -> str:
    """Write a condition as a label: each proposition begins a line, and terms are not torn."""
    written = "".join(map(_unbreakable, condition.tokens(DIGITS, units)))
    parts = written.split("\n")
    return literal("\n".join(wrapped(part, width) for part in parts).replace(FIXED_SPACE, " "))


def _unbreakable(token: text.Token) -> str:
    if token.kind == "word" and token.text.strip() == "and":
        return f"\nand{FIXED_SPACE}"
    if token.kind == "word":
        return token.text
    if token.kind == "operator" and token.text.strip():
        return f" {token.text.strip()}{FIXED_SPACE}" if token.text[0] == " " else token.text
    return token.text.replace(" ", FIXED_SPACE)


def rows_for(labels: Sequence[str]) -> tuple[NDArray[np.float64], float]:
    """Give labels of some lines room below each other: their places, and where the last ends."""
    heights = [max(1.0, LINE_HEIGHT * (label.count("\n") + 1.5)) for label in labels]
    ends = np.cumsum(heights)
    return ends - np.array(heights) / 2, float(ends[-1]) if heights else 1.0


def legend_below(axes: Axes) -> None:
    """Explain the marks where they hide nothing."""
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), edgecolor="none", ncols=3)


def column_label(name: str, units: Mapping[str, str]) -> str:
    """Write the name of a column, with its unit, as the label of an axis."""
    return literal(f"{name} ({units[name]})" if name in units else name)


def votes_label(ensemble: RuleEnsemble) -> str:
    """Say in a few words what votes are, as the label of an axis."""
    if ensemble.loss == "logistic" and ensemble.classes:
        return literal(f"log-odds of {text.label(ensemble.classes[-1])}")
    return {
        "squared": "prediction",
        "logistic": "log-odds of the positive class",
        "poisson": "logarithm of the expected count",
        "softmax": "score of the class",
    }[ensemble.loss]


def outcome_label(ensemble: RuleEnsemble) -> str:
    """Say in a few words what is expected, as the label of an axis."""
    if ensemble.loss == "logistic":
        label = text.label(ensemble.classes[-1]) if ensemble.classes else "the positive class"
        return literal(f"probability of {label}")
    return {"squared": "prediction", "poisson": "expected count", "softmax": "probability"}[
        ensemble.loss
    ]


def count(number: int, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "rule"), count(3, "rule")
    ('1 rule', '3 rules')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
