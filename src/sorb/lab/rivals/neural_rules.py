"""Neural rule ensembles: each rule is a value times the least of some ReLU units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils._param_validation import Interval

from sorb._types import Float
from sorb.lab.rivals.neural_network import Leaf, Network, leaves
from sorb.lab.rivals.rival import FittedModel, Grid, Rival, RivalClassifier, RivalRegressor
from sorb.learning.boosting import first_model
from sorb.rules import notation
from sorb.rules.columns import TableLike, column_source
from sorb.tables.training import TrainingData

__all__ = ["NeuralRule", "NeuralRules", "NeuralRulesClassifier", "NeuralRulesRegressor"]

MIN_LEAF = 5
NEGLIGIBLE = 1e-6
PUBLISHED_CLASSIFICATION_DEPTH = 5


@dataclass(frozen=True, slots=True)
class NeuralRule:
    """A value times the least of some rectified weighted sums of the same columns.

    Attributes
    ----------
    columns : the names of the columns in the weighted sums.
    weights : for each unit, a weight for each column.
    biases : what is added to the weighted sum of each unit.
    value : the factor of the least unit.

    Examples
    --------
    >>> print(NeuralRule(("age", "bmi"), ((1.0, 0.0), (-0.5, 2.0)), (-40.0, 3.0), 0.7))
    +0.7 × min(ReLU(age − 40), ReLU(−0.5 age + 2 bmi + 3))
    """

    columns: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    value: float

    @property
    def complexity(self) -> int:
        """One for the rule, one for each unit, one for each weight that is not zero."""
        return 1 + len(self.biases) + int(np.count_nonzero(self.weights))

    def __call__(self, table: Float) -> Float:
        """Return what the rule adds for each row of a table of the rule's own columns."""
        units = table @ np.array(self.weights).T + np.array(self.biases)
        return np.asarray(self.value * np.maximum(units.min(axis=1), 0.0))

    def __str__(self) -> str:
        units = [
            f"ReLU({_weighted_sum(self.columns, weights, bias)})"
            for weights, bias in zip(self.weights, self.biases, strict=True)
        ]
        least = units[0] if len(units) == 1 else f"min({', '.join(units)})"
        return f"{_signed(self.value)} × {least}"


def _signed(value: float) -> str:
    return ("" if value < 0 else "+") + notation.number(value, 3)


def _weighted_sum(columns: Sequence[str], weights: Sequence[float], bias: float) -> str:
    terms = [
        (weight, _term(column, weight))
        for column, weight in zip(columns, weights, strict=True)
        if weight
    ]
    if bias or not terms:
        # Like a threshold, it is a value on the user's own scale: one digit more.
        terms.append((bias, notation.number(abs(bias), 4)))
    (first, written), *rest = terms
    signed = (f" {notation.MINUS if value < 0 else '+'} {term}" for value, term in rest)
    return "".join([notation.MINUS if first < 0 else "", written, *signed])


def _term(column: str, weight: float) -> str:
    factor = "" if abs(weight) == 1 else f"{notation.number(abs(weight), 3)} "
    return factor + notation.name(column)


