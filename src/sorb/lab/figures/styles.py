"""How methods look in all figures; markers and line styles tell them apart without colour."""

from __future__ import annotations

from typing import Any

from sorb.render.plots.labels import escape, shorten
from sorb.render.plots.style import (
    BLACK,
    BLUE,
    DASHED,
    DOTTED,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
)

PALE_BLUE, PALE_VERMILION, HATCH = "#dcebf5", "#fbe6da", "#efc3a8"
SOLID, DOT_DASHED = "-", (0, (5, 1.5, 1, 1.5))

STYLES: dict[str, tuple[str, str, Any]] = {
    "sorb": (BLACK, "*", SOLID),
    "sorb-axis": (BLACK, "+", DASHED),
    "sorb-model": (BLACK, "8", SOLID),
    "LLTB": (BLUE, "o", SOLID),
    "LLTB-append": (SKY, "p", DASHED),
    "TGB": (VERMILION, "^", DASHED),
    "TGB-gs": (VERMILION, "v", DOTTED),
    "TGB-orth": (ORANGE, "<", DOT_DASHED),
    "RFObTr": (GREEN, "s", DOT_DASHED),
    "NRE": (PURPLE, "D", DOTTED),
    "EBM": (ORANGE, "P", SOLID),
    "BRS": (GREY, "X", DASHED),
    "RuleFit": (GREEN, ">", DOTTED),
    "FIGS": (PURPLE, "h", DASHED),
    "BoostedRules": (GREY, "d", DOT_DASHED),
    "RiskScore": (SKY, "H", DOT_DASHED),
    "TAO": (BLUE, "x", DOT_DASHED),
    "Linear": (SKY, "d", SOLID),
    "CART": (BLACK, "x", DOTTED),
    "HGB": (GREY, "", (0, (1, 2))),
}
OTHERS = ((BLACK, "1", DOTTED), (BLUE, "2", DOT_DASHED), (GREEN, "3", SOLID), (PURPLE, "4", SOLID))


LONGEST_NAME = 60  # in characters


def name_label(name: str) -> str:
    r"""Write the name of a dataset or method, which may be anything, as a label.

    Examples
    --------
    >>> from sorb.lab.figures.styles import name_label
    >>> print(name_label("$x"))
    \$x
    """
    written = escape(shorten(name, LONGEST_NAME))
    # A legend leaves out what begins with an underscore.
    return f" {written}" if written.startswith("_") else written


def style_of(method: str, place: int = 0) -> dict[str, Any]:
    """Return colour, marker and line style; `place` tells the user's own methods apart.

    Examples
    --------
    >>> from sorb.lab.figures.styles import style_of
    >>> style_of("LLTB")["marker"]
    'o'
    """
    color, marker, style = STYLES.get(method, OTHERS[place % len(OTHERS)])
    return {"color": color, "marker": marker, "linestyle": style}
