"""Explainable boosting machines: a step function of each column, and of a few pairs of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sorb._extras import install_command
from sorb._types import Float
from sorb.lab.rivals.rival import FittedModel, Grid, Rival, RivalClassifier, RivalRegressor
from sorb.learning.boosting import first_model
from sorb.rules import notation, rule_lines
from sorb.rules.columns import TableLike, Take, column_source
from sorb.tables.training import TrainingData

__all__ = ["EBMClassifier", "EBMRegressor", "StepFunction", "StepFunctions"]

# interpret counts a bin for missing values and one for unseen values; we have neither.
UNUSED_BINS = 2


@dataclass(frozen=True, slots=True)
class StepFunction:
    """A score for each interval of a column, or for each rectangle of a pair of columns.

    Attributes
    ----------
    columns : the names of one or two columns.
    cuts : the starts of all intervals but the first of each column, ascending.
    scores : one for each piece; the last column varies fastest.

    Examples
    --------
    >>> step = StepFunction(("age",), ((40.0, 60.0),), (-1.0, 0.5, 2.0))
    >>> for line in step.lines():
    ...     print(line.vote, notation.join_tokens(line.condition))
    -1.0 age < 40
    0.5 40 ≤ age < 60
    2.0 age ≥ 60
    """

    columns: tuple[str, ...]
    cuts: tuple[tuple[float, ...], ...]
    scores: tuple[float, ...]

    def __call__(self, take: Take) -> Float:
        """Return the score of each row, whose columns are taken by name."""
        shape = [len(cuts) + 1 for cuts in self.cuts]
        intervals = [
            np.searchsorted(cuts, take(name), side="right")
            for name, cuts in zip(self.columns, self.cuts, strict=True)
        ]
        return np.array(self.scores)[np.ravel_multi_index(tuple(intervals), tuple(shape))]

    def lines(self) -> list[rule_lines.RuleLine]:
        """Return the scores, each with its condition."""
        intervals = map(_intervals, self.columns, self.cuts)
        conditions = ("  and  ".join(filter(None, piece)) for piece in product(*intervals))
        return [
            rule_lines.RuleLine(
                score, (notation.Token("word", condition),) if condition else notation.ALWAYS
            )
            for score, condition in zip(self.scores, conditions, strict=True)
        ]


def _intervals(column: str, cuts: tuple[float, ...]) -> list[str]:
    """Write the intervals between the cuts, ascending; without cuts, a single empty text."""
    name, places = notation.name(column), [notation.number(cut, 4) for cut in cuts]
    if not places:
        return [""]
    between = [f"{low} ≤ {name} < {high}" for low, high in pairwise(places)]
    return [f"{name} < {places[0]}", *between, f"{name} ≥ {places[-1]}"]


@dataclass(frozen=True, slots=True)
class StepFunctions:
    """An offset and step functions that add to it.

    Attributes
    ----------
    offset : the score of a row before anything is added.
    steps : what is added.
    columns : the names of all columns of the table, in order.
    quantity : what the sum stands for.
    complexity : two for each piece: its score, and its share of the cuts.

    Examples
    --------
    >>> import numpy as np
    >>> old = StepFunction(("age",), ((40.0,),), (-1.0, 0.5))
    >>> model = StepFunctions(2.0, (old,), ("age", "bmi"), "The prediction", complexity=4)
    >>> model(np.array([[39.0, 20.0], [40.0, 20.0]]))
    array([1. , 2.5])
    >>> print(model.describe())
    The prediction, as a sum of step functions (1 function, complexity 4):
    +2    always
    −1    if  age < 40
    +0.5  if  age ≥ 40
    """

    offset: float
    steps: tuple[StepFunction, ...]
    columns: tuple[str, ...]
    quantity: str
    complexity: int

    def __call__(self, X: TableLike) -> Float:
        """Return the scores of a table: an array of all columns, or a DataFrame."""
        used = {name for step in self.steps for name in step.columns}
        source = column_source(X, used, self.columns)
        values = np.full(source.n_rows, self.offset)
        for step in self.steps:
            values += step(source.take)
        return values

    def describe(self) -> str:
        """Print the offset and the pieces, in the units of the table."""
        size = f"{notation.count(len(self.steps), 'function')}, complexity {self.complexity}"
        head = f"{self.quantity}, as a sum of step functions ({size})"
        lines = [line for step in self.steps for line in step.lines()]
        offset = rule_lines.RuleLine(self.offset, notation.ALWAYS)
        return f"{head}:\n{rule_lines.format_lines([offset, *lines], 3)}"


@dataclass(frozen=True, slots=True)
class Size:
    """The largest number of pieces: `bins` for each column, their square for each pair."""

    bins: int
    pairs: int

    def complexity(self, n_columns: int) -> int:
        """Return the complexity of a model that uses all of them."""
        pairs = min(self.pairs, comb(n_columns, 2))
        return 2 * (n_columns * self.bins + pairs * self.bins**2)


class _EBM(Rival):
    """Learn step functions, for either task."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "n_interactions": [Interval(Integral, 0, None, closed="left")],
        "reg_lambda": [Interval(Real, 0, None, closed="left")],
        "max_complexity": [Interval(Integral, 0, None, closed="left"), None],
        "outer_bags": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "max_rounds": [Interval(Integral, 1, None, closed="left")],
        "as_published": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_bins: int = 5,
        n_interactions: int = 0,
        reg_lambda: float = 0.0,
        max_complexity: int | None = None,
        outer_bags: int = 14,
        learning_rate: float = 0.04,
        max_rounds: int = 50000,
        as_published: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_bins = n_bins
        self.n_interactions = n_interactions
        self.reg_lambda = reg_lambda
        self.max_complexity = max_complexity
        self.outer_bags = outer_bags
        self.learning_rate = learning_rate
        self.max_rounds = max_rounds
        self.as_published = as_published
        self.random_state = random_state

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        names = ("n_bins", "n_interactions", "reg_lambda")
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        for values in product(*(self._values(grid, name) for name in names)):
            size = Size(*values[:2])
            if self._is_possible(size, data.X.shape[1], alone=not grid):
                start = perf_counter()
                model = self._model(data, size, values[2], seed)
                yield FittedModel(
                    dict(zip(names, values, strict=True)), model, perf_counter() - start
                )

    def _is_possible(self, size: Size, n_columns: int, alone: bool) -> bool:
        """Tell whether this size is within the limit; if it is the only one, it must be."""
        if self.as_published and size.bins <= UNUSED_BINS:
            raise ValueError(
                f"n_bins={size.bins} is too small for as_published=True, which leaves "
                f"{UNUSED_BINS} of the bins unused: it must be at least {UNUSED_BINS + 1}"
            )
        complexity = size.complexity(n_columns)
        possible = self.max_complexity is None or complexity <= self.max_complexity
        if alone and not possible:
            raise ValueError(
                f"n_bins={size.bins} and n_interactions={size.pairs} may need a complexity of "
                f"{complexity} for {n_columns} columns, more than "
                f"max_complexity={self.max_complexity}: lower them, or raise it"
            )
        return possible

    def _model(self, data: TrainingData, size: Size, reg_lambda: float, seed: int) -> StepFunctions:
        X, n_columns = np.asarray(data.X, dtype=np.float64), data.X.shape[1]
        classes = None if data.classes is None else data.classes.tolist()
        y = data.y if classes is None else data.y.astype(np.int64)
        max_bins = size.bins + (0 if self.as_published else UNUSED_BINS)
        machine = _machine(classes is not None)(
            feature_types=["continuous"] * n_columns,
            max_bins=max_bins,
            max_interaction_bins=max_bins,
            interactions=size.pairs,
            # A boosting step minimises its quadratic loss plus half of this times its square.
            reg_lambda=2 * reg_lambda,
            outer_bags=self.outer_bags,
            learning_rate=self.learning_rate,
            max_rounds=self.max_rounds,
            n_jobs=1,
            random_state=seed,
        ).fit(X, y)
        steps = _steps(machine, data.columns)
        realised = 2 * sum(len(step.scores) for step in steps)
        return StepFunctions(
            float(np.ravel(machine.intercept_)[0]),
            steps,
            data.columns,
            f"The {first_model(data).score_words()}",
            size.complexity(n_columns) if self.as_published else realised,
        )


