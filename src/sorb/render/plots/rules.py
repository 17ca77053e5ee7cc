"""The rules of a model side by side: their votes, and how many rows they cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb.render.plots.labels import DIGITS, rule_label, score_label
from sorb.render.plots.style import (
    BLUE,
    GREY,
    HATCH,
    ROW_HEIGHT,
    VERMILION,
    align_labels_left,
    ensure_size,
    new_axes,
    row_positions,
    tidy,
)
from sorb.rules import RuleEnsemble, notation
from sorb.tables.weights import row_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_rules"]


def plot_rules(
    ensemble: RuleEnsemble,
    X: Any,
    sample_weight: Any = None,
    *,
    axes: Sequence[Axes] | None = None,
) -> Sequence[Axes]:
    """Draw the vote of each rule, and beside it the share of rows that the rule covers.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The rules.
    X : array or DataFrame
        The table whose rows are counted.
    sample_weight : array-like, optional
        The weights of its rows: a weight of k counts as k rows.
    axes : two matplotlib Axes, optional
        Where to draw votes and shares; new axes by default.

    Returns
    -------
    axes : two matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule
    >>> old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 1.82)
    >>> ensemble = RuleEnsemble(-2.97, (old,), ("age",), "logistic", ("well", "ill"))
    >>> votes, shares = plot_rules(ensemble, np.array([[39.0], [40.0], [41.0], [42.0]]))
    >>> [float(bar.get_width()) for bar in shares.patches]
    [75.0]
    """
    rules = ensemble.rules
    labels = [rule_label(ensemble, k) for k in range(len(rules))]
    place, end = row_positions(labels)
    pair = new_axes(8.2, 1.0 + ROW_HEIGHT * end, columns=2, sharey=True) if axes is None else axes
    votes, shares = pair
    for where, rule in zip(place, rules, strict=True):
        _draw_vote(votes, where, rule.vote)
    votes.axvline(0, color="black", linewidth=0.8)
    votes.margins(x=0.4)
    votes.tick_params(axis="y", length=0)
    votes.set_yticks(place, labels)
    align_labels_left(votes)
    votes.set_ylim(end, 0)
    votes.set_xlabel(score_label(ensemble, "adds to the ", width=30))
    covered = ensemble.covers(X)
    coverage = 100 * np.average(covered, axis=0, weights=row_weights(sample_weight, len(covered)))
    shares.barh(place, coverage, height=0.55, color=GREY)
    for where, share in zip(place, coverage, strict=True):
        shares.annotate(
            f"{share:.0f} %", (share, where), (3, 0), textcoords="offset points", va="center"
        )
    shares.set(xlim=(0, 112), xticks=range(0, 101, 25), xlabel="covers % of the rows")
    for panel in pair:
        tidy(panel, "x")
    if axes is None:
        ensure_size(votes, 4.5, 0.0)  # for both, which share the rest of the figure
    return pair


def _draw_vote(axes: Axes, place: float, vote: float) -> None:
    raises = vote >= 0
    style: dict[str, Any] = (
        {"color": BLUE} if raises else {"facecolor": "white", "edgecolor": VERMILION}
    )
    axes.barh(place, vote, height=0.55, hatch=None if raises else HATCH, **style)
    axes.annotate(
        notation.signed(vote, DIGITS),
        (vote, place),
        (3 if raises else -3, 0),
        textcoords="offset points",
        ha="left" if raises else "right",
        va="center",
    )
