"""Decision regions of the models of the two-dimensional example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sorb.lab.curves import MissingResults, with_chosen_penalty
from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.figures.styles import HATCH, PALE_BLUE, PALE_VERMILION, name_label
from sorb.lab.statistics import MAX_COMPLEXITY
from sorb.lab.tables.models import smallest
from sorb.render.plots.style import BLUE
from sorb.rules import ModelFormatError, RuleEnsemble, notation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DATASET, METHODS = "synthetic", ("LLTB", "TGB")
BORDER = 1.0  # the points of the unit square belong to the class where x1 + x2 < 1
REDUCTION = 0.75
REGIONS = ((PALE_VERMILION, "///"), (PALE_BLUE, ""))


def regions_picture(results: pd.DataFrame) -> Picture:
    """Draw the decision regions of oblique and of axis-parallel rules."""
    found = {method: chosen_model(results, DATASET, method) for method in METHODS}
    models = {method: model for method, model in found.items() if model}
    if not models:
        raise MissingResults(f"there are no rules for {DATASET}")
    figure = new_figure(4.3 * len(models), 5.2)
    panels = figure.subplots(1, len(models), sharey=True, squeeze=False)[0]
    for axes, (method, (ensemble, risk)) in zip(panels, models.items(), strict=True):
        _draw(axes, ensemble)
        axes.set_title(f"{method}: {summary(ensemble, risk)}", fontsize=9)
    figure.legend(handles=_keys(), loc="outside lower center", ncols=2, frameon=False)
    return Picture(
        "regions",
        "Decision regions for points on both sides of an oblique border",
        "The smallest model of the first repetition that reduces the test risk by at least 75 %, "
        "or else the best one up to complexity 100. The L2 penalty is chosen by cross-validation "
        "for each size of model.",
        figure,
    )


def chosen_model(
    results: pd.DataFrame, dataset: str, method: str, reduction: float = REDUCTION
) -> tuple[RuleEnsemble, float] | None:
    """Return the smallest rules with this reduction of the test risk, or else the best."""
    rows = results[(results["dataset"] == dataset) & (results["method"] == method)]
    rows = with_chosen_penalty(rows, "cv")
    rows = rows[rows["model"].notna() & (rows["complexity"] <= MAX_COMPLEXITY)]
    if rows.empty:
        return None
    row = smallest(rows, reduction)
    if row is None:
        row = rows.sort_values(["test_risk", "complexity"]).iloc[0]
    try:
        return RuleEnsemble.from_json(row["model"]), float(row["test_risk"])
    except ModelFormatError:
        return None


def summary(ensemble: RuleEnsemble, risk: float) -> str:
    """Describe the size and the test risk of a model."""
    rules = notation.count(len(ensemble), "rule")
    return f"{rules}, complexity {ensemble.complexity}, test risk {risk:.2f}"


def _draw(axes: Axes, ensemble: RuleEnsemble) -> None:
    side = np.linspace(0, 1, 501)
    x1, x2 = np.meshgrid(side, side)
    positive = ensemble(np.column_stack([x1.ravel(), x2.ravel()])).reshape(x1.shape) > 0
    colors, hatches = zip(*REGIONS, strict=True)
    levels = [-0.5, 0.5, 1.5]
    filled = axes.contourf(x1, x2, positive, levels=levels, colors=colors, hatches=hatches)
    filled.set(edgecolor=HATCH, linewidth=0)
    if positive.any() and not positive.all():
        axes.contour(x1, x2, positive, levels=[0.5], colors=BLUE, linewidths=1.4)
    axes.plot([0, BORDER], [BORDER, 0], "k--", linewidth=1.8)
    axes.set(xlabel=name_label(ensemble.columns[0]), xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_ylabel(name_label(ensemble.columns[1]))
    axes.label_outer()


def _keys() -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    labels = ("the model says above the border", "the model says below the border")
    keys: list[Any] = [
        Patch(facecolor=color, hatch=hatch, edgecolor=HATCH, linewidth=0, label=label)
        for (color, hatch), label in zip(REGIONS, labels, strict=True)
    ]
    found = Line2D([], [], color=BLUE, linewidth=1.4, label="the model's border")
    true = Line2D([], [], color="black", linestyle="--", label="the true border, x1 + x2 = 1")
    return [*keys, found, true]