@dataclass(frozen=True, slots=True)
class NeuralRules:
    """An offset and neural rules that add to it.

    Attributes
    ----------
    offset : the score of a row before anything is added.
    rules : what is added.
    columns : the names of all columns of the table, in order.
    quantity : what the sum stands for.

    Examples
    --------
    >>> import numpy as np
    >>> old = NeuralRule(("age",), ((1.0,),), (-40.0,), 0.5)
    >>> model = NeuralRules(-1.0, (old,), ("age", "bmi"), "The prediction")
    >>> model(np.array([[30.0, 20.0], [50.0, 20.0]]))
    array([-1.,  4.])
    >>> print(model.describe())
    The prediction, as a sum of neural rules (1 rule, complexity 3):
    −1
    +0.5 × ReLU(age − 40)
    """

    offset: float
    rules: tuple[NeuralRule, ...]
    columns: tuple[str, ...]
    quantity: str

    @property
    def complexity(self) -> int:
        """The number of rules, units and weights that are not zero; the offset is free."""
        return sum(rule.complexity for rule in self.rules)

    def __call__(self, X: TableLike) -> Float:
        """Return the scores of a table: an array of all columns, or a DataFrame."""
        used = {name for rule in self.rules for name in rule.columns}
        source = column_source(X, used, self.columns)
        values = np.full(source.n_rows, self.offset)
        for rule in self.rules:
            values += rule(np.column_stack([source.take(name) for name in rule.columns]))
        return values

    def describe(self) -> str:
        """Print the offset and the rules, in the units of the table."""
        size = f"{notation.count(len(self.rules), 'rule')}, complexity {self.complexity}"
        head = f"{self.quantity}, as a sum of neural rules ({size}):"
        return "\n".join([head, _signed(self.offset), *map(str, self.rules)])


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The standardisation of columns: subtract `mean`, divide by `spread`."""

    mean: Float
    spread: Float

    @classmethod
    def of(cls, table: Float) -> Scale:
        """Measure the columns; the spread of a constant one is 1."""
        scaler = StandardScaler().fit(table)
        return cls(scaler.mean_, scaler.scale_)

    def standardise(self, table: Float) -> Float:
        """Scale every column to mean 0 and variance 1."""
        return np.asarray((table - self.mean) / self.spread)


def rules_of(
    network: Network, columns: Sequence[str], scale: Scale, y_spread: float
) -> Iterator[NeuralRule]:
    """Yield the rules with a non-negligible value, in the user's units."""
    for k, value in enumerate(network.values[:-1].tolist()):
        if abs(value) <= NEGLIGIBLE:
            continue
        present = network.trained_units[:, k, -1] > 0  # the others are padding
        used = np.flatnonzero(network.trained_units[0, k, :-1])
        weights = network.units[present, k][:, used]
        weights = np.where(abs(weights) > NEGLIGIBLE, weights, 0.0) / scale.spread[used]
        biases = network.units[present, k, -1] - weights @ scale.mean[used]
        yield NeuralRule(
            tuple(columns[j] for j in used.tolist()),
            tuple(map(tuple, weights.tolist())),
            tuple(biases.tolist()),
            value * y_spread,
        )


