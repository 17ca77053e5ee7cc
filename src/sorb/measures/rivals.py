"""Models that many people would try first: logistic or linear regression, and a small tree.

The penalty and the number of leaves are chosen by cross-validation on the training rows alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge, TweedieRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sorb._types import Float, Int
from sorb.losses import Loss
from sorb.measures.encoding import Columns, Design
from sorb.measures.stage_risks import has_class_weights
from sorb.rules import RuleEnsemble, notation
from sorb.rules.prediction import class_probabilities, count_classes
from sorb.tables.class_shares import class_shares
from sorb.tables.row_groups import number_groups
from sorb.tables.targets import Outcomes
from sorb.tables.weights import copy_counts, row_weights

__all__ = [
    "LEAVES",
    "Rival",
    "RivalRows",
    "choose",
    "learn_regression",
    "learn_rivals",
    "learn_tree",
    "learn_tree_of",
    "reason_without_rivals",
    "rival_columns",
    "rival_rows",
]

# What the regression for each loss is called, in a column head and in a sentence.
REGRESSIONS = {
    "logistic": ("logistic", "logistic regression"),
    "softmax": ("logistic", "logistic regression"),
    "squared": ("linear", "linear regression"),
    "poisson": ("Poisson", "Poisson regression"),
    "gamma": ("gamma", "gamma regression"),
    "tweedie": ("Tweedie", "Tweedie regression"),
}
# The variance of these losses grows with this power of the mean.
POWERS = {"poisson": 1.0, "gamma": 2.0}
ACCURACY = 1e-6
PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
LEAVES = (2, 4, 8, 16, 32)
# To choose these; one fold is enough for more cells.
FOLDS, MOST_FOLDED_CELLS = 5, 200_000
LEAST_ROWS, LEAST_SHARE = 5, 0.01  # of a leaf
# Wider and larger tables are not given to rivals; categories count as a column each.
MOST_COLUMNS, MOST_CELLS = 1000, 5_000_000


T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class RivalRows:
    """The rows that rivals learn from.

    Attributes
    ----------
    matrix : numbers and places of categories, as `Columns.read` gives them.
    n_categories : how many categories each column has, 0 if it holds numbers.
    y, weight : outcomes, for classes their indices, and the weights of the rows.
    loss : the loss of the outcomes.
    n_classes : how many classes there are; 0 if the outcomes are numbers.
    unit : the mean weight of a row, which only an exposure makes other than 1.
    group : the number of the group of each row, if there are groups.
    """

    matrix: Float
    n_categories: tuple[int, ...]
    y: Float
    weight: Float
    loss: Loss
    n_classes: int
    unit: float = 1.0
    group: Int | None = None

    def take(self, places: Int) -> RivalRows:
        """Select some of the rows."""
        group = None if self.group is None else self.group[places]
        some = self.matrix[places], self.y[places], self.weight[places]
        return replace(self, matrix=some[0], y=some[1], weight=some[2], group=group)

    def folds(self) -> list[tuple[Int, Int]]:
        """Divide the rows into training and test rows, to choose sizes by; copies stay together.

        Of a large table, only the first fold is given.
        """
        alike = self.group
        if alike is None:
            _, alike = np.unique(self.matrix, axis=0, return_inverse=True)
        n_alike = int(alike.max()) + 1
        if n_alike < FOLDS:
            return []
        fold = np.random.default_rng(0).permutation(n_alike)[alike] % FOLDS
        used = FOLDS if self.matrix.size <= MOST_FOLDED_CELLS else 1
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(used)]

    def risk(self, places: Int, scores: Float) -> float:
        """Add up the loss of scores of some of the rows."""
        with np.errstate(over="ignore", invalid="ignore"):
            losses = self.loss.value(self.y[places], scores)
        total = float(self.weight[places] @ losses)
        return total if np.isfinite(total) else np.inf

    def scores(self, predictor: Any, rows: Any) -> Float:
        """Let a fitted model of scikit-learn's kind predict, and give scores as rules do."""
        if not self.n_classes:
            return self.loss.link(np.asarray(predictor.predict(rows), dtype=np.float64))
        probability = np.zeros((len(rows), self.n_classes))
        # A class may be missing among the rows that were learned from.
        present = np.asarray(predictor.classes_, dtype=np.intp)
        probability[:, present] = predictor.predict_proba(rows)
        return self.link(probability)

    def link(self, probability: Float) -> Float:
        """Turn the probabilities of the classes into scores."""
        return self.loss.link(probability if self.loss.score_per_class else probability[:, 1])


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """A model that was learned from the same rows.

    Attributes
    ----------
    name : a short name.
    what : what it is.
    size : how large it is, in words.
    scores : gives the score of each row of a matrix like the one it was learned from.
    complexity : rules + propositions + coefficients, if the model can be written as rules.
    """

    name: str
    what: str
    size: str
    scores: Callable[[Float], Float]
    complexity: int | None = None


