"""Which rules the models of each size hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sklearn.utils.validation import check_is_fitted

from sorb.render.plots.labels import condition_label, escape, quantity, shorten
from sorb.render.plots.style import (
    BLACK,
    BLUE,
    DASHED,
    HATCH,
    ROW_HEIGHT,
    VERMILION,
    align_labels_left,
    ensure_size,
    new_axes,
    row_positions,
    tidy,
)
from sorb.rules import Condition, Rule, RuleEnsemble, notation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sorb.learning.stages import Stage

__all__ = ["plot_stages"]

LABEL_WIDTH = 48
RAISES, LOWERS = "positive vote", "negative vote"
LOOKS: dict[str, dict[str, Any]] = {
    RAISES: {"facecolor": BLUE, "edgecolor": BLUE},
    LOWERS: {"facecolor": "white", "edgecolor": VERMILION, "hatch": HATCH},
}

Place: TypeAlias = tuple[Condition, int]


def plot_stages(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw which rules the models of each size hold, up to the size of the model.

    Each rule is a row, and its bar reaches over the complexities whose best model holds it. The
    models are not nested: a rule of a small one may be replaced in a larger one, and the vote of a
    rule may change its sign. For other sizes, pass ``model.at(complexity=…)``.

    Parameters
    ----------
    model : fitted estimator
        The model, and those of other sizes in its `stages_`.
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
    >>> model = LLTBoostRegressor(max_rules=1, selection=None).fit(X, X[:, 0] > 20)
    >>> ax = plot_stages(model)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x0 ≤ 21']
    """
    check_is_fitted(model)
    ensemble = model.ensemble_
    stages = [stage for stage in model.stages_ if stage.complexity <= model.complexity_]
    rules = _distinct_rules(stages)
    labels = [_label(ensemble, rule) for rule in rules.values()]
    middles, end = row_positions(labels)
    axes = new_axes(7.2, 1.2 + ROW_HEIGHT * end) if ax is None else ax
    places = dict(zip(rules, middles.tolist(), strict=True))
    for (place, kind), spans in _bars(stages).items():
        starts = [start for start, _ in spans]
        lengths = [end - start for start, end in spans]
        axes.barh(places[place], lengths, height=0.6, left=starts, label=kind, **LOOKS[kind])
    text = f"the model: {quantity(len(ensemble), 'rule')}, complexity {model.complexity_}"
    axes.axvline(model.complexity_, color=BLACK, linewidth=1, linestyle=DASHED, label=text)
    axes.set_yticks(middles, labels)
    align_labels_left(axes)
    axes.set(ylim=(end, 0), xlim=(0, _end(stages)))
    axes.set_xlabel("complexity of the model")
    tidy(axes, "x")
    _add_legend(axes)
    if ax is None:
        ensure_size(axes, 3.4, ROW_HEIGHT * end)
    return axes


def _distinct_rules(stages: Sequence[Stage]) -> dict[Place, Rule]:
    """Find the rules of all models, whatever their votes, in the order of their appearance."""
    rules: dict[Place, Rule] = {}
    for stage in stages:
        for rule in stage.ensemble:
            rules.setdefault((rule.condition, rule.output), rule)
    return rules


def _bars(stages: Sequence[Stage]) -> dict[tuple[Place, str], list[tuple[int, int]]]:
    """Find where each rule is held with a vote of either sign: from which complexity to which."""
    bars: dict[tuple[Place, str], list[tuple[int, int]]] = {}
    ends = [*(stage.complexity for stage in stages[1:]), _end(stages)]
    for stage, end in zip(stages, ends, strict=True):
        for rule in stage.ensemble:
            kind = RAISES if rule.vote >= 0 else LOWERS
            spans = bars.setdefault(((rule.condition, rule.output), kind), [])
            continued = bool(spans) and spans[-1][1] == stage.complexity
            start = spans.pop()[0] if continued else stage.complexity
            spans.append((start, end))
    return bars


def _end(stages: Sequence[Stage]) -> int:
    """Give the end of the axis, where the last model has some room, too."""
    return stages[-1].complexity + max(1, stages[-1].complexity // 10)


def _label(ensemble: RuleEnsemble, rule: Rule) -> str:
    digits, units = ensemble.shown_digits(), dict(ensemble.units)
    condition = condition_label(rule.condition, digits, units, LABEL_WIDTH)
    if not (ensemble.loss.score_per_class and ensemble.classes):
        return condition
    return escape(f"{shorten(notation.label(ensemble.classes[rule.output]))}: ") + condition


def _add_legend(axes: Axes) -> None:
    """Explain each look once, above the axes."""
    looks = {label: artist for artist, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    labels = sorted(looks, key=lambda label: label not in LOOKS)
    axes.legend(
        [looks[label] for label in labels],
        labels,
        edgecolor="none",
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=2,
    )
