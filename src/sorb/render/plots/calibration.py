"""What a model expects, against what happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float, Index
from sorb.measures.estimate import QUANTILE, wilson
from sorb.render.plots.labels import DIGITS, outcome_label
from sorb.render.plots.style import BLUE, DASHED, GREY, new_axes, tidy, visible_span
from sorb.rules import RuleEnsemble, notation
from sorb.rules.field_checks import check_natural
from sorb.tables.targets import Outcomes
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_calibration"]

STRIP, N_BARS = 0.16, 25


def plot_calibration(
    ensemble: RuleEnsemble,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    exposure: Any = None,
    n_groups: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw what happened against what was expected, for groups of rows with similar expectations.

    On the diagonal both agree. The rows are sorted by what is expected and divided into groups of
    about equal size; rows with the same expectation stay together. For two classes the expectation
    is the probability of the second one; for more, the probability of the predicted class, and
    what happened is how often the prediction was right; otherwise it is the prediction. The bars
    at the bottom count the rows.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    X : array or DataFrame
        A table, preferably of test rows.
    y : array-like
        The outcomes of its rows.
    sample_weight : array-like, optional
        The weights of its rows: a weight of k counts as k rows, also for the intervals.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates.
    n_groups : int, default=10
        The largest number of groups, at least 1.
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
    >>> ax = plot_calibration(ensemble, table, ["well", "well", "ill", "well"])
    >>> ax.get_xlabel()
    'probability of ill'
    """
    if check_natural(n_groups, "n_groups") < 1:
        raise ValueError(f"n_groups must be at least 1, found {n_groups}")
    values = ensemble(X)
    weight = row_weights(sample_weight, len(values))
    counted = weight > 0
    known = Outcomes.of(ensemble, y, weight, exposure)
    outcomes, total_exposure = known.y[counted], known.weight[counted]
    expectation, weight = ensemble.loss.mean(values[counted]), weight[counted]
    if np.isinf(expectation).any():
        row = np.flatnonzero(counted)[np.isinf(expectation)][0]
        raise ValueError(f"the expected outcome of row {row} is infinite: expected a finite one")
    if ensemble.loss.score_per_class:
        outcomes = (expectation.argmax(axis=1) == outcomes).astype(np.float64)
        expectation = expectation.max(axis=1)
    group = _groups(expectation, total_exposure, n_groups)
    rows = np.bincount(group, total_exposure).astype(np.float64)
    expected_mean = np.bincount(group, total_exposure * expectation) / rows
    observed = np.bincount(group, total_exposure * outcomes) / rows
    classes = ensemble.loss.has_classes
    low, high = (
        _share_interval(observed, rows)
        if classes
        else _mean_interval(outcomes, weight, total_exposure / weight, group, observed)
    )
    axes = new_axes(5.4, 5.0) if ax is None else ax
    _draw(axes, expected_mean, observed, low, high, unit=classes)
    _draw_counts(axes, expectation, weight)
    _write_labels(axes, ensemble)
    return axes


def _groups(expectation: Float, weight: Float, n_groups: int) -> Index:
    """Divide rows into groups of about equal size; equal expectations share a group."""
    distinct = np.unique(expectation, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(distinct, weight)
    middle = np.cumsum(sizes) - sizes / 2
    group = np.floor(middle / sizes.sum() * n_groups)
    found: Index = np.unique(group, return_inverse=True)[1].reshape(-1)[distinct]
    return found


def _share_interval(share: Float, rows: Float) -> tuple[Float, Float]:
    """Wilson's interval, which stays between 0 and 1 even if all outcomes of a group are equal."""
    found = [wilson(*pair) for pair in zip(share.tolist(), rows.tolist(), strict=True)]
    low, high = np.array([(one.low, one.high) for one in found]).T
    return low, high


def _mean_interval(
    outcomes: Float, weight: Float, exposure: Float, group: Index, mean: Float
) -> tuple[Float, Float]:
    """The interval of a mean, in which each row counts as much as its exposure."""
    rows, total = np.bincount(group, weight), np.bincount(group, weight * exposure)
    gaps = exposure * (outcomes - mean[group])
    unit = np.abs(gaps).max() or 1.0  # so that no square is beyond the floats
    squares = np.bincount(group, weight * (gaps / unit) ** 2)
    half = QUANTILE * unit * np.sqrt(squares * rows / np.maximum(rows - 1, 1)) / total
    return mean - half, mean + half


def _draw(
    axes: Axes, expectation: Float, observed: Float, low: Float, high: Float, unit: bool
) -> None:
    ends = (
        (0.0, 1.0)
        if unit
        else (min(expectation.min(), low.min()), max(expectation.max(), high.max()))
    )
    axes.plot(ends, ends, color=GREY, linestyle=DASHED, label="as expected")
    reach = np.maximum(0, [observed - low, high - observed])
    axes.errorbar(
        expectation,
        observed,
        reach,
        color=BLUE,
        marker="o",
        linestyle="",
        capsize=3,
        elinewidth=1,
        label="observed, with 95 % interval",
    )
    axes.legend(edgecolor="none", loc="upper left")
    tidy(axes, "both")


def _draw_counts(axes: Axes, expectation: Float, weight: Float) -> None:
    """Draw a histogram of the rows along the horizontal axis."""
    low, high = axes.get_ylim()
    ticks = [tick for tick in axes.get_yticks() if low <= tick <= high]
    # The points stay above the bars, so the axis needs no ticks beside those.
    axes.set_yticks(ticks)
    axes.set_ylim(low - STRIP / (1 - STRIP) * (high - low), high)
    strip = axes.inset_axes((0, 0, 1, STRIP), sharex=axes)
    heights, edges = np.histogram(expectation, N_BARS, _range(expectation), weights=weight)
    style: dict[str, Any] = {"color": GREY, "edgecolor": "white", "linewidth": 0.4}
    strip.bar(edges[:-1], heights, np.diff(edges), align="edge", **style)
    strip.set_ylim(0, 1.25 * heights.max())
    strip.set_yticks([0, heights.max()], ["0", notation.number(float(heights.max()), DIGITS)])
    strip.yaxis.tick_right()
    strip.yaxis.set_label_position("right")
    strip.set_ylabel("rows", rotation=0, labelpad=12, va="center")
    strip.spines[["left", "top"]].set_visible(False)
    strip.tick_params(axis="x", labelbottom=False, bottom=False)
    strip.patch.set_visible(False)


def _range(values: Float) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = (visible_span(low, high, N_BARS) - (high - low)) / 2
    return low - room, high + room


def _write_labels(axes: Axes, ensemble: RuleEnsemble) -> None:
    if ensemble.loss.score_per_class:
        axes.set_xlabel("probability of the predicted class")
        axes.set_ylabel("share of rows predicted correctly")
        return
    axes.set_xlabel(outcome_label(ensemble))
    axes.set_ylabel(
        outcome_label(ensemble).replace("probability", "observed share", 1)
        if ensemble.loss.has_classes
        else "observed mean"
    )
