"""Models to be read: a `RuleEnsemble` comes in, text, a table or a picture goes out.

`show` prints a model, each `to_…` returns it in one format, and each `plot_…` draws one aspect of
it with matplotlib.
"""

from sorb.render.html_table import to_html
from sorb.render.latex_table import to_latex
from sorb.render.markdown_table import to_markdown
from sorb.render.plots import (
    plot_calibration,
    plot_contributions,
    plot_curve,
    plot_decision_curve,
    plot_projection,
    plot_regions,
    plot_rules,
    plot_stages,
)
from sorb.render.terminal import show, to_rich

__all__ = [
    "plot_calibration",
    "plot_contributions",
    "plot_curve",
    "plot_decision_curve",
    "plot_projection",
    "plot_regions",
    "plot_rules",
    "plot_stages",
    "show",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_rich",
]
