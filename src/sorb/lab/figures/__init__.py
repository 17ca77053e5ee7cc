"""Figures made from results: the paper's, and some for what it only says in words.

In come the rows of a run; out comes a `Picture`, a matplotlib figure with a title and a caption,
which saves itself as PNG, SVG and PDF. To add a figure, write a function from the rows to a
`Picture` in a file of its own, and name it in `FIGURES`.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from sorb.lab.figures.body_mass import body_mass_picture
from sorb.lab.figures.iterations import iterations_picture
from sorb.lab.figures.picture import Picture, settings
from sorb.lab.figures.regions import regions_picture
from sorb.lab.figures.strategies import strategies_picture
from sorb.lab.figures.trade_offs import trade_off_picture
from sorb.render.plots.style import quiet_layout

__all__ = ["FIGURES", "Picture"]

DrawFigure = Callable[[pd.DataFrame], Picture]


def _styled(draw: DrawFigure) -> DrawFigure:
    """Draw with our own settings, whatever the user's are, and then fix the layout."""

    def picture(results: pd.DataFrame) -> Picture:
        with settings():
            drawn = draw(results)
            with quiet_layout():
                drawn.figure.draw_without_rendering()
            drawn.figure.set_layout_engine("none")
        return drawn

    return picture


FIGURES: Mapping[str, DrawFigure] = {
    "risk_cv": _styled(lambda results: trade_off_picture(results, "risk_cv", "cv", "risk")),
    "risk_oracle": _styled(
        lambda results: trade_off_picture(results, "risk_oracle", "oracle", "risk")
    ),
    "error_cv": _styled(lambda results: trade_off_picture(results, "error_cv", "cv", "error")),
    "regions": _styled(regions_picture),
    "strategies": _styled(strategies_picture),
    "body_mass": _styled(body_mass_picture),
    "iterations": _styled(iterations_picture),
}
"""Functions that draw each figure from the rows of a run, or raise `MissingResults`."""
