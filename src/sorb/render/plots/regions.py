"""The answers of a model for all values of one or two columns, with the others fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sorb._types import Float, Index
from sorb.render.plots.grid import (
    Side,
    expected_on,
    fixed_values,
    matched_exactly,
    matching_rows,
    side,
)
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
from sorb.rules.columns import TableLike, column_source
from sorb.tables.targets import Outcomes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_regions"]

MOST_ROWS = 400  # drawn as points
MOST_FIXED = 6  # columns whose value is shown above the picture
TITLE_WIDTH = 70  # in characters
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
    so there are regions with the same answer; each is labelled with it. Of a column with more than
    30 categories, those that rules name and the most frequent others are drawn.

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
        The outcomes of its rows. With them, the rows that the picture is about are drawn as points,
        at most 400: those that have the categories (or missing values) in `fixed`, and whose
        other values, whatever they are, lead to the answer that is shown. How many they are is
        said above the picture. There are no weights, because rows are not counted.
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
    expected = expected_on(ensemble, sides, others)
    outcomes = _outcomes(ensemble, source.n_rows, y, exposure)
    width, height = _size(sides, expected[0], y is not None)
    axes = new_axes(width + 1.4, height + 1.2) if ax is None else ax
    exact = matched_exactly(ensemble, source, given)
    held = _Held(others, dict(ensemble.units), tuple(exact))
    title, places = held.text(given), [part.of_rows(source) for part in sides]
    if outcomes is not None:
        matching = matching_rows(ensemble, source, others, exact) & ~np.isnan(places).any(axis=0)
        shown = _sample(np.flatnonzero(matching))
        title = f"{title}\n{held.rows_text(len(shown), int(matching.sum()), source.n_rows)}".strip()
        places, outcomes = [place[shown] for place in places], outcomes[shown]
    _draw(axes, ensemble, sides, expected, places, outcomes)
    _label_axes(axes, ensemble, sides)
    axes.set_title(title, fontsize="medium")
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
    rows: Sequence[Float],
    outcomes: Float | None,
) -> None:
    outcome, scores = expected
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
    label, n_shown = column_label(part.name, dict(ensemble.units), width), len(part.categories)
    some = f"\n({n_shown} of {n_shown + part.hidden} categories)" if part.hidden else ""
    axis.set_label_text(label + some)
    if part.categories:
        label_categories(axis, [notation.label(category) for category in part.categories])


@dataclass(frozen=True, slots=True)
class _Held:
    """The values of columns that are not drawn; those of `exact` are shared by all drawn rows."""

    values: Mapping[str, Any]
    units: Mapping[str, str]
    exact: tuple[str, ...]

    def text(self, requested: Mapping[str, Any]) -> str:
        """Say which values they are; if there are many, of those that were requested."""
        if not self.values:
            return ""
        shown = sorted(self.values, key=lambda name: name not in requested)[:MOST_FIXED]
        parts = [self._part(name) for name in self.values if name in shown]
        more = f" and {len(self.values) - len(shown)} more" if len(self.values) > len(shown) else ""
        return _wrap(f"with {', '.join(parts)}{more}")

    def rows_text(self, drawn: int, matching: int, n_rows: int) -> str:
        """Say how many rows are drawn, and which, unless all are."""
        if drawn == n_rows:
            return ""
        said = f"{drawn} of {n_rows} rows drawn"
        if not self.values:
            return said
        which = "" if drawn == matching else f"of the {matching} "
        answer = ["the answer shown"] if len(self.exact) < len(self.values) else []
        parts = " and ".join([*map(self._part, self.exact), *answer])
        return _wrap(f"{said}, {which}with {parts}")

    def _part(self, name: str) -> str:
        value = self.values[name]
        unit = f" {self.units[name]}" if name in self.units and value is not None else ""
        part = f"{shorten(notation.name(name))} = {_value(value)}{unit}"
        return part.replace(" ", FIXED_SPACE)


def _wrap(written: str) -> str:
    return escape(wrap(written, TITLE_WIDTH).replace(FIXED_SPACE, " "))


def _sample(rows: Index) -> Index:
    """Choose rows evenly, so that the picture is not covered by them."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_ROWS)).astype(np.intp)]


def _value(value: Any) -> str:
    if value is None:
        return "missing"
    plain = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return notation.number(float(value), DIGITS + 1) if plain else shorten(notation.label(value))
