"""Showing models: as text for the terminal, documents and pages, and as pictures."""

from sorb.render.html_table import html
from sorb.render.latex_table import latex
from sorb.render.markdown_table import markdown
from sorb.render.plots import (
    plot_calibration,
    plot_contributions,
    plot_curve,
    plot_projection,
    plot_regions,
    plot_rules,
    plot_stages,
)
from sorb.render.terminal import colored, show

__all__ = [
    "colored",
    "html",
    "latex",
    "markdown",
    "plot_calibration",
    "plot_contributions",
    "plot_curve",
    "plot_projection",
    "plot_regions",
    "plot_rules",
    "plot_stages",
    "show",
]