def _machine(classes: bool) -> Any:
    """Import the machine that learns the step functions."""
    try:
        from interpret import glassbox
    except ImportError as error:
        raise ImportError(
            f"explainable boosting machines need the package interpret: {install_command('lab')}"
        ) from error
    if classes:
        return glassbox.ExplainableBoostingClassifier
    return glassbox.ExplainableBoostingRegressor


def _steps(machine: Any, columns: tuple[str, ...]) -> tuple[StepFunction, ...]:
    """Return the terms of a fitted machine that have more than one piece."""
    terms = []
    for features, scores in zip(machine.term_features_, machine.term_scores_, strict=True):
        # Pairs may have coarser bins than single columns.
        cuts = [machine.bins_[j][min(len(machine.bins_[j]), len(features)) - 1] for j in features]
        pieces = scores[(slice(1, -1),) * len(features)]
        if pieces.size > 1:
            terms.append(
                StepFunction(
                    tuple(columns[j] for j in features),
                    tuple(tuple(places.tolist()) for places in cuts),
                    tuple(pieces.ravel().tolist()),
                )
            )
    return tuple(terms)


class EBMClassifier(_EBM, RivalClassifier):
    """Tell two classes apart by a step function of each column, and of a few pairs of columns.

    The step functions are those of the explainable boosting machine in the package interpret,
    with bins of equal numbers of rows.

    Parameters
    ----------
    n_bins : int, default=5
        The number of intervals of each column, if it has that many distinct values.
    n_interactions : int, default=0
        The number of pairs of columns.
    reg_lambda : float, default=0.0
        The L2 penalty λ of each boosting step. It shrinks the steps, not their sum, so it matters
        less than that of the other methods.
    max_complexity : int or None, default=None
        `path` leaves out combinations whose complexity may exceed this, before learning them;
        `fit` refuses them.
    outer_bags : int, default=14
        The number of models that are averaged, each stopped by validation rows of its own.
    learning_rate : float, default=0.04
        The factor of each step.
    max_rounds : int, default=50000
        The largest number of steps for each column.
    as_published : bool, default=False
        Whether to repeat the mistakes of the published experiments: two of the bins are reserved
        for missing and unseen values, but all are counted.
    random_state : int, RandomState instance or None, default=0
        Draws the validation rows.

    Attributes
    ----------
    model_ : StepFunctions
        The step functions, in the units of the table.
    complexity_ : int
        Two for each piece of a step function.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if they have any.

    References
    ----------
    Lou, Caruana, Gehrke, Hooker: Accurate Intelligible Models with Pairwise Interactions. 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb.lab.rivals.ebm import EBMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = EBMClassifier(n_bins=3, outer_bags=1, max_rounds=100).fit(X, y == 1)
    >>> machine.complexity_, machine.score(X, y == 1) > 0.9
    (24, True)
    """


