"""Diabetes by weight and height: rules about columns, and rules about their ratio."""

from __future__ import annotations

import textwrap
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import expit

from sorb._types import Float
from sorb.lab.curves import MissingResults
from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.figures.ratios import is_logarithm, original, with_ratios
from sorb.lab.figures.regions import chosen_model, summary
from sorb.render.plots.labels import escape
from sorb.render.plots.style import VERMILION
from sorb.rules import RuleEnsemble

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

SURVEYS = {
    "nhanes": "the survey NHANES 2017–18",
    "nhanes_standin": "generated people who stand in for NHANES; nobody was measured",
}
AXIS_PARALLEL, OBLIQUE = "TGB", ("sorb", "LLTB")  # the first of these with results
AGE = 50.0
WEIGHTS, HEIGHTS = (40.0, 140.0), (1.4, 2.05)  # kg and m
BODY_MASS_INDEX = 25.0
NEARLY_ALL = 0.9  # of the possible reduction of risk
AS_GOOD = 0.005


def body_mass_picture(results: pd.DataFrame) -> Picture:
    """Draw the probability of diabetes by both models at one age."""
    survey, models = _models(results)
    figure = new_figure(9.6, 5.4)
    panels = figure.subplots(1, 2, sharey=True)
    highest = max(float(_probabilities(ensemble)[2].max()) for ensemble, _ in models.values())
    for axes, (method, (ensemble, risk)) in zip(panels, models.items(), strict=True):
        mesh = _draw(axes, ensemble, highest)
        axes.set_title(f"{method}: {summary(ensemble, risk)}", fontsize=9)
        axes.set_xlabel(f"height in m\n\n{_wrap(ensemble)}", loc="left")
        axes.xaxis.label.set_fontsize(8)
    panels[0].set_ylabel("weight in kg")
    bar = figure.colorbar(mesh, ax=panels, label=f"probability of diabetes at age {AGE:.0f}")
    bar.ax.set_ylim(0, highest)
    return Picture(
        "body_mass",
        "Diabetes by weight and height",
        f"Data: {SURVEYS[survey]}. Right, the smallest oblique rules on the logarithms of the "
        "columns that give nearly all of the reduction of risk, written as ratios; left, the "
        "smallest axis-parallel rules that are as good, or else the best ones. The dashed line is "
        f"a body mass index of {BODY_MASS_INDEX:.0f}. First repetition; the L2 penalty is chosen "
        "by cross-validation for each size of model.",
        figure,
    )


def _models(results: pd.DataFrame) -> tuple[str, dict[str, tuple[RuleEnsemble, float]]]:
    """Choose the survey, and a model of each kind: ratios need the logarithms of the columns."""
    for survey, method in product(SURVEYS, OBLIQUE):
        oblique = _nearly_best(results, f"{survey}+log", method)
        if oblique is None:
            continue
        axis_parallel = chosen_model(results, survey, AXIS_PARALLEL, 1 - oblique[1] - AS_GOOD)
        if axis_parallel is not None:
            return survey, {AXIS_PARALLEL: axis_parallel, method: oblique}
    raise MissingResults("there are no rules of both TGB on nhanes and LLTB or sorb on nhanes+log")


def _nearly_best(
    results: pd.DataFrame, dataset: str, method: str
) -> tuple[RuleEnsemble, float] | None:
    best = chosen_model(results, dataset, method, reduction=1.0)
    return best and chosen_model(results, dataset, method, NEARLY_ALL * (1 - best[1]))


def _probabilities(ensemble: RuleEnsemble) -> tuple[Float, Float, Float]:
    height, weight = np.meshgrid(np.linspace(*HEIGHTS, 401), np.linspace(*WEIGHTS, 401))
    person = {"height": height, "weight": weight, "age": np.full(height.shape, AGE)}
    columns = {
        column: (np.log if is_logarithm(column) else np.asarray)(person[original(column)]).ravel()
        for column in ensemble.columns
    }
    probability = expit(ensemble(pd.DataFrame(columns))).reshape(height.shape)
    return height, weight, probability


def _draw(axes: Axes, ensemble: RuleEnsemble, highest: float) -> QuadMesh:
    height, weight, probability = _probabilities(ensemble)
    mesh = axes.pcolormesh(
        height, weight, probability, cmap="Blues", vmin=0, vmax=highest * 1.8, shading="nearest",
        rasterized=True,
    )  # fmt: skip
    levels = np.unique(probability)
    if len(levels) > 1:
        between = (levels[1:] + levels[:-1]) / 2
        axes.contour(height, weight, probability, levels=between, colors="black", linewidths=0.7)
    heights = np.linspace(*HEIGHTS, 201)
    index = BODY_MASS_INDEX * heights**2
    axes.plot(heights, index, color=VERMILION, linestyle="--", linewidth=2)
    axes.annotate(
        f"BMI {BODY_MASS_INDEX:.0f}", (heights[150], index[150]), color=VERMILION,
        xytext=(-6, 8), textcoords="offset points", ha="right",
    )  # fmt: skip
    axes.set(xlim=HEIGHTS, ylim=WEIGHTS)
    return mesh


def _wrap(ensemble: RuleEnsemble) -> str:
    lines = (
        textwrap.wrap(line, 66, subsequent_indent="        ", drop_whitespace=False)
        for line in with_ratios(ensemble).format().splitlines()
    )
    return escape("\n".join(piece for pieces in lines for piece in pieces))
