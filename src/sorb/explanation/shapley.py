"""Shapley values: how much each column moves a score, exact and fast because rules are short.

One column after the other is taken from the row to be explained instead of from a row of the
background, and the change of the score is credited to the column, on average over all orders of the
columns and all rows of the background. Scores are sums over the rules, and so are these averages.
Each proposition uses only a few columns, so all subsets of the columns of propositions that share
a column can be enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sorb._extras import install_command
from sorb._types import Bool, Float
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import TableLike, column_source
from sorb.rules.ensemble import require_ensemble

if TYPE_CHECKING:
    import shap

    from sorb.rules.propositions import AnyProposition

__all__ = ["ShapleyValues", "shapley_values"]

Names: TypeAlias = frozenset[str]

# How many pairs of a row and a background row are evaluated at a time.
PAIRS = 2**18

# More columns weighed against each other have too many subsets.
MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True, eq=False)
class ShapleyValues:
    """What each column adds to the score of each row, compared with a background.

    Attributes
    ----------
    base : float, or tuple of float with one for each class if there are more than two
        The mean score of the background.
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
    table: TableLike
    classes: tuple[Any, ...] | None = None

    def total(self) -> Float:
        """Add up the base and the values: the scores, up to rounding."""
        total: Float = np.array(self.base) + self.values.sum(axis=1)
        return total

    def to_shap(self) -> shap.Explanation:
        """Convert to the form that the plots of shap take; needs the extra ``shap``."""
        try:
            import shap
        except ImportError as error:
            raise ImportError(f"this form belongs to shap: {install_command('shap')}") from error
        return shap.Explanation(
            values=self.values,
            base_values=np.repeat(np.array([self.base]), len(self.values), axis=0),
            data=_cells(self.table, self.columns),
            feature_names=list(self.columns),
            output_names=None if self.classes is None else [str(label) for label in self.classes],
        )


def shapley_values(ensemble: RuleEnsemble, X: TableLike, background: TableLike) -> ShapleyValues:
    """Find how much each column moves the score of each row away from a background.

    These are the Shapley values that shap calls interventional. They are exact: a proposition of k
    columns takes 2 to the power of k passes over all pairs of a row and a background row, no matter
    how many other columns the table or the rule has. Propositions that share a column count as one
    here; more than 12 columns in one are rejected.

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
        In units of the score, which `ensemble.caption()` names: of the prediction or of its
        logarithm, of log-odds, or of one score for each class.

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

    The rule covers the row, but would not if one of the two values came from the background. So
    both columns get an equal share of the vote.
    """
    require_ensemble(ensemble)
    names, used = ensemble.columns, ensemble.used_columns
    n_rows = column_source(X, used, names).n_rows
    if column_source(background, used, names).n_rows == 0:
        raise ValueError("background has no rows: give at least one to compare with")
    base = np.array(ensemble.offsets)
    values = np.zeros((n_rows, len(names), len(base)))
    for rule, covered in zip(ensemble, ensemble.covers(background).T, strict=True):
        base[rule.output] += rule.vote * covered.mean()
        for name, share in _shares(rule.condition, names, X, background).items():
            values[:, names.index(name), rule.output] += rule.vote * share
    if isinstance(ensemble.offset, tuple):
        return ShapleyValues(tuple(base.tolist()), values, names, X, ensemble.classes)
    return ShapleyValues(float(base[0]), values[:, :, 0], names, X)