def choose(
    rows: RivalRows,
    candidates: Sequence[T],
    learn_all: Callable[[RivalRows, Sequence[T]], Iterable[Rival]],
    default: T,
) -> T:
    """Choose what has the lowest loss in cross-validation; the default if it cannot be told.

    `learn_all` learns with each of the candidates, in their order.
    """
    risks = np.zeros(len(candidates))
    for training, test in rows.folds():
        learned, matrix = rows.take(training), rows.matrix[test]
        if rows.n_classes and len(np.unique(learned.y)) < len(np.unique(rows.y)):
            continue
        risks += [rows.risk(test, one.scores(matrix)) for one in learn_all(learned, candidates)]
    return candidates[int(np.argmin(risks))] if risks.any() else default


def one_by_one(
    learn: Callable[[RivalRows, T], Rival],
) -> Callable[[RivalRows, Sequence[T]], Iterable[Rival]]:
    """Learn with each of several candidates in turn."""
    return lambda rows, candidates: (learn(rows, one) for one in candidates)


def learn_regression(rows: RivalRows) -> Rival:
    """Learn the linear model for the loss, with a ridge penalty on standardised columns."""
    return _learn_regression(rows, choose(rows, PENALTIES, one_by_one(_learn_regression), 1.0))


def _learn_regression(rows: RivalRows, penalty: float) -> Rival:
    design = Design.of(rows.matrix, rows.n_categories, rows.weight)
    predictor = _regression(rows, penalty)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        predictor.fit(design(rows.matrix), rows.y, sample_weight=rows.weight)
    size = notation.count(int(np.count_nonzero(predictor.coef_)), "coefficient")
    return Rival(
        *REGRESSIONS[rows.loss.name], size, lambda matrix: rows.scores(predictor, design(matrix))
    )


def _regression(rows: RivalRows, penalty: float) -> Any:
    if rows.n_classes:
        return LogisticRegression(C=1 / penalty, max_iter=300)
    if rows.loss.name == "squared":
        return Ridge(alpha=penalty)
    power = POWERS.get(rows.loss.name) or rows.loss.parameters["power"]
    # Its penalty is for the mean of the losses, and the same for exposures in days or in years.
    return TweedieRegressor(
        power=power,
        alpha=penalty * rows.unit ** (power - 1) / float(rows.weight.sum()),
        link="log",
        solver="newton-cholesky",
        # A share of the size that derivatives have, which may be small.
        tol=ACCURACY * float(np.average(rows.y, weights=rows.weight)) ** (2 - power),
        max_iter=300,
    )


def learn_tree(rows: RivalRows) -> Rival:
    """Learn a decision tree of 2 to 32 leaves, each with five rows and a hundredth of all.

    Each leaf predicts the mean over its rows and one more that has the mean outcome of all rows, so
    that no class is ruled out.
    """
    return learn_tree_of(rows, choose(rows, LEAVES, one_by_one(learn_tree_of), 8))


def learn_tree_of(rows: RivalRows, most_leaves: int) -> Rival:
    """Learn a decision tree with at most so many leaves."""
    design = Design.of(rows.matrix, rows.n_categories, rows.weight)
    matrix, weight = design(rows.matrix), rows.weight / rows.unit
    limits = {
        "max_leaf_nodes": most_leaves,
        "min_weight_fraction_leaf": min(0.5, max(LEAST_SHARE, LEAST_ROWS / float(weight.sum()))),
        "random_state": 0,
    }
    if rows.n_classes:
        tree = DecisionTreeClassifier(criterion="log_loss", **limits)
        outcome = (rows.y[:, None] == np.arange(rows.n_classes)).astype(np.float64)
    else:
        criterion = "squared_error" if rows.loss.name == "squared" else "poisson"
        tree = DecisionTreeRegressor(criterion=criterion, **limits)
        outcome = rows.y[:, None]
    tree.fit(matrix, rows.y, sample_weight=weight)
    means = _leaf_means(tree.apply(matrix), outcome, weight)

    def scores(other: Float) -> Float:
        expected = means[tree.apply(design(other))]
        return rows.link(expected) if rows.n_classes else rows.loss.link(expected[:, 0])

    n_leaves = int(tree.get_n_leaves())
    size = f"{n_leaves} {'leaf' if n_leaves == 1 else 'leaves'}"
    return Rival("tree", "a small decision tree", size, scores, _complexity(tree.tree_))


