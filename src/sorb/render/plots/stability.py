"""How often each rule of a model is found again, and with which votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sorb.render.plots.labels import rule_label, score_label
from sorb.render.plots.style import (
    BLUE,
    GREY,
    ROW_HEIGHT,
    align_labels_left,
    ensure_size,
    new_axes,
    row_positions,
    tidy,
)
from sorb.resampling import Stability
from sorb.rules import RuleEnsemble

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_stability"]


def plot_stability(
    found: Stability, ensemble: RuleEnsemble, *, axes: Sequence[Axes] | None = None
) -> Sequence[Axes]:
    """Draw how often each rule was found again, and beside it between which votes.

    Parameters
    ----------
    found : Stability
        What `sorb.stability` found.
    ensemble : RuleEnsemble
        The model that it is about.
    axes : two matplotlib Axes, optional
        Where to draw shares and votes; new axes by default.

    Returns
    -------
    axes : two matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb import LLTBoostClassifier, stability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = LLTBoostClassifier(max_rules=2, selection=None).fit(X, y)
    >>> found = stability(model, X, y, n_resamples=4, n_jobs=1)
    >>> shares, votes = plot_stability(found, model.ensemble_)
    >>> shares.get_xlabel()
    'found in % of 4 resamples'
    """
    if len(found.rules) != len(ensemble):
        raise ValueError(
            f"the model has {len(ensemble)} rules, but the result is about {len(found.rules)}: "
            "draw it with the model that it was computed for"
        )
    labels = [rule_label(ensemble, k) for k in range(len(ensemble))]
    place, end = row_positions(labels)
    pair = new_axes(8.2, 1.2 + ROW_HEIGHT * end, columns=2, sharey=True) if axes is None else axes
    shares, votes = pair
    for height, color, values, words in (
        (0.55, GREY, [rule.found for rule in found.rules], "some rule that decides alike"),
        (0.22, BLUE, [rule.same_columns for rule in found.rules], "one with the same columns"),
    ):
        percent = [100 * value for value in values]
        shares.barh(place, percent, height=height, color=color, label=words)
    for where, rule in zip(place, found.rules, strict=True):
        shares.annotate(
            f"{100 * rule.found:.0f} %",
            (100 * rule.found, where),
            (3, 0),
            textcoords="offset points",
            va="center",
        )
    shares.set_yticks(place, labels)
    shares.tick_params(axis="y", length=0)
    align_labels_left(shares)
    shares.set(
        xlim=(0, 118),
        ylim=(end, 0),
        xticks=range(0, 101, 25),
        xlabel=f"found in % of {found.n_resamples} resamples",
    )
    _draw_votes(votes, place, found, ensemble)
    for panel in pair:
        tidy(panel, "x")
    shares.legend(
        loc="lower left", bbox_to_anchor=(0, 1), frameon=False, borderaxespad=0.2, fontsize="small"
    )
    if axes is None:
        ensure_size(shares, 4.5, 0.0)
    return pair


def _draw_votes(axes: Axes, place: Any, found: Stability, ensemble: RuleEnsemble) -> None:
    for where, rule, stable in zip(place, ensemble, found.rules, strict=True):
        if stable.vote is not None:
            axes.plot([stable.vote.lower, stable.vote.upper], [where, where], color=GREY, lw=5)
        axes.plot([rule.vote], [where], "o", color="black", ms=4)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.margins(x=0.15)
    axes.set_xlabel(score_label(ensemble, "vote on the ", width=30))
    axes.set_title("dot: this model; bar: 90 % of the others", fontsize="small", loc="left")