def _shares(
    condition: Condition, columns: Sequence[str], X: TableLike, background: TableLike
) -> dict[str, Float]:
    """Give the Shapley values of a condition, which is worth 1 where it is true, by column.

    Let each column be taken with the probability q, independently of the others. What a column
    then adds on average is a polynomial of q, and its integral from 0 to 1 is the column's value.
    The chances that blocks without a common column are true are multiplied.
    """
    if not condition.propositions:
        return {}
    blocks = [_Block(tests, columns, X, background) for tests in _separate(condition.propositions)]
    n_rows, n_background = blocks[0].n_rows, blocks[0].n_background
    shares: dict[str, Float] = {name: np.zeros(n_rows) for name in condition.columns}
    # This many points integrate polynomials exactly whose degree is below the number of columns.
    nodes, masses = np.polynomial.legendre.leggauss((len(shares) + 1) // 2)
    points, weights = (nodes + 1) / 2, masses / 2
    step = max(1, PAIRS // (n_background * len(points) * len(blocks)))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        chances = [b.chances(rows, points) for b in blocks] if len(blocks) > 1 else []
        for k, block in enumerate(blocks):
            others = [*chances[:k], *chances[k + 1 :]]
            rest = reduce(np.multiply, others) if others else None
            for name, gains in block.gains(rows, points, rest).items():
                shares[name][rows] = weights @ gains
    return shares


def _separate(propositions: Sequence[AnyProposition]) -> list[list[AnyProposition]]:
    """Put propositions that share a column together."""
    blocks: list[list[AnyProposition]] = []
    for proposition in propositions:
        linked = [block for block in blocks if _share_columns(block, proposition)]
        blocks = [block for block in blocks if block not in linked]
        blocks.append([*chain.from_iterable(linked), proposition])
    return blocks


def _share_columns(block: Sequence[AnyProposition], proposition: AnyProposition) -> bool:
    return any(not set(proposition.columns).isdisjoint(other.columns) for other in block)


class _Block:
    """Propositions on a few columns, evaluated for all subsets of these columns."""

    def __init__(
        self,
        propositions: Sequence[AnyProposition],
        columns: Sequence[str],
        X: TableLike,
        background: TableLike,
    ) -> None:
        self.names = tuple(dict.fromkeys(name for p in propositions for name in p.columns))
        if len(self.names) > MOST_COLUMNS:
            raise ValueError(
                f"a rule weighs {len(self.names)} columns against each other, and all subsets of "
                f"more than {MOST_COLUMNS} take too long: {', '.join(self.names)}"
            )
        self.tests = [_PairTest(p, columns, X, background) for p in propositions]
        self.n_rows, self.n_background = self.tests[0].n_rows, self.tests[0].n_background

    def subsets(self) -> Iterator[Names]:
        """Give all sets of columns that may come from the row."""
        for size in range(len(self.names) + 1):
            yield from map(frozenset, combinations(self.names, size))

    def covers(self, rows: slice, taken: Names) -> Bool:
        """Tell which pairs of a row and a background row are covered."""
        covered = np.ones((rows.stop - rows.start, self.n_background), dtype=np.bool_)
        for test in self.tests:
            covered &= test.covers(rows, taken)
        return covered

    def chances(self, rows: slice, points: Float) -> Float:
        """Give the chance that each pair is covered if each column is taken with a probability."""
        chances = np.zeros((len(points), rows.stop - rows.start, self.n_background))
        for taken in self.subsets():
            chances += self._chance(points, len(taken), 0)[:, None, None] * self.covers(rows, taken)
        return chances

    def gains(self, rows: slice, points: Float, rest: Float | None) -> dict[str, Float]:
        """Give what each column adds to the share of background rows with which a row is covered.

        `rest` are the chances that the other blocks are true.
        """
        gains = {name: np.zeros((len(points), rows.stop - rows.start)) for name in self.names}
        for taken in self.subsets():
            covered = self.covers(rows, taken)
            share = (covered if rest is None else rest * covered).mean(axis=-1)
            after = self._chance(points, len(taken) - 1, 1)[:, None] * share
            before = self._chance(points, len(taken), 1)[:, None] * share
            for name, gain in gains.items():
                gain += after if name in taken else -before
        return gains

    def _chance(self, points: Float, taken: int, aside: int) -> Float:
        """Give the chance that exactly these columns are taken, with some columns left aside."""
        chance: Float = points**taken * (1 - points) ** (len(self.names) - aside - taken)
        return chance


class _PairTest:
    """A proposition on values from a row for some columns, from the background for the others."""

    def __init__(
        self,
        proposition: AnyProposition,
        columns: Sequence[str],
        X: TableLike,
        background: TableLike,
    ) -> None:
        self.proposition = proposition
        self.of_rows = proposition(X, columns)
        self.of_background = proposition(background, columns)
        self.n_rows, self.n_background = len(self.of_rows), len(self.of_background)
        # A single column is never mixed; only such a column may hold categories instead of numbers.
        names = proposition.columns if len(proposition.columns) > 1 else ()
        self.x = {name: column_source(X, names, columns).take(name) for name in names}
        self.z = {name: column_source(background, names, columns).take(name) for name in names}

    def covers(self, rows: slice, taken: Names) -> Bool:
        """Tell which pairs of a row (first axis) and a background row it covers; may broadcast."""
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


def _cells(table: TableLike, columns: Sequence[str]) -> NDArray[Any]:
    """Give all columns of a table as one array; columns that a DataFrame lacks are missing."""
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
