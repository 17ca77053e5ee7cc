"""Pictures of models, legible in print and without colour, one function each.

They are drawn by matplotlib, which comes with ``pip install "sorb[plot]"``. Each function draws on
the axes it is given, or on new ones, and gives them back, so that titles, limits and labels can
be changed as in any other picture.
"""

from sorb.render.plots.calibration import plot_calibration
from sorb.render.plots.contributions import plot_contributions
from sorb.render.plots.curve import plot_curve
from sorb.render.plots.decision_curve import plot_decision_curve
from sorb.render.plots.projection import plot_projection
from sorb.render.plots.regions import plot_regions
from sorb.render.plots.rules import plot_rules
from sorb.render.plots.stages import plot_stages

__all__ = [
    "plot_calibration",
    "plot_contributions",
    "plot_curve",
    "plot_decision_curve",
    "plot_projection",
    "plot_regions",
    "plot_rules",
    "plot_stages",
]
