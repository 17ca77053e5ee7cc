"""Models to be read: a `RuleEnsemble` comes in, text, a table or a picture goes out.

`show` prints a model, and each `to_…` returns it in one format. Each `scorecard_…` does this for a
scorecard, and each `plot_…` draws one aspect of a model with matplotlib.
"""

from sorb.render.html_table import to_html
from sorb.render.latex_table import to_latex
from sorb.render.markdown_table import to_markdown
from sorb.render.plots import (
    plot_calibration,
    plot_contributions,
    plot_curve,
    plot_decision_curve,
    plot_nomogram,
    plot_projection,
    plot_regions,
    plot_rules,
    plot_stability,
    plot_stages,
)
from sorb.render.scorecard_page import scorecard_page
from sorb.render.scorecard_tables import scorecard_latex, scorecard_markdown
from sorb.render.terminal import show, to_rich

__all__ = [
    "plot_calibration",
    "plot_contributions",
    "plot_curve",
    "plot_decision_curve",
    "plot_nomogram",
    "plot_projection",
    "plot_regions",
    "plot_rules",
    "plot_stability",
    "plot_stages",
    "scorecard_latex",
    "scorecard_markdown",
    "scorecard_page",
    "show",
    "to_html",
    "to_latex",
    "to_markdown",
    "to_rich",
]
