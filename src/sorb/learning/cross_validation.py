"""Cross-validation along the stages: one fit gives the held-out risk for each number of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from sorb._types import Float, Int
from sorb.learning.bags import folds
from sorb.learning.boosting import BoostingSettings, boost, constant_model
from sorb.learning.rows import Rows, matrix_source
from sorb.rules import Condition, RuleEnsemble
from sorb.rules.columns import ColumnSource
from sorb.tables.training import TrainingData


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Held-out risk against the number of rules, for each strength of the penalty.

    Attributes
    ----------
    reg_lambda : ndarray of shape (strengths,)
        The strengths of the L2 penalty, as they were given.
    risk : ndarray of shape (strengths, max_rules + 1)
        The mean loss of the held-out rows with 0, 1, … rules: the mean over the folds, each
        weighted by its held-out weight. A path that ended early keeps its last risk.
    spread : ndarray of shape (strengths, max_rules + 1)
        The standard error of that mean, from the differences between the folds; 0 if there is
        one fold only.
    complexity : ndarray of shape (strengths, max_rules + 1)
        The mean complexity over the folds.

    Examples
    --------
    >>> import numpy as np
    >>> curve = Curve(
    ...     np.array([1.0]),
    ...     risk=np.array([[0.7, 0.4, 0.39]]),
    ...     spread=np.array([[0.01, 0.02, 0.02]]),
    ...     complexity=np.array([[0.0, 3.0, 8.0]]),
    ... )
    >>> curve.choose("best"), curve.choose("one_se")
    ((1.0, 2), (1.0, 1))
    """

    reg_lambda: Float
    risk: Float
    spread: Float
    complexity: Float

    def choose(self, selection: str) -> tuple[float, int]:
        """Choose a strength and a number of rules.

        Parameters
        ----------
        selection : {"best", "one_se"}
            The lowest risk, or the lowest complexity of those whose risk is within one standard
            error of the lowest. What is equal in that is decided by complexity or risk, then by
            fewer rules, then by the stronger penalty.
        """
        strength, rules = np.indices(self.risk.shape).reshape(2, -1)
        risk, complexity = self.risk.ravel(), self.complexity.ravel()
        order = np.lexsort((-self.reg_lambda[strength], rules, complexity, risk))
        if selection == "one_se":
            best = order[0]
            near = ~(risk > risk[best] + self.spread.ravel()[best])
            order = np.lexsort((-self.reg_lambda[strength], rules, risk, complexity, ~near))
        return float(self.reg_lambda[strength[order[0]]]), int(rules[order[0]])


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """Weights and counts for learning, for each row of the table, and the rows held out."""

    learn: Float
    count: Float
    held_out: Int
    weight: Float


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """Held-out risk and complexity with 0, 1, … rules, learned without one fold."""

    risk: Float
    complexity: Float

    def extended(self, max_rules: int) -> Path:
        """Give the same path as if it had kept its last model up to `max_rules`."""
        number = np.minimum(np.arange(max_rules + 1), len(self.risk) - 1)
        return Path(self.risk[number], self.complexity[number])


def dealt_folds(data: TrainingData, n_folds: int, seed: int) -> list[Fold]:
    """Deal the rows to folds, copies of a row to the same one unless the table is coarse there.

    There are no more folds than rows, and none if there is one row only.
    """
    rows = Rows.of(data)
    shares = folds(rows, n_folds, seed, classes=data.classes is not None)
    if len(shares) < 2:
        return []

    def spread(values: Float) -> Float:
        of_table = np.zeros(len(data.X))
        of_table[rows.origin] = values
        return of_table

    return [
        _fold(
            data,
            spread(rows.weight * (1 - share)),
            spread(np.rint(rows.count * (1 - share))),
            spread(rows.weight * share),
        )
        for share in shares
    ]


