"""How a model grew: what each round added, and the risk after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sorb.render.plots.labels import condition_label
from sorb.render.plots.style import (
    BLUE,
    DASHED,
    ROW_HEIGHT,
    VERMILION,
    ensure_size,
    new_axes,
    row_positions,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_stages"]


def plot_stages(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw what each round of training added, from top to bottom, and the risk after it.

    Beside the risk on the training rows stands the risk on the validation rows, which chose the
    rule of the round. They differ from round to round, so this risk jumps a little.

    Parameters
    ----------
    model : fitted estimator
        The model.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import LLTBoostRegressor
    >>> X = np.arange(60.0).reshape(30, 2)
    >>> model = LLTBoostRegressor(max_rules=1).fit(X, X[:, 0] > 20)
    >>> ax = plot_stages(model)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['without rules', 'rule 1: x0 ≤ 21']
    """
    stages = model.stages_
    labels = [_label(stage.ensemble) for stage in stages]
    place, end = row_positions(labels)
    axes = new_axes(7.2, 1.2 + ROW_HEIGHT * end) if ax is None else ax
    training = [stage.train_risk for stage in stages]
    validation = [stage.validation_risk for stage in stages]
    axes.plot(training, place, color=BLUE, marker="o", label="on training rows")
    if not np.isnan(validation).all():
        label = "on the round's validation rows"
        axes.plot(validation, place, color=VERMILION, marker="^", linestyle=DASHED, label=label)
    axes.set_yticks(place, labels)
    axes.set_ylim(end, 0)
    axes.set_xlabel(f"risk after the round ({model.ensemble_.loss.risk})")
    tidy(axes, "both")
    axes.locator_params(axis="x", nbins=5)
    axes.legend(edgecolor="none", loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    if ax is None:
        ensure_size(axes, 3.4, ROW_HEIGHT * end)
    return axes


def _label(ensemble: Any) -> str:
    if not len(ensemble):
        return "without rules"
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    condition = condition_label(ensemble[-1].condition, digits, units)
    return f"rule {len(ensemble)}: {condition}"
