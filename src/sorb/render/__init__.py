"""Models to be read: a `RuleEnsemble` comes in, text, a table or a picture goes out.

`show` prints a model, and each `to_…` returns it in one format. Each `scorecard_…` does this for a
scorecard, and each `plot_…` draws one aspect of a model with matplotlib.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sorb.render.html_table import to_html
from sorb.render.latex_table import to_latex
from sorb.render.markdown_table import to_markdown
from sorb.render.terminal import show, to_rich

if TYPE_CHECKING:
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
    from sorb.render.scorecard_html import scorecard_page
    from sorb.render.scorecard_tables import scorecard_latex, scorecard_markdown

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

# The module of what is imported on first use: to show a model does not take scikit-learn.
_MODULES = {
    **dict.fromkeys((name for name in __all__ if name.startswith("plot_")), "plots"),
    "scorecard_latex": "scorecard_tables",
    "scorecard_markdown": "scorecard_tables",
    "scorecard_page": "scorecard_html",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"sorb.render.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