def given_folds(data: TrainingData, splits: Iterable[tuple[Any, Any]]) -> list[Fold]:
    """Make folds of the user's pairs of rows to learn from and rows to hold out."""
    everything = np.arange(len(data.X))

    def times(chosen: Any) -> NDArray[np.int64]:
        # Also from masks and negative numbers.
        return np.bincount(everything[chosen], minlength=len(everything))

    found = []
    for k, (learn, held_out) in enumerate(splits):
        weights = [data.weight * times(chosen) for chosen in (learn, held_out)]
        for part, weight in zip(("training", "test"), weights, strict=True):
            if not weight.any():
                raise ValueError(f"cv: the {part} rows of split {k} have no weight")
        once = np.ones_like(data.weight) if data.count is None else data.count
        found.append(_fold(data, weights[0], once * times(learn), weights[1]))
    if not found:
        raise ValueError("cv: there are no splits")
    return found


def _fold(data: TrainingData, learn: Float, count: Float, held_out: Float) -> Fold:
    # The held-out rows in an order of their own, so that the table's order changes no sum.
    rows = Rows.of(data, held_out)
    return Fold(learn, count, rows.origin, rows.weight)


def cross_validate(
    data: TrainingData,
    folds: Sequence[Fold],
    all_settings: Sequence[BoostingSettings],
    max_rules: int,
    done: Callable[[], None] = lambda: None,
    **parallel: Any,
) -> Curve:
    """Learn without each fold at each strength of the penalty, and judge all stages on it.

    Parameters
    ----------
    data : what is to be learned.
    folds : what is held out in turn. Without any, nothing is known about any risk.
    all_settings : one for each strength.
    max_rules : the number of rules up to which the curve is drawn.
    done : called after each fit.
    parallel : passed to joblib.
    """
    tasks = [(settings, fold) for settings in all_settings for fold in folds]
    paths = []
    fits = Parallel(return_as="generator", **parallel)
    for path in fits(delayed(_follow)(data, *task) for task in tasks):
        paths.append(path)
        done()
    shape = (len(all_settings), len(folds), max_rules + 1)
    extended = [path.extended(max_rules) for path in paths]
    risk = np.reshape([path.risk for path in extended], shape)
    complexity = np.reshape([path.complexity for path in extended], shape)
    strengths = np.array([settings.reg_lambda for settings in all_settings])
    return _summary(strengths, risk, complexity, np.array([f.weight.sum() for f in folds]))


def _summary(strengths: Float, risk: Float, complexity: Float, weight: Float) -> Curve:
    n_folds = len(weight)
    if not n_folds:
        unknown = np.full((len(strengths), risk.shape[2]), np.nan)
        return Curve(strengths, unknown, unknown, np.zeros_like(unknown))
    share = weight / weight.sum()
    mean = np.einsum("k,lkr->lr", share, risk)
    variance = np.einsum("k,lkr->lr", share, np.square(risk - mean[:, None]))
    return Curve(strengths, mean, np.sqrt(variance / max(n_folds - 1, 1)), complexity.mean(axis=1))


def _follow(data: TrainingData, settings: BoostingSettings, fold: Fold) -> Path:
    rows = Rows.of(data, fold.learn, fold.count)
    stages = boost(rows, settings, constant_model(data, rows))
    source, y = matrix_source(data.X, data.schema, fold.held_out), data.y[fold.held_out]
    share = fold.weight / fold.weight.sum()
    ensembles = [stage.ensemble for stage in stages]
    risk = [float(share @ data.loss.value(y, f)) for f in staged_scores(ensembles, source)]
    return Path(np.array(risk), np.array([float(e.complexity) for e in ensembles]))


def staged_scores(ensembles: Iterable[RuleEnsemble], source: ColumnSource) -> Iterator[Float]:
    """Give the decision values of each ensemble; a condition that several share is decided once."""
    known: dict[Condition, NDArray[np.bool_]] = {}
    for ensemble in ensembles:
        values = np.tile(np.atleast_1d(np.array(ensemble.offset)), (source.n_rows, 1))
        for rule in ensemble:
            if rule.condition not in known:
                known[rule.condition] = rule.condition.covers(source)
            values[:, rule.output] += rule.vote * known[rule.condition]
        yield values if isinstance(ensemble.offset, tuple) else values[:, 0]
