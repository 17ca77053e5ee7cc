"""What acting on a model's probabilities is worth, against acting on all rows or on none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Bool, Float
from sorb.render.plots.labels import outcome_label
from sorb.render.plots.style import BLUE, DASHED, DOTTED, GREY, new_axes, tidy
from sorb.rules import RuleEnsemble
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["net_benefit", "plot_decision_curve"]

THRESHOLDS = np.arange(1, 100) / 100


def plot_decision_curve(
    ensemble: RuleEnsemble,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the net benefit of acting on the predicted probabilities, for all thresholds.

    Acting (treating, testing, auditing) from a probability of p implies that one missed case weighs
    as much as (1 − p) / p needless actions. The net benefit is the share of rows rightly acted on,
    minus the share of needless actions at this exchange rate. A model is worth using at a threshold
    if its curve is above both others: acting on all rows, and on none.

    Parameters
    ----------
    ensemble : RuleEnsemble
        A model of two classes.
    X : array or DataFrame
        A table, preferably of test rows.
    y : array-like
        The classes of its rows.
    sample_weight : array-like, optional
        The weights of its rows: a weight of k counts as k rows.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    >>> ensemble = RuleEnsemble(-1.0, (old,), ("age",), "logistic", ("well", "ill"))
    >>> table = np.array([[30.0], [35.0], [50.0], [60.0]])
    >>> ax = plot_decision_curve(ensemble, table, ["well", "well", "ill", "well"])
    >>> ax.get_ylabel()
    'net benefit'
    """
    probability = ensemble.predict_proba(X)
    if probability.shape[1] != 2:
        raise ValueError(
            f"a decision curve is about two classes, but the model has {probability.shape[1]}"
        )
    weight = row_weights(sample_weight, len(probability))
    positive = Outcomes.of(ensemble, y, weight).y == 1
    axes = new_axes(5.4, 4.0) if ax is None else ax
    worth = net_benefit(probability[:, 1], positive, weight, THRESHOLDS)
    everybody = net_benefit(np.ones(len(weight)), positive, weight, THRESHOLDS)
    axes.plot(THRESHOLDS, worth, color=BLUE, label="model")
    axes.plot(THRESHOLDS, everybody, color=GREY, linestyle=DASHED, label="act on all rows")
    axes.axhline(0, color=GREY, linestyle=DOTTED, label="act on none")
    top = float(np.average(positive, weights=weight))
    # At high thresholds, acting on all rows costs without limit, which nobody needs to see.
    axes.set(xlim=(0, 1), ylim=(-0.3 * top or -0.05, 1.1 * top or 0.05))
    axes.set_xlabel(f"threshold: {outcome_label(ensemble)}")
    axes.set_ylabel("net benefit")
    axes.legend(edgecolor="none")
    tidy(axes, "both")
    return axes


def net_benefit(probability: Float, positive: Bool, weight: Float, thresholds: Float) -> Float:
    """Weigh right actions against needless ones, for each threshold for acting.

    Examples
    --------
    >>> import numpy as np
    >>> positive = np.array([True, False, False, True])
    >>> net_benefit(np.array([0.9, 0.6, 0.1, 0.2]), positive, np.ones(4), np.array([0.5]))
    array([0.])
    """
    acted = probability >= thresholds[:, None]
    right = acted @ (weight * positive)
    needless = acted @ (weight * ~positive)
    return np.asarray((right - needless * thresholds / (1 - thresholds)) / weight.sum())