class _NeuralRulesRival(Rival):
    """Learn neural rules, for either task."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "as_published": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        max_depth: int = 3,
        n_epochs: int = 100,
        learning_rate: float = 0.01,
        as_published: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.max_depth = max_depth
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.as_published = as_published
        self.random_state = random_state

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        known: dict[int, tuple[NeuralRules, float]] = {}
        for max_depth in self._values(grid, "max_depth"):
            depth = max_depth
            if self.as_published and data.classes is not None:
                depth = PUBLISHED_CLASSIFICATION_DEPTH
            if depth not in known:
                start = perf_counter()
                known[depth] = self._model(data, depth), perf_counter() - start
            yield FittedModel({"max_depth": max_depth}, *known[depth])

    def _model(self, data: TrainingData, depth: int) -> NeuralRules:
        table, outcomes = np.asarray(data.X, dtype=np.float64), data.y[:, None]
        classes = None if data.classes is None else data.classes.tolist()
        scale = Scale.of(table)
        y_scale = Scale.of(outcomes) if classes is None else Scale(np.zeros(1), np.ones(1))
        X, y = scale.standardise(table), y_scale.standardise(outcomes)[:, 0]
        (offset,) = data.loss.best_constant(y, data.weight).tolist()
        paths = list(self._paths(X, y, depth, classes is not None))
        network = Network.from_leaves(paths, X.shape[1], offset, self.as_published)
        X1 = np.column_stack([X, np.ones(len(X))])
        network.train(X1, y, data.loss, self.n_epochs, self.learning_rate)
        (y_mean,), (y_spread,) = y_scale.mean.tolist(), y_scale.spread.tolist()
        return NeuralRules(
            y_mean + y_spread * float(network.values[-1]),
            tuple(rules_of(network, data.columns, scale, y_spread)),
            data.columns,
            f"The {first_model(data).score_words()}",
        )

    def _paths(self, X: Float, y: Float, depth: int, classes: bool) -> Iterator[Leaf]:
        """Grow a tree, and yield its leaves.

        As published, it tries no other split if the best one leaves a side too few rows; for
        regression it accepts any split.
        """
        kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
        smallest = 1 if self.as_published else MIN_LEAF
        tree = kind(max_depth=depth, min_samples_leaf=smallest, random_state=self.random_state)
        return leaves(tree.fit(X, y), MIN_LEAF if classes else smallest)


class NeuralRulesClassifier(_NeuralRulesRival, RivalClassifier):
    """Tell two classes apart by rules of min-pooled ReLU units.

    Each leaf of a decision tree becomes a rule: a value times the least of its rectified cuts.
    Then all cuts, which may give weight to all columns on the path to the leaf, and all values
    are trained together by gradient descent.

    Parameters
    ----------
    max_depth : int, default=3
        The depth of the tree, and so the largest number of units of a rule.
    n_epochs : int, default=100
        The number of steps of Adam, each on all rows.
    learning_rate : float, default=0.01
        The size of a step.
    as_published : bool, default=False
        Whether to repeat the mistakes of the published experiments: biases of the wrong sign, a
        depth of 5 whatever `max_depth`, values that start at zero, no offset.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits of the tree.

    Attributes
    ----------
    model_ : NeuralRules
        The rules, in the units of the table.
    complexity_ : int
        The number of rules, units and weights that are not zero.
    classes_ : ndarray
        The labels.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if they have any.

    References
    ----------
    Dawer, Guo, Barbu: Neural Rule Ensembles: Encoding Sparse Feature Interactions into Neural
    Networks. 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sorb.lab.rivals.neural_rules import NeuralRulesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> rules = NeuralRulesClassifier(max_depth=2).fit(X, y == 1)
    >>> len(rules.model_.rules), rules.score(X, y == 1) > 0.9
    (3, True)
    """


class NeuralRulesRegressor(_NeuralRulesRival, RivalRegressor):
    """Predict a number by rules of min-pooled ReLU units.

    Each leaf of a regression tree becomes a rule: a value times the least of its rectified cuts.
    Then all cuts, which may give weight to all columns on the path to the leaf, and all values
    are trained together by gradient descent.

    Parameters
    ----------
    max_depth : int, default=3
        The depth of the tree, and so the largest number of units of a rule.
    n_epochs : int, default=100
        The number of steps of Adam, each on all rows.
    learning_rate : float, default=0.01
        The size of a step, in standard deviations.
    as_published : bool, default=False
        Whether to repeat the mistakes of the published experiments: biases of the wrong sign,
        values that start at zero, no offset but the mean.
    random_state : int, RandomState instance or None, default=0
        Breaks ties between splits of the tree.

    Attributes
    ----------
    model_ : NeuralRules
        The rules, in the units of the table.
    complexity_ : int
        The number of rules, units and weights that are not zero.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if they have any.

    References
    ----------
    Dawer, Guo, Barbu: Neural Rule Ensembles: Encoding Sparse Feature Interactions into Neural
    Networks. 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from sorb.lab.rivals.neural_rules import NeuralRulesRegressor
    >>> x = np.linspace(0, 4, 100)
    >>> rules = NeuralRulesRegressor(max_depth=1).fit(x[:, None], np.maximum(x - 2, 0))
    >>> len(rules.model_.rules), rules.score(x[:, None], np.maximum(x - 2, 0)) > 0.95
    (2, True)
    """
