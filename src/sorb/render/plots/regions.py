"""What a model says for all values of one or two columns, with the others fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb.outcomes import Outcomes
from sorb.render.plots.grid import Side, expected_on, fixed_values, side
from sorb.render.plots.looks import (
    DIGITS,
    FIXED_SPACE,
    column_label,
    literal,
    new_axes,
    outcome_label,
    wrapped,
)
from sorb.render.plots.surfaces import draw_line, draw_surface
from sorb.rules import RuleEnsemble, text
from sorb.rules.columns import Table, column_source

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_regions"]


def plot_regions(
    ensemble: RuleEnsemble,
    columns: str | Sequence[str],
    X: Table,
    y: Any = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a model says for all values of one or two columns.

    The other columns that the rules use have the same value throughout, which stands above the
    picture. Rules are true or false, so there are regions in which the model says the same; each
    is labelled with what it says.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    columns : str, or sequence of one or two str
        The columns to draw, across and upwards. With one, what the model says is drawn upwards.
    X : array or DataFrame
        A table. It tells from where to where to draw, and what the other columns usually are: the
        median, or the most frequent category.
    y : array-like, optional
        The outcomes of its rows. If they are given, the rows are drawn as points (at most 400 of
        them), although most have other values in the other columns.
    fixed : mapping from str to float or category, optional
        What the other columns shall be instead.
    ax : matplotlib Axes, optional
        Where to draw; new axes by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Condition, Proposition, Rule
    >>> heavy = Proposition(("weight", "height"), (1.0, -1.0), -95.0)
    >>> rule = Rule(Condition((heavy, Proposition(("age",), (1.0,), 40.0))), 2.0)
    >>> names = ("age", "height", "weight")
    >>> ensemble = RuleEnsemble(-1.0, (rule,), names, "logistic", ("well", "ill"))
    >>> table = np.array([[35.0, 150.0, 50.0], [45.0, 170.0, 90.0], [55.0, 190.0, 70.0]])
    >>> ax = plot_regions(ensemble, ("height", "weight"), table)
    >>> ax.get_title()
    'with age = 45'
    """
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    _check(names, ensemble.columns)
    needed = [n for n in ensemble.columns if n in names or n in ensemble.used_columns]
    source = column_source(X, needed, ensemble.columns)
    sides = [side(ensemble, source, name) for name in names]
    others = fixed_values(ensemble, source, names, fixed or {})
    outcome, scores = expected_on(ensemble, sides, others)
    axes = new_axes(6.4, 4.2 if len(names) == 1 else 5.4) if ax is None else ax
    rows = [part.of_rows(source) for part in sides]
    outcomes = None if y is None else Outcomes.of(ensemble, y, np.ones(source.n_rows)).y
    if len(sides) == 1:
        draw_line(axes, ensemble, sides[0], outcome, rows[0], outcomes)
        axes.set_ylabel(outcome_label(ensemble))
    else:
        draw_surface(axes, ensemble, sides, outcome, scores, rows, outcomes)
        _name(axes.yaxis, sides[1], ensemble)
    _name(axes.xaxis, sides[0], ensemble)
    if others:
        axes.set_title(literal(_fixed_text(others, dict(ensemble.units))), fontsize="medium")
    return axes


def _check(names: tuple[str, ...], columns: tuple[str, ...]) -> None:
    if len(names) not in (1, 2) or len(set(names)) < len(names):
        raise ValueError(f"columns must be one or two different columns, found {names}")
    for name in names:
        if name not in columns:
            raise ValueError(f"columns names {name!r}, which the model does not know")


def _name(axis: Any, part: Side, ensemble: RuleEnsemble) -> None:
    axis.set_label_text(column_label(part.name, dict(ensemble.units)))
    if part.categories:
        labels = [literal(text.label(category)) for category in part.categories]
        axis.set_ticks(np.arange(len(labels)), labels)


def _fixed_text(fixed: Mapping[str, Any], units: Mapping[str, str]) -> str:
    parts = []
    for name, value in fixed.items():
        unit = f" {units[name]}" if name in units else ""
        part = f"{text.name(name)} = {_value(value)}{unit}"
        parts.append(part.replace(" ", FIXED_SPACE))
    return wrapped("with " + ", ".join(parts), 70).replace(FIXED_SPACE, " ")


def _value(value: Any) -> str:
    if value is None or value != value:
        return "missing"
    plain = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return text.number(float(value), DIGITS + 1) if plain else text.label(value)