class EBMRegressor(_EBM, RivalRegressor):
    """Predict a number by a step function of each column, and of a few pairs of columns.

    The step functions are those of the explainable boosting machine in the package interpret,
    with bins of equal numbers of rows.

    Parameters
    ----------
    n_bins : int, default=5
        The number of intervals of each column, if it has that many distinct values.
    n_interactions : int, default=0
        The number of pairs of columns.
    reg_lambda : float, default=0.0
        The L2 penalty λ of each boosting step. It shrinks the steps, not their sum, so it matters
        less than that of the other methods.
    max_complexity : int or None, default=None
        `path` leaves out combinations whose complexity may exceed this, before learning them;
        `fit` refuses them.
    outer_bags : int, default=14
        The number of models that are averaged, each stopped by validation rows of its own.
    learning_rate : float, default=0.04
        The factor of each step.
    max_rounds : int, default=50000
        The largest number of steps for each column.
    as_published : bool, default=False
        Whether to repeat the mistakes of the published experiments: two of the bins are reserved
        for missing and unseen values, but all are counted.
    random_state : int, RandomState instance or None, default=0
        Draws the validation rows.

    Attributes
    ----------
    model_ : StepFunctions
        The step functions, in the units of the table.
    complexity_ : int
        Two for each piece of a step function.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if they have any.

    References
    ----------
    Lou, Caruana, Gehrke, Hooker: Accurate Intelligible Models with Pairwise Interactions. 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.lab.rivals.ebm import EBMRegressor
    >>> x = np.arange(100.0)
    >>> machine = EBMRegressor(n_bins=2, outer_bags=1, max_rounds=200)
    >>> print(machine.fit(x[:, None], np.where(x < 50, 1.0, 3.0)).describe())
    The prediction, as a sum of step functions (1 function, complexity 4):
    +2  always
    −1  if  x0 < 49.5
    +1  if  x0 ≥ 49.5
    """
