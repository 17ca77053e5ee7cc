"""What all pictures share: colours that all can tell apart, and texts that stay as they are."""

from __future__ import annotations

import re
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
        (BLUE, ">", DASHED),
        (VERMILION, "*", "-"),
        (GREEN, "p", DOTTED),
        (PURPLE, "h", (0, (5, 1.5, 1, 1.5))),
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
LONGEST_WORD, LABEL_WIDTH = 25, 50  # in letters, of a category and of the label of an axis
CATEGORY_ROOM, MOST_ROOM = 0.3, 40.0  # of one category, and of all, in inches
LETTERS = 15.0  # in an inch


def new_axes(width: float, height: float, columns: int = 1, **options: Any) -> Any:
    """Begin a figure of this size in inches, with one axes or some beside each other."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('plots are drawn by matplotlib: pip install "sorb[plot]"') from None
    return pyplot.subplots(1, columns, figsize=(width, height), layout="constrained", **options)[1]


def keep_room(axes: Axes, width: float, height: float) -> None:
    """Enlarge the figure, so that what is written around the axes leaves them so many inches."""
    figure: Any = axes.figure
    outside: Any = axes.get_tightbbox()
    needed = (outside.size - axes.bbox.size) / figure.dpi + np.array([width, height])
    figure.set_size_inches(np.maximum(figure.get_size_inches(), needed))


def tidy(axes: Axes, grid: str = "y") -> None:
    """Leave out what says nothing, and draw faint lines to read values by."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.7)  # type: ignore[arg-type]


def literal(written: str) -> str:
    """Keep matplotlib from taking dollar signs for mathematics."""
    return written.replace("$", r"\$")


def wrapped(written: str, width: int) -> str:
    """Break a text into lines of at most so many characters.

    They end at spaces if they can; what is too long for a line is broken at fixed spaces, or else
    after other signs, or else anywhere.

    Examples
    --------
    >>> print(wrapped("age and number_of_visits_to_the_doctor", 20))
    age and
    number_of_visits_to_
    the_doctor
    """
    lines = textwrap.wrap(written, width, break_long_words=False, break_on_hyphens=False)
    some = f".{{{width // 3},{width - 1}}}"
    pieces = re.compile(rf".{{1,{width}}}$|{some}\s|{some}[_\-/]|.{{1,{width}}}")
    return "\n".join(piece.strip() for line in lines for piece in pieces.findall(line))


def shortened(written: str) -> str:
    """Leave out the middle of a long word.

    Examples
    --------
    >>> shortened("Married, with the spouse in the armed forces")
    'Married, with …med forces'
    """
    if len(written) <= LONGEST_WORD:
        return written
    return f"{written[: LONGEST_WORD - 11]}…{written[-10:]}"


def condition_label(
    condition: Condition, digits: int | None, units: Mapping[str, str], width: int = 38
) -> str:
    """Write a condition as a label: each proposition begins a line, and terms stay whole."""
    written = "".join(map(_unbreakable, condition.tokens(digits, units)))
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


def category_room(categories: Sequence[Any]) -> float:
    """Give the inches that the names of categories need along an axis."""
    return min(CATEGORY_ROOM * len(categories), MOST_ROOM)


def name_categories(axis: Any, categories: Sequence[str]) -> None:
    """Write categories at the places 0, 1, …, aslant if they have no room beside each other."""
    names = [shortened(category) for category in categories]
    axis.set_ticks(np.arange(len(names)), [literal(name) for name in names])
    longest = max(map(len, names)) + 2
    if axis.axis_name == "x" and longest * len(names) > LETTERS * _inches_across(axis.axes):
        axis.set_tick_params(rotation=45)
        for label in axis.get_ticklabels():
            label.set(ha="right", rotation_mode="anchor")


def _inches_across(axes: Axes) -> float:
    return float(axes.bbox.width / axes.figure.dpi)


def legend_below(axes: Axes) -> None:
    """Explain the marks below all else, where they hide nothing."""
    from matplotlib.transforms import ScaledTranslation

    labels = axes.get_legend_handles_labels()[1]
    # The legend may be a little wider than the axes, and each mark has the width of some letters.
    fitting = 1.2 * LETTERS * _inches_across(axes) // (max(map(len, labels)) + 5)
    written: Any = axes.xaxis.get_tightbbox()
    below = (axes.bbox.y0 - written.y0) / axes.figure.dpi
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=axes.transAxes + ScaledTranslation(0, -below, axes.figure.dpi_scale_trans),
        edgecolor="none",
        ncols=int(min(max(1, fitting), 4)),
    )


def column_label(name: str, units: Mapping[str, str], width: int = LABEL_WIDTH) -> str:
    """Write the name of a column, with its unit, as the label of an axis."""
    return literal(wrapped(f"{name} ({units[name]})" if name in units else name, width))


def votes_label(ensemble: RuleEnsemble, start: str = "", width: int = LABEL_WIDTH) -> str:
    """Say in a few words what votes are, as the label of an axis."""
    if ensemble.loss == "logistic" and ensemble.classes:
        said = f"log-odds of {text.label(ensemble.classes[-1])}"
    else:
        said = {
            "squared": "prediction",
            "logistic": "log-odds of the positive class",
            "poisson": "logarithm of the expected count",
            "softmax": "score of the class",
        }[ensemble.loss]
    return literal(wrapped(start + said, width))


def outcome_label(ensemble: RuleEnsemble) -> str:
    """Say in a few words what is expected, as the label of an axis."""
    if ensemble.loss == "logistic":
        label = text.label(ensemble.classes[-1]) if ensemble.classes else "the positive class"
        return literal(wrapped(f"probability of {label}", LABEL_WIDTH))
    return {"squared": "prediction", "poisson": "expected count", "softmax": "probability"}[
        ensemble.loss
    ]


def count(number: float, noun: str) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "rule"), count(3, "rule"), count(2.5, "row")
    ('1 rule', '3 rules', '2.5 rows')
    """
    return f"{text.number(float(number), DIGITS)} {noun}{'' if number == 1 else 's'}"
