"""What a model expects on a grid of values of some columns, with the others fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sorb._types import Bool, Float, Index
from sorb.render.plots.style import MOST_CATEGORIES, visible_span
from sorb.rules import Membership, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.rules.numbers import is_missing
from sorb.tables.quoting import quote_some

N_PLACES, MARGIN = 360, 0.03
LARGEST = 1e300  # what an axis can show, with some space beside it


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One axis of a grid: positions in the picture, and which value the column has at each.

    Each category of a column has an interval of positions around its index. Of a column with
    more than can be told apart, some are `hidden`.
    """

    name: str
    places: Float
    values: NDArray[Any]
    number: Index
    categories: tuple[Any, ...] = ()
    hidden: int = 0

    def of_rows(self, source: ColumnSource) -> Float:
        """Give the places of a table's rows; NaN where the value is missing or hidden."""
        if not self.categories:
            return source.take(self.name)
        number = {label: float(k) for k, label in enumerate(self.categories)}
        return np.array([number.get(label, np.nan) for label in source.labels(self.name)])


def side(ensemble: RuleEnsemble, source: ColumnSource, name: str) -> Side:
    """Lay out the values of a column of a table along an axis."""
    if not _is_categorical(ensemble, source, name):
        values = source.take(name)
        values = values[np.isfinite(values)]
        if not len(values):
            raise ValueError(f"column {name!r} has no values to draw")
        _require_drawable(name, values)
        low, high = float(values.min()), float(values.max())
        margin = MARGIN * visible_span(low, high, N_PLACES)
        places = np.linspace(low - margin, high + margin, N_PLACES, dtype=np.float64)
        return Side(name, places, places, np.arange(N_PLACES))
    present, named = _count_categories(source, name), _named_categories(ensemble, name)
    if not present:
        raise ValueError(f"column {name!r} has no values to draw")
    # What no rule names, the model does not tell apart; of the others, the frequent ones matter.
    first = sorted(present, key=lambda label: (label not in named, -present[label], str(label)))
    categories = tuple(sorted(first[:MOST_CATEGORIES], key=str))
    places = (np.arange(N_PLACES) + 0.5) / N_PLACES * len(categories) - 0.5
    values = np.empty(len(categories), dtype=object)
    values[:] = categories
    number = np.rint(places).astype(np.intp)
    return Side(name, places, values, number, categories, len(present) - len(categories))


def _require_drawable(name: str, values: Float) -> None:
    largest = values[np.abs(values).argmax()]
    if abs(largest) > LARGEST:
        raise ValueError(
            f"column {name!r} holds {largest:g}: expected at most {LARGEST:g} in size to be drawn"
        )


def fixed_values(
    ensemble: RuleEnsemble,
    source: ColumnSource,
    drawn: Sequence[str],
    given: Mapping[str, Any],
) -> dict[str, Any]:
    """Give the value of each column that the rules use and that is not drawn.

    By default it is the median of the table, a value that some row has, or its most frequent
    category.
    """
    others = [name for name in ensemble.used_columns if name not in drawn]
    for name in given:
        if name not in others:
            raise ValueError(
                f"fixed gives a value for {name!r}; columns that the rules use and that are not "
                f"drawn are {', '.join(map(repr, others)) or 'none'}"
            )
    return {
        name: _check_value(ensemble, source, name, given[name])
        if name in given
        else _typical(ensemble, source, name)
        for name in others
    }


def _check_value(ensemble: RuleEnsemble, source: ColumnSource, name: str, value: Any) -> Any:
    """Raise an error for a category that no rule and no row has; a missing value becomes None."""
    if is_missing(value):
        return None
    if _is_categorical(ensemble, source, name):
        known = {*_named_categories(ensemble, name), *_count_categories(source, name)}
        if value not in known:
            raise ValueError(
                f"fixed gives the category {value!r} for {name!r}, which no rule names and no row "
                f"of the table has; known are {quote_some(sorted(known, key=str))}"
            )
    return value


def _named_categories(ensemble: RuleEnsemble, name: str) -> set[Any]:
    return {
        category
        for rule in ensemble
        for proposition in rule.condition.propositions
        if isinstance(proposition, Membership) and proposition.column == name
        for category in proposition.categories
    }


def _count_categories(source: ColumnSource, name: str) -> Counter[Any]:
    return Counter(value for value in source.labels(name) if value is not None)


def _typical(ensemble: RuleEnsemble, source: ColumnSource, name: str) -> Any:
    if _is_categorical(ensemble, source, name):
        common = _count_categories(source, name)
        return common.most_common(1)[0][0] if common else None
    values = source.take(name)
    known = values[~np.isnan(values)]
    return float(np.quantile(known, 0.5, method="lower")) if len(known) else None


def _is_categorical(ensemble: RuleEnsemble, source: ColumnSource, name: str) -> bool:
    for rule in ensemble:
        for proposition in rule.condition.propositions:
            if name in proposition.columns:
                if not isinstance(proposition, Membership):
                    return False
                if proposition.categories:
                    return True
    try:
        source.take(name)
    except TypeError:
        return True
    return False


def matched_exactly(
    ensemble: RuleEnsemble, source: ColumnSource, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Give those of the requested values that a row can be asked to have: no numbers."""
    return {
        name: None if is_missing(value) else value
        for name, value in given.items()
        if is_missing(value) or _is_categorical(ensemble, source, name)
    }


def matching_rows(
    ensemble: RuleEnsemble,
    source: ColumnSource,
    fixed: Mapping[str, Any],
    exact: Mapping[str, Any],
) -> Bool:
    """Tell which rows a picture with fixed values is about.

    They have the values that are to be matched exactly, and the model gives them the answer that
    they would get with all the fixed values.
    """
    n_rows = source.n_rows
    same = np.ones(n_rows, dtype=np.bool_)
    for name, value in exact.items():
        same &= np.array([label == value for label in source.labels(name)], dtype=np.bool_)
    held = ColumnSource(
        lambda name: (
            _repeat(fixed[name], n_rows).astype(np.float64) if name in fixed else source.take(name)
        ),
        lambda name: [fixed[name]] * n_rows if name in fixed else source.labels(name),
        n_rows,
    )
    alike = ensemble(source) == ensemble(held)
    return np.asarray(same & alike.reshape(n_rows, -1).all(axis=1))


def _repeat(value: Any, times: int) -> NDArray[Any]:
    column = np.empty(times, dtype=object)
    column[:] = value
    return column


def expected_on(
    ensemble: RuleEnsemble, sides: Sequence[Side], fixed: Mapping[str, Any]
) -> tuple[Float, Float]:
    """Give what is expected, and the scores, on the grid that the sides span.

    The first side runs along the last axis of the grid, as in a picture. With more than two
    classes, there is another axis for them.
    """
    shape = tuple(len(part.values) for part in reversed(sides))
    meshes = np.meshgrid(*(np.arange(len(part.values)) for part in sides))
    values = {
        part.name: part.values[mesh.ravel()] for part, mesh in zip(sides, meshes, strict=True)
    }
    n_points = int(np.prod(shape))
    for name, value in fixed.items():
        values[name] = _repeat(value, n_points)
    source = ColumnSource(
        lambda name: values[name].astype(np.float64), lambda name: values[name].tolist(), n_points
    )
    scores = ensemble(source)
    places = np.ix_(*(part.number for part in reversed(sides)))

    def on_paper(values: Float) -> Float:
        return np.asarray(values.reshape(*shape, *scores.shape[1:])[places])

    return on_paper(ensemble.loss.mean(scores)), on_paper(scores)
