"""Risk against complexity, and the chosen model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sorb.render.plots.labels import quantity
from sorb.render.plots.style import BLACK, BLUE, DASHED, GREY, VERMILION, new_axes, tidy
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sorb.rules import RuleEnsemble

__all__ = ["plot_curve"]


def plot_curve(
    model: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the risk against the complexity of the model, and mark the chosen model.

    Without a table, it is the cross-validated risk with its standard error, against the mean
    complexity over the folds. With a table of test rows, it is their risk after each rule, beside
    that of the training rows.

    Parameters
    ----------
    model : fitted estimator
        Without a table, `LLTBoostClassifierCV` or `LLTBoostRegressorCV`.
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
    >>> model = LLTBoostRegressor(max_rules=2).fit(X, X[:, 0] > 20)
    >>> ax = plot_curve(model, X, X[:, 0] > 20)
    >>> ax.get_ylabel()
    'risk (half the mean squared error)'
    """
    axes = new_axes(6.4, 4.2) if ax is None else ax
    complexity = "complexity of the model: rules + propositions + weights"
    if X is not None:
        _draw_stages(axes, model, X, y, sample_weight, exposure)
    elif hasattr(model, "curve_"):
        _draw_cross_validation(axes, model)
        complexity += " (mean over folds)"
    else:
        raise ValueError(
            f"{type(model).__name__} was not cross-validated: pass test rows as X and y"
        )
    tidy(axes)
    axes.set_xlabel(complexity)
    axes.set_ylabel(f"risk ({model.ensemble_.loss.risk})")
    axes.legend(edgecolor="none")
    return axes


def _draw_stages(axes: Axes, model: Any, X: Any, y: Any, sample_weight: Any, exposure: Any) -> None:
    ensembles = [stage.ensemble for stage in model.stages_]
    values = [ensemble(X) for ensemble in ensembles]
    weight = row_weights(sample_weight, len(values[0]))
    outcomes = Outcomes.of(model.ensemble_, y, weight, exposure)
    test = [outcomes.risk(value) for value in values]
    complexity = [ensemble.complexity for ensemble in ensembles]
    training = [stage.train_risk for stage in model.stages_]
    axes.plot(complexity, test, color=BLUE, marker="o", label="on test rows")
    axes.plot(
        complexity,
        training,
        color=VERMILION,
        marker="^",
        linestyle=DASHED,
        label="on training rows",
    )
    _mark(axes, "the model", complexity[-1], test[-1], model.ensemble_)


def _draw_cross_validation(axes: Axes, model: Any) -> None:
    curve = model.curve_
    chosen = int(np.flatnonzero(curve.reg_lambda == model.reg_lambda_)[0])
    others = [k for k in range(len(curve.reg_lambda)) if k != chosen]
    for k in others:
        label = "other penalties" if k == others[0] else None
        axes.plot(
            curve.complexity[k],
            curve.risk[k],
            color=GREY,
            linewidth=0.8,
            linestyle=":",
            label=label,
        )
    axes.errorbar(
        curve.complexity[chosen],
        curve.risk[chosen],
        curve.standard_error[chosen],
        color=BLUE,
        marker="o",
        capsize=3,
        elinewidth=1,
        label=f"penalty {model.reg_lambda_:g}, ± one standard error",
    )
    if model.selection == "one_se":
        lowest = np.unravel_index(np.argmin(curve.risk), curve.risk.shape)
        limit = curve.risk[lowest] + curve.standard_error[lowest]
        label = "lowest risk + one standard error"
        axes.axhline(limit, color=BLACK, linewidth=1, linestyle=DASHED, label=label)
    place = (chosen, model.n_rules_)
    _mark(axes, "chosen", curve.complexity[place], curve.risk[place], model.ensemble_)


def _mark(axes: Axes, what: str, complexity: float, height: float, ensemble: RuleEnsemble) -> None:
    """Put a star on the model."""
    axes.plot(
        complexity,
        height,
        marker="*",
        markersize=17,
        color=BLACK,
        markeredgecolor="white",
        linestyle="",
        zorder=5,
        label=f"{what}: {quantity(len(ensemble), 'rule')}, complexity {ensemble.complexity}",
    )
