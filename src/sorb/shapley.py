"""How much each column moves a prediction: exact Shapley values, quick because rules are short.

Columns are taken one after the other from the row to be explained instead of from a row of the
background, and what the decision value gains is put down to the column; on average over all orders
of the columns and all rows of the background. Decision values are sums over the rules, and so are
these averages. Each rule looks at a few columns only, and all their subsets can be gone through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import Table, column_source

if TYPE_CHECKING:
    import shap

    from sorb.rules.propositions import AnyProposition

__all__ = ["ShapleyValues", "shapley_values"]

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]
Names: TypeAlias = frozenset[str]

# So many pairs of a row and a row of the background are decided at a time.
PAIRS = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class ShapleyValues:
    """What each column adds to the decision value of each row, against a background.

    Attributes
    ----------
    base : float, or tuple of float with one for each class if there are more than two
        The mean decision value of the background.
    values : ndarray of shape (rows, columns), or (rows, columns, classes)
        What each column adds to it.
    columns : tuple of str
        The names of the columns.
    table : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow
        The rows that are explained.
    classes : tuple of str, int, float or bool, or None
        The labels of the classes if there are more than two.
    """

    base: float | tuple[float, ...]
    values: Float
    columns: tuple[str, ...]
    table: Table
    classes: tuple[Any, ...] | None = None

    def total(self) -> Float:
        """Add up the base and the values: the decision values, but for rounding."""
        total: Float = np.array(self.base) + self.values.sum(axis=1)
        return total

    def to_shap(self) -> shap.Explanation:
        """Give them in the form that the plots of shap take; needs the extra ``shap``."""
        try:
            import shap
        except ImportError as error:
            raise ImportError('this form belongs to shap: pip install "sorb[shap]"') from error
        return shap.Explanation(
            values=self.values,
            base_values=np.repeat(np.array([self.base]), len(self.values), axis=0),
            data=_cells(self.table, self.columns),
            feature_names=list(self.columns),
            output_names=None if self.classes is None else [str(label) for label in self.classes],
        )


def shapley_values(ensemble: RuleEnsemble, X: Table, background: Table) -> ShapleyValues:
    """Tell how much each column moves the decision value of each row away from a background.

    These are the Shapley values that shap calls interventional. They are exact: a rule of k
    columns takes 2 to the power of k passes over all pairs of a row and a row of the background,
    however many columns the table has.

    Parameters
    ----------
    ensemble : RuleEnsemble
        The model.
    X : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow
        The rows to explain.
    background : 2-D NumPy array, or DataFrame of pandas, polars or pyarrow
        The rows to compare them with, such as a hundred rows of the training data.

    Returns
    -------
    values : ShapleyValues
        In units of the decision value: of the prediction if the loss is squared, log-odds if it
        is logistic, one score for each class if it is softmax, or the logarithm of the expected
        count if it is poisson.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb import Proposition, Rule
    >>> heavy = Condition((Proposition(("weight", "height"), (1.0, -1.0), -85.0),))
    >>> ensemble = RuleEnsemble(-1.0, (Rule(heavy, 2.0),), ("weight", "height"), "logistic")
    >>> found = shapley_values(ensemble, np.array([[90.0, 170.0]]), np.array([[60.0, 180.0]]))
    >>> found.base, found.values
    (-1.0, array([[1., 1.]]))
    >>> found.total()
    array([1.])

    The condition holds for the row, but not if one of the two came from the background. So both
    have an equal share in the vote.
    """
    names, used = ensemble.columns, ensemble.used_columns
    n_rows = column_source(X, used, names).n_rows
    if column_source(background, used, names).n_rows == 0:
        raise ValueError("background has no rows: give at least one to compare with")
    base = np.atleast_1d(np.array(ensemble.offset))
    values = np.zeros((n_rows, len(names), len(base)))
    for rule, members in zip(ensemble, ensemble.members(background).T, strict=True):
        base[rule.output] += rule.weight * members.mean()
        for name, share in _shares(rule.condition, names, X, background).items():
            values[:, names.index(name), rule.output] += rule.weight * share
    if isinstance(ensemble.offset, tuple):
        return ShapleyValues(tuple(base.tolist()), values, names, X, ensemble.classes)
    return ShapleyValues(float(base[0]), values[:, :, 0], names, X)


def _shares(
    condition: Condition, columns: Sequence[str], X: Table, background: Table
) -> dict[str, Float]:
    """Give the Shapley values of a condition, which is worth 1 where it holds, by column."""
    names = condition.columns
    if not names:
        return {}
    shares = {name: np.zeros(column_source(X, names, columns).n_rows) for name in names}
    tests = [_PairTest(p, columns, X, background) for p in condition.propositions]
    for taken in chain.from_iterable(combinations(names, k) for k in range(len(names) + 1)):
        worth = _share_of_background(tests, frozenset(taken))
        for name, share in shares.items():
            # One of so many sets of the other columns that may have come before this one.
            part = worth / (len(names) * comb(len(names) - 1, len(taken) - (name in taken)))
            share += part if name in taken else -part
    return shares


def _share_of_background(tests: Sequence[_PairTest], taken: Names) -> Float:
    """Give the share of the background with which each row satisfies all tests."""
    n_rows, n_background = tests[0].n_rows, tests[0].n_background
    shares = np.empty(n_rows)
    step = max(1, PAIRS // n_background)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        holds = np.ones((rows.stop - rows.start, n_background), dtype=np.bool_)
        for test in tests:
            holds &= test.holds(rows, taken)
        shares[rows] = holds.mean(axis=1)
    return shares


class _PairTest:
    """A proposition, decided for values of which some are a row's and the rest the background's."""

    def __init__(
        self,
        proposition: AnyProposition,
        columns: Sequence[str],
        X: Table,
        background: Table,
    ) -> None:
        self.proposition = proposition
        self.of_rows = proposition(X, columns)
        self.of_background = proposition(background, columns)
        self.n_rows, self.n_background = len(self.of_rows), len(self.of_background)
        # Values of a single column are never mixed. Only these may be no numbers, but categories.
        names = proposition.columns if len(proposition.columns) > 1 else ()
        self.x = {name: column_source(X, names, columns).take(name) for name in names}
        self.z = {name: column_source(background, names, columns).take(name) for name in names}

    def holds(self, rows: slice, taken: Names) -> Bool:
        """Decide pairs of a row (first axis) and a row of the background, or what broadcasts."""
        names = self.proposition.columns
        if taken.isdisjoint(names):
            return self.of_background[None, :]
        if taken.issuperset(names):
            return self.of_rows[rows, None]
        shape = (rows.stop - rows.start, self.n_background)
        mixed = np.empty((len(names), *shape))
        for values, name in zip(mixed, names, strict=True):
            values[:] = self.x[name][rows, None] if name in taken else self.z[name]
        return self.proposition(mixed.reshape(len(names), -1).T, names).reshape(shape)


def _cells(table: Table, columns: Sequence[str]) -> NDArray[Any]:
    """Give all columns of a table as one array; those that a DataFrame lacks are missing."""
    if isinstance(table, np.ndarray):
        return table
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True)
    known = [frame[name].to_numpy() if name in frame.columns else None for name in columns]
    cells = np.full((len(frame), len(columns)), np.nan, dtype=object)
    for j, column in enumerate(known):
        if column is not None:
            cells[:, j] = column
    numbers = all(column is None or column.dtype.kind in "fiub" for column in known)
    return cells.astype(np.float64) if numbers else cells
