"""Pictures of models: an ensemble, an estimator or an explanation comes in, matplotlib axes go out.

Each function draws one picture, legible in print and without colour, on the axes that it is given
or on new ones. It returns the axes, so that titles, limits and labels can be changed. matplotlib
comes with ``pip install "sorb[plot]"``.
"""

from sorb.render.plots.calibration import plot_calibration
from sorb.render.plots.contributions import plot_contributions
from sorb.render.plots.curve import plot_curve
from sorb.render.plots.decision_curve import plot_decision_curve
from sorb.render.plots.nomogram import plot_nomogram
from sorb.render.plots.projection import plot_projection
from sorb.render.plots.regions import plot_regions
from sorb.render.plots.rules import plot_rules
from sorb.render.plots.stability import plot_stability
from sorb.render.plots.stages import plot_stages

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
]