def _complexity(tree: Any) -> int:
    """The complexity of a tree with a rule for each leaf: one, and two for each condition above."""
    depth = np.zeros(tree.node_count, dtype=np.intp)
    for node, below in enumerate(zip(tree.children_left, tree.children_right, strict=True)):
        if below[0] >= 0:
            depth[list(below)] = depth[node] + 1
    leaves = tree.children_left < 0
    return int((1 + 2 * depth[leaves]).sum()) if tree.node_count > 1 else 0


def _leaf_means(leaf: Any, outcome: Float, weight: Float) -> Float:
    mean = weight @ outcome / weight.sum()
    total = np.bincount(leaf, weight)
    sums = [np.bincount(leaf, weight * column) for column in outcome.T]
    means: Float = (np.column_stack(sums) + mean) / (total[:, None] + 1)
    return means


def learn_rivals(model: Any, X: Any, y: Any, *others: Any) -> tuple[list[Rival], tuple[str, ...]]:
    """Let rivals learn from what an estimator was fitted to, or say why they are left out.

    The `others` are those that `rival_rows` takes.
    """
    if reason := reason_without_rivals(model, len(y)):
        return [], (f"Regression and a tree are left out, as {reason}.",)
    rows = rival_rows(model, X, y, *others)
    return [learn_regression(rows), learn_tree(rows)], ()


def reason_without_rivals(model: Any, n_rows: int) -> str | None:
    """Say why no rivals learn from so many rows of the table of an estimator; None if they do."""
    if len(model.ensemble_.classes or (0, 1)) == 1:
        return "there is a single class"
    width = sum(n or 1 for n in rival_columns(model).n_categories)
    if width > MOST_COLUMNS:
        return f"there are more than {MOST_COLUMNS:,} columns"
    return f"there are more than {MOST_CELLS:,} cells" if width * n_rows > MOST_CELLS else None


def rival_rows(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    exposure: Any = None,
    groups: Any = None,
) -> RivalRows:
    """Read what an estimator was fitted to for its rivals, without rows of weight 0.

    After class weights each class counts as often as the estimator without rules expects it. What
    rivals learn does not depend on the unit of the weights.
    """
    ensemble: RuleEnsemble = model.ensemble_
    columns = rival_columns(model)
    weight = row_weights(sample_weight, len(y))
    n_rows = float(copy_counts(weight)[weight > 0].sum())
    outcomes = Outcomes.of(ensemble, y, weight * (n_rows / weight.sum()), exposure)
    kept = np.flatnonzero(outcomes.weight > 0)
    return RivalRows(
        columns.read(X)[kept],
        columns.n_categories,
        outcomes.y[kept],
        _counted(model, outcomes.y[kept], outcomes.weight[kept]),
        ensemble.loss,
        count_classes(ensemble.loss, ensemble.classes),
        float(outcomes.weight.sum()) / n_rows,
        None if groups is None else number_groups(groups, len(weight))[kept],
    )


def _counted(model: Any, index: Float, weight: Float) -> Float:
    """Weigh rows so that the classes have the shares that an estimator without rules expects."""
    empty: RuleEnsemble = model.stages_[0].ensemble
    if not has_class_weights(model) or len(empty):
        return weight
    (expected,) = class_probabilities(empty.loss, empty.classes, np.array([empty.offset]))
    place = index.astype(np.intp)
    return np.asarray(weight * expected[place] / class_shares(index, weight)[place])


def rival_columns(model: Any) -> Columns:
    """The columns that an estimator learned from, without those that it left out."""
    names = tuple(name for name in model.ensemble_.columns if name not in model._left_out)
    return Columns(names, model.categories_)
