"""Risk against complexity, and the chosen model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sorb.measures.stage_risks import comparable_stages, has_class_weights, weigh_classes
from sorb.render.plots.labels import quantity
from sorb.render.plots.style import (
    BLACK,
    BLUE,
    DASHED,
    GREY,
    PALE_BLUE,
    VERMILION,
    new_axes,
    tidy,
    visible_span,
)
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sorb._types import Float
    from sorb.learning.risk_curve import RiskCurve

__all__ = ["plot_curve"]

LIMITS = {
    "near_best": "near the lowest",
    "one_se": "lowest + one standard error",
}


def plot_curve(
    model: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the log loss or its like against the complexity, and mark the model with a star.

    What is drawn is the log loss of classes, or the mean squared error, the Poisson, gamma or
    Tweedie deviance of numbers. Without a table, it is the cross-validated one of the best model
    within each complexity, with its penalty and a band of one standard error to each side. The
    least complexity below the dashed limit is chosen, if it is clearly better than no rules, and
    the model of the nearest complexity is used; there is no limit with `selection="best"`. With a
    table of test rows, it is that of all `stages_` on them, beside that on the training rows. If
    classes were weighted, they are everywhere, and what `recalibrate` did is left out.

    Parameters
    ----------
    model : fitted estimator
        Without a table, one whose size was chosen by cross-validation: it has a `curve_`.
    X : array-like or DataFrame of shape (n_samples, n_features), optional
        Test rows.
    y : array-like of shape (n_samples,), optional
        Their outcomes.
    sample_weight : array-like of shape (n_samples,), optional
        Their weights: a weight of k counts as k rows.
    exposure : array-like of shape (n_samples,), optional
        What their outcomes accumulated over, such as years, for a model of rates.
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
    >>> model = LLTBoostRegressor(max_rules=2, selection=None).fit(X, X[:, 0] > 20)
    >>> ax = plot_curve(model, X, X[:, 0] > 20)
    >>> ax.get_ylabel()
    'mean squared error'
    """
    check_is_fitted(model)
    if X is None and y is not None:
        raise ValueError("y needs the test rows that it belongs to: pass X, too")
    axes = new_axes(6.4, 4.2) if ax is None else ax
    if X is not None:
        _draw_stages(axes, model, X, y, sample_weight, exposure)
    elif hasattr(model, "curve_"):
        _draw_cross_validation(axes, model)
    else:
        raise ValueError(
            f"{type(model).__name__} was not cross-validated: pass test rows as X and y"
        )
    tidy(axes)
    axes.set_xlabel("complexity of the model: rules + propositions + coefficients")
    weighted = ", with class weights" if has_class_weights(model) else ""
    axes.set_ylabel(model.ensemble_.loss.measure + weighted)
    axes.legend(edgecolor="none")
    return axes


def _draw_stages(axes: Axes, model: Any, X: Any, y: Any, sample_weight: Any, exposure: Any) -> None:
    stages = comparable_stages(model)
    scores = [stage.ensemble(X) for stage in stages]
    weight = row_weights(sample_weight, len(scores[0]))
    outcomes = Outcomes.of(model.ensemble_, y, weight, exposure)
    outcomes = weigh_classes(outcomes, model.ensemble_, model)
    complexity = [stage.complexity for stage in stages]
    measured = model.ensemble_.loss.measured
    test = [measured(outcomes.risk(values)) for values in scores]
    training = [measured(stage.train_risk) for stage in stages]
    axes.plot(complexity, test, color=BLUE, marker="o", markersize=4, label="on test rows")
    axes.plot(
        complexity,
        training,
        color=VERMILION,
        marker="^",
        markersize=4,
        linestyle=DASHED,
        label="on training rows",
    )
    _mark(axes, test[complexity.index(model.complexity_)], model)


def _draw_cross_validation(axes: Axes, model: Any) -> None:
    curve, unit = model.curve_, model.ensemble_.loss.measured(1.0)
    place = curve.along(model.stages_)
    used = sorted({stage.reg_lambda for stage in model.stages_})
    _draw_single_penalties(axes, curve, used, unit)
    risk, error = unit * curve.risk[place], unit * curve.standard_error[place]
    penalty = f"penalty {used[0]:g}" if len(used) == 1 else "each size with its penalty"
    label = f"{penalty}, ± one standard error"
    axes.plot(curve.complexity, risk, color=BLUE, linewidth=2, label=label)
    axes.fill_between(curve.complexity, risk - error, risk + error, color=PALE_BLUE, linewidth=0)
    if model.selection in LIMITS and not np.isnan(curve.risk).all():
        limit = unit * curve.limit(model.selection)[place]
        label = LIMITS[model.selection]
        axes.plot(curve.complexity, limit, color=BLACK, linewidth=1, linestyle=DASHED, label=label)
    _limit_height(axes, risk - error, risk + error)
    # Models of all rows may be more complex than those of the folds, of which the last ones count.
    budget = min(model.complexity_, len(risk) - 1)
    _mark(axes, risk[budget], model)


def _draw_single_penalties(axes: Axes, curve: RiskCurve, used: list[float], unit: float) -> None:
    """Draw the risks with one penalty for all sizes, except for the one that all sizes have."""
    others = [k for k, value in enumerate(curve.reg_lambda.tolist()) if [value] != used]
    for k in others:
        label = "one penalty for all sizes" if k == others[0] else None
        look: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": ":"}
        axes.plot(curve.complexity, unit * curve.risk[k], label=label, **look)


def _limit_height(axes: Axes, low: Float, high: Float) -> None:
    """Leave out what is far above the band, as the risk of penalties that are too small may be."""
    if np.isfinite(low).any():
        bottom, top = low[np.isfinite(low)].min(), high[np.isfinite(high)].max()
        room = 0.05 * visible_span(bottom, top)
        axes.set_ylim(min(bottom - room, axes.get_ylim()[0]), top + room)


def _mark(axes: Axes, height: float, model: Any) -> None:
    """Put a star on the model."""
    rules, complexity = quantity(len(model.ensemble_), "rule"), model.complexity_
    axes.plot(
        complexity,
        height,
        marker="*",
        markersize=17,
        color=BLACK,
        markeredgecolor="white",
        linestyle="",
        zorder=5,
        label=f"the model: {rules}, complexity {complexity}",
    )
