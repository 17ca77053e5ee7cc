"""The answers of a model for all values of one or two columns, with the others fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float
from sorb.render.plots.grid import Side, expected_on, fixed_values, side
from sorb.render.plots.labels import (
    DIGITS,
    FIXED_SPACE,
    LABEL_WIDTH,
    column_label,
    escape,
    outcome_label,
    shorten,
    wrap,
)
from sorb.render.plots.style import (
    SERIES,
    add_legend_below,
    category_space,
    ensure_size,
    label_categories,
    new_axes,
)
from sorb.render.plots.surfaces import STRIP_HEIGHT, class_names, draw_line, draw_surface
from sorb.rules import RuleEnsemble, notation
from sorb.rules.columns import ColumnSource, TableLike, column_source
from sorb.tables.targets import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_regions"]

MOST_FIXED = 6  # columns whose value is shown above the picture
UPRIGHT_WIDTH = 42  # of the label of the vertical axis, in characters


def plot_regions(
    ensemble: RuleEnsemble,
    columns: str | Sequence[str],
    X: TableLike,
    y: Any = None,
    *,
    exposure: Any = None,
    fixed: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the answers of a model for all values of one or two columns.

    The other columns that the rules use have one value each, which is shown above the picture; if
    there are many, only some are shown, those in `fixed` first. A rule covers a row or it does not,
    so there are regions with the same answer; each is labelled with it.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    columns : str, or sequence of one or two str
        The columns of the horizontal and the vertical axis. With one column, the vertical axis
        shows the answer.
    X : array or DataFrame
        A table. It gives the range to draw, and the values of the other columns: the median, or
        the most frequent category.
    y : array-like, optional
        The outcomes of its rows. With them, the rows are drawn as points (at most 400 of them),
        although most have other values in the other columns. There are no weights, because rows
        are not counted.
    exposure : array-like, optional
        What the outcomes accumulated over, such as years, for a model of rates; needs `y`.
    fixed : mapping from str to float or category, optional
        Other values for the other columns; None or NaN for a missing value.
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
    names, given = _column_names(columns, ensemble), fixed or {}
    needed = [n for n in ensemble.columns if n in names or n in ensemble.used_columns]
    source = column_source(X, needed, ensemble.columns)
    sides = [side(ensemble, source, name) for name in names]
    others = fixed_values(ensemble, source, names, given)
    outcome, scores = expected_on(ensemble, sides, others)
    outcomes = _outcomes(ensemble, source.n_rows, y, exposure)
    width, height = _size(sides, outcome, y is not None)
    axes = new_axes(width + 1.4, height + 1.2) if ax is None else ax
    _draw(axes, ensemble, sides, (outcome, scores), source, outcomes)
    _label_axes(axes, ensemble, sides)
    axes.set_title(_fixed_text(others, given, dict(ensemble.units)), fontsize="medium")
    if ax is None:
        ensure_size(axes, 0.8 * width, 0.8 * height)
    return axes


def _outcomes(ensemble: RuleEnsemble, n_rows: int, y: Any, exposure: Any) -> Float | None:
    if y is not None:
        return Outcomes.of(ensemble, y, np.ones(n_rows), exposure).y
    if exposure is not None:
        raise ValueError("exposure needs y: only the rows drawn as points depend on it")
    return None


def _draw(
    axes: Axes,
    ensemble: RuleEnsemble,
    sides: Sequence[Side],
    expected: tuple[Float, Float],
    source: ColumnSource,
    outcomes: Float | None,
) -> None:
    outcome, scores = expected
    rows = [part.of_rows(source) for part in sides]
    if len(sides) == 1:
        draw_line(axes, ensemble, sides[0], outcome, rows[0], outcomes)
    else:
        draw_surface(axes, ensemble, sides, outcome, scores, rows, outcomes)


def _label_axes(axes: Axes, ensemble: RuleEnsemble, sides: Sequence[Side]) -> None:
    if len(sides) == 1:
        axes.set_ylabel(outcome_label(ensemble))
    for axis, part in zip((axes.xaxis, axes.yaxis), sides, strict=False):
        _label_axis(axis, part, ensemble)
    if axes.get_legend_handles_labels()[1]:
        add_legend_below(axes)


def _column_names(columns: str | Sequence[str], ensemble: RuleEnsemble) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    n_classes = len(class_names(ensemble))
    if n_classes > len(SERIES):
        raise ValueError(
            f"the model has {n_classes} classes, but a picture can only tell {len(SERIES)} apart"
        )
    if len(names) not in (1, 2) or len(set(names)) < len(names):
        raise ValueError(f"columns must be one or two different columns, found {names}")
    for name in names:
        if name not in ensemble.columns:
            raise ValueError(f"columns must be columns of the model, found {name!r}")
    return names


def _size(sides: Sequence[Side], outcome: Any, with_rows: bool) -> tuple[float, float]:
    """Give the inches that the axes should have."""
    width = max(5.0, category_space(sides[0].categories))
    if len(sides) == 2:
        return width, max(4.2, category_space(sides[1].categories))
    strips = outcome.shape[1] if with_rows and outcome.ndim == 2 else 0
    return width, 3.0 + STRIP_HEIGHT * strips


def _label_axis(axis: Any, part: Side, ensemble: RuleEnsemble) -> None:
    width = LABEL_WIDTH if axis.axis_name == "x" else UPRIGHT_WIDTH
    axis.set_label_text(column_label(part.name, dict(ensemble.units), width))
    if part.categories:
        label_categories(axis, [notation.label(category) for category in part.categories])


def _fixed_text(
    fixed: Mapping[str, Any], requested: Mapping[str, Any], units: Mapping[str, str]
) -> str:
    if not fixed:
        return ""
    shown = sorted(fixed, key=lambda name: name not in requested)[:MOST_FIXED]
    parts = []
    for name in (name for name in fixed if name in shown):
        unit = f" {units[name]}" if name in units and fixed[name] is not None else ""
        part = f"{shorten(notation.name(name))} = {_value(fixed[name])}{unit}"
        parts.append(part.replace(" ", FIXED_SPACE))
    more = f" and {len(fixed) - len(shown)} more" if len(fixed) > len(shown) else ""
    return escape(wrap(f"with {', '.join(parts)}{more}", 70).replace(FIXED_SPACE, " "))


def _value(value: Any) -> str:
    if value is None:
        return "missing"
    plain = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return notation.number(float(value), DIGITS + 1) if plain else shorten(notation.label(value))
