"""Compiled ensembles: the score of one row at a time, in microseconds, for services."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb.rules.ensemble import RuleEnsemble
from sorb.rules.field_checks import Label
from sorb.rules.labels import NO_CATEGORY
from sorb.rules.numbers import is_missing, object_numbers
from sorb.rules.prediction import (
    class_labels,
    class_probabilities,
    predicted_indices,
    require_classes,
)
from sorb.rules.propositions import AnyProposition, Membership, Product, Proposition, raise_to

__all__ = ["CompiledEnsemble", "Row"]

# One row as services have it: values by name, or in the order of the columns.
Row: TypeAlias = "Mapping[str, Any] | Sequence[Any] | NDArray[Any]"

# The values of a row that the rules use, numbers first, then labels.
Cells: TypeAlias = list[Any]
Test: TypeAlias = Callable[[Cells], bool]


class CompiledEnsemble:
    """An ensemble that answers for one row at a time, made by `RuleEnsemble.compile`.

    A row is a mapping from the names of columns to values, which has at least the columns that the
    rules use, or a sequence of values in the order of `ensemble.columns`. Numbers may be of any
    type; None and NaN are missing. The scores are the same, bit for bit, as those that the
    ensemble itself gives for a table with this row. Compiled ensembles can be pickled.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.

    Raises
    ------
    TypeError
        If something is not a row, or a value not a number where the rules need one.
    ValueError
        If a column is missing or unknown, or a number is infinite.

    Examples
    --------
    >>> from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble
    >>> old = Condition((Proposition(("age",), (1.0,), 40.0),))
    >>> group = Condition((Membership("blood_group", ("A", "AB")),))
    >>> ensemble = RuleEnsemble(
    ...     -2.0, (Rule(old, 1.5), Rule(group, 1.0)), ("age", "blood_group"), "logistic",
    ...     ("no", "yes"),
    ... )
    >>> score = ensemble.compile()
    >>> score({"age": 52, "blood_group": "A"}), score([39.5, None])
    (0.5, -2.0)
    >>> score.predict({"age": 52, "blood_group": "A"})
    'yes'
    >>> [round(p, 3) for p in score.predict_proba([52, "A"])]
    [0.378, 0.622]
    >>> score({"age": "old", "blood_group": "A"})
    Traceback (most recent call last):
    ...
    TypeError: column 'age' must hold a number, found 'old'
    """

    __slots__ = ("_columns", "_known", "_labelled", "_places", "_rules", "_weighed", "ensemble")

    def __init__(self, ensemble: RuleEnsemble) -> None:
        self.ensemble = ensemble
        propositions = [p for rule in ensemble for p in rule.condition.propositions]
        used = ensemble.used_columns
        labels = {p.column for p in propositions if isinstance(p, Membership)}
        numbers = {c for p in propositions if not isinstance(p, Membership) for c in p.columns}
        self._known = frozenset(ensemble.columns)
        self._columns = used
        self._places = [ensemble.columns.index(name) for name in used]
        # For each kind, the position among the used columns, and the name.
        self._weighed = [(k, name) for k, name in enumerate(used) if name in numbers]
        self._labelled = [k for k, name in enumerate(used) if name in labels]
        number_at = {name: j for j, (_, name) in enumerate(self._weighed)}
        label_at = {used[k]: len(number_at) + j for j, k in enumerate(self._labelled)}
        self._rules = [
            (
                [_test(p, number_at, label_at) for p in rule.condition.propositions],
                rule.vote,
                rule.output,
            )
            for rule in ensemble
        ]

    def __reduce__(self) -> tuple[type[CompiledEnsemble], tuple[RuleEnsemble]]:
        return CompiledEnsemble, (self.ensemble,)

    def __call__(self, row: Row) -> float | tuple[float, ...]:
        """Give the score of a row, or one for each class if the loss is softmax."""
        cells = self._read(row)
        scores = list(self.ensemble.offsets)
        for tests, vote, output in self._rules:
            covered = True
            for test in tests:
                if not test(cells):
                    covered = False
                    break
            # As it is added to the scores of a table, where −0 + 0 is 0.
            scores[output] += vote * covered
        return tuple(scores) if self.ensemble.loss.score_per_class else scores[0]

    def predict(self, row: Row) -> Label:
        """Predict the outcome of a row: a number, or the label of a class."""
        scores, loss, classes = np.array([self(row)]), self.ensemble.loss, self.ensemble.classes
        if not loss.has_classes:
            return float(loss.mean(scores)[0])
        return class_labels(classes)[int(predicted_indices(classes, scores)[0])]

    def predict_proba(self, row: Row) -> tuple[float, ...]:
        """Give the probability of each class, in the order of `ensemble.classes`."""
        require_classes(self.ensemble.loss)
        scores = np.array([self(row)])
        found = class_probabilities(self.ensemble.loss, self.ensemble.classes, scores)
        return tuple(found[0].tolist())

    def _read(self, row: Row) -> Cells:
        values = self._values_by_name(row) if isinstance(row, Mapping) else self._values_of(row)
        cells: Cells = []
        for k, name in self._weighed:
            value = values[k]
            # Nearly always a finite float, which need not be converted.
            is_ready = type(value) is float and math.isfinite(value)
            cells.append(value if is_ready else _number(value, name))
        for k in self._labelled:
            cells.append(_label(values[k]))
        return cells

    def _values_by_name(self, row: Mapping[str, Any]) -> list[Any]:
        if not row.keys() <= self._known:
            unknown = [name for name in row if name not in self._known]
            raise ValueError(
                f"unknown columns: {', '.join(map(repr, unknown))}; expected names in "
                "`ensemble.columns`"
            )
        try:
            return [row[name] for name in self._columns]
        except KeyError:
            missing = [name for name in self._columns if name not in row]
            raise ValueError(
                f"missing columns: {', '.join(map(repr, missing))}; where a value is unknown, "
                "give None"
            ) from None

    def _values_of(self, row: Sequence[Any] | NDArray[Any]) -> list[Any]:
        values = row.tolist() if isinstance(row, np.ndarray) and row.ndim == 1 else row
        if not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
            kind = type(row).__name__
            found = f"an array of shape {row.shape}" if isinstance(row, np.ndarray) else kind
            raise TypeError(
                "expected one row, as a mapping from names to values or as a sequence of values, "
                f"found {found}"
            )
        if len(values) != len(self.ensemble.columns):
            raise ValueError(
                f"expected {len(self.ensemble.columns)} values, one for each column, found "
                f"{len(values)}"
            )
        return [values[j] for j in self._places]


def _number(value: Any, name: str) -> float:
    """Convert a value as it is converted in a table; NaN if it is missing."""
    # The usual types, which take less time on their own.
    found = [value] if isinstance(value, (float, int)) else object_numbers([value])
    if found is None:
        raise TypeError(f"column {name!r} must hold a number, found {value!r}")
    try:
        number = float(found[0])
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise ValueError(
            f"column {name!r} is {value!r}: expected a finite number, or None or NaN where it is "
            "missing"
        )
    return number


def _label(value: Any) -> Any:
    """Give a label that can be looked up in a set; None if it is missing."""
    if type(value) is str:
        return value
    if is_missing(value):
        return None
    try:
        hash(value)
    except TypeError:
        return NO_CATEGORY
    return value


def _test(
    proposition: AnyProposition, number_at: Mapping[str, int], label_at: Mapping[str, int]
) -> Test:
    """Make a function that tells whether a proposition is true of a row."""
    if isinstance(proposition, Proposition):
        return _sum_test(proposition, number_at)
    if isinstance(proposition, Product):
        return _product_test(proposition, number_at)
    return _membership_test(proposition, label_at)


def _sum_test(proposition: Proposition, number_at: Mapping[str, int]) -> Test:
    places = [number_at[name] for name in proposition.columns]
    first, first_weight = places[0], proposition.weights[0]
    others = tuple(zip(places[1:], proposition.weights[1:], strict=True))
    threshold, missing = proposition.threshold, proposition.missing

    def test(cells: Cells) -> bool:
        total = first_weight * cells[first]
        for place, weight in others:
            total += weight * cells[place]
        return not total < threshold if missing else total >= threshold

    return test


def _product_test(product: Product, number_at: Mapping[str, int]) -> Test:
    factors = [(number_at[c], p) for c, p in zip(product.columns, product.powers, strict=True)]
    threshold, at_most, missing = product.threshold, product.at_most, product.missing

    def test(cells: Cells) -> bool:
        total = np.float64(1.0)  # which divides by zero as arrays do
        with np.errstate(all="ignore"):
            for place, power in factors:
                value = cells[place]
                factor = raise_to(np.float64(value if value > 0 else math.nan), abs(power))
                total = total * factor if power > 0 else total / factor
        if math.isnan(total):
            return missing
        return bool(total <= threshold if at_most else total >= threshold)

    return test


def _membership_test(membership: Membership, label_at: Mapping[str, int]) -> Test:
    place, wanted = label_at[membership.column], frozenset(membership.categories)
    negated, missing = membership.negated, membership.missing

    def test(cells: Cells) -> bool:
        label = cells[place]
        return missing if label is None else (label in wanted) != negated

    return test
