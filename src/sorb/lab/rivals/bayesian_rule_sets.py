"""Bayesian rule sets: positive if any of a few mined rules covers the row (Wang et al. 2017)."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from sorb._types import Bool
from sorb.lab.rivals.rival import FittedModel, Grid, RivalClassifier, constant_model
from sorb.lab.rivals.rule_mining import BEAM, Literals, Pool
from sorb.lab.rivals.rule_set_search import Posterior, RuleSetSearch
from sorb.rules import Rule, RuleEnsemble
from sorb.tables.training import TrainingData

_LEAST_VOTE = 0.01


class BayesianRuleSetClassifier(RivalClassifier):
    """Tell two classes apart by a set of rules: positive if any of them covers the row.

    Conjunctions that cover many positive rows are mined (see `sorb.lab.rivals.rule_mining`). Among
    the `n_candidates` of lowest conditional entropy, simulated annealing looks for the set with the
    largest posterior probability: a beta-binomial prior for the number of rules of each length, and
    a beta-binomial likelihood each for the classes of the covered and of the uncovered rows.

    The method gives classes but no probabilities. As a sum of votes, the set has a negative offset
    and rules that each outweigh it, so that the sign of the score is the class; only where at most
    one rule covers a row is the score the log-odds among the training rows. Without any rule, all
    rows get the more frequent class.

    Parameters
    ----------
    max_length : int, default=3
        The largest number of propositions in a rule.
    n_candidates : int, default=1000
        The number of mined conjunctions to choose from.
    support : float, default=0.05
        The least share of the positive rows that a candidate covers.
    n_iterations : int, default=500
        The length of each chain.
    n_chains : int, default=2
        The number of independent searches.
    prior_covered, prior_uncovered : pairs of float, default=(500, 1)
        Pseudo-counts of rows classified correctly and wrongly, among the covered and among the
        uncovered rows.
    random_state : int, RandomState instance or None, default=0
        The source of random numbers.

    Attributes
    ----------
    model_ : RuleEnsemble
        The rule set as a sum of votes.
    complexity_ : int
        The number of rules, plus two for each proposition.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).integers(5, size=(500, 3))
    >>> y = (X[:, 0] >= 2) & (X[:, 1] <= 1) | (X[:, 2] == 4)
    >>> sets = BayesianRuleSetClassifier().fit(X, y)
    >>> print(sets.model_)
     −6.4  always
    +11.9  if  x0 ≥ 1.5  and  x1 ≤ 1.5
    +11.7  if  x2 ≥ 3.5
    >>> sets.complexity_, sets.score(X, y)
    (8, 1.0)
    """

    gives_probabilities: ClassVar[bool] = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_length": [Interval(Integral, 1, None, closed="left")],
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
        "support": [Interval(Real, 0, 1, closed="right")],
        "n_iterations": [Interval(Integral, 1, None, closed="left")],
        "n_chains": [Interval(Integral, 1, None, closed="left")],
        "prior_covered": [tuple, list],
        "prior_uncovered": [tuple, list],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        max_length: int = 3,
        n_candidates: int = 1000,
        support: float = 0.05,
        n_iterations: int = 500,
        n_chains: int = 2,
        prior_covered: tuple[float, float] = (500.0, 1.0),
        prior_uncovered: tuple[float, float] = (500.0, 1.0),
        random_state: Any = 0,
    ) -> None:
        self.max_length = max_length
        self.n_candidates = n_candidates
        self.support = support
        self.n_iterations = n_iterations
        self.n_chains = n_chains
        self.prior_covered = prior_covered
        self.prior_uncovered = prior_uncovered
        self.random_state = random_state

    def _learn(self, data: TrainingData, grid: Grid) -> Iterator[FittedModel]:
        lengths = self._values(grid, "max_length")
        sizes = self._values(grid, "n_candidates")
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        start = perf_counter()
        order = np.argsort(-data.y, kind="stable")  # the positive rows first
        pool = Pool(Literals.of(data.array[order]), int(data.y.sum()), self.support)
        mining = perf_counter() - start
        for length in range(1, max(lengths) + 1):
            start = perf_counter()
            pool = pool.longer(max(BEAM, *sizes))
            mining += perf_counter() - start
            for size in sizes if length in lengths else ():
                start = perf_counter()
                model = self._best_set(data, pool, size, np.random.default_rng(seed))
                seconds = mining + perf_counter() - start
                yield FittedModel({"max_length": length, "n_candidates": size}, model, seconds)

    def _prior(self, rows: str) -> tuple[float, float]:
        value = getattr(self, f"prior_{rows}")
        if len(value) != 2 or not all(count > 0 for count in value):
            raise ValueError(f"prior_{rows} must be two numbers > 0, found {value}")
        return float(value[0]), float(value[1])

    def _best_set(
        self, data: TrainingData, pool: Pool, n_candidates: int, random: np.random.Generator
    ) -> RuleEnsemble:
        """Choose from the mined rules, for which the positive rows come first."""
        candidates = pool.screen(n_candidates)
        if not candidates:
            return constant_model(data)
        covered = np.concatenate([pool.literals.covers(rule[None]) for rule in candidates])
        lengths = np.array([len(rule) for rule in candidates])
        space = pool.literals.n_conjunctions(len(pool.levels))
        posterior = Posterior(space, self._prior("covered"), self._prior("uncovered"))
        search = RuleSetSearch(covered, pool.n_positive, lengths, posterior)
        chosen = list(search.best(self.n_iterations, self.n_chains, random))
        if not chosen:
            return constant_model(data)
        conditions = [pool.literals.condition(candidates[i], data.columns) for i in chosen]
        offset, weights = votes(covered[chosen], pool.n_positive)
        rules = tuple(map(Rule, conditions, weights))
        labels = tuple(np.asarray(data.classes).tolist())
        return RuleEnsemble(offset, rules, data.columns, data.loss, labels)


def votes(covered: Bool, n_positive: int) -> tuple[float, list[float]]:
    """Return an offset and votes whose sum is positive exactly where a rule covers the row.

    Where no rule or a single one covers a row, the sum is the log-odds among the rows covered like
    it, or just enough to have the right sign.

    Parameters
    ----------
    covered : whether each rule (first axis) covers each row (second axis).
    n_positive : the number of positive rows, which come first.

    Examples
    --------
    >>> import numpy as np
    >>> offset, weights = votes(np.array([[True, True, False, False, False]]), n_positive=2)
    >>> round(offset, 2), np.round(weights, 2)
    (-1.95, array([3.56]))
    """
    uncovered = ~np.logical_or.reduce(covered, axis=0)
    offset = min(_log_odds(uncovered, n_positive), -_LEAST_VOTE)
    return offset, [max(_log_odds(row, n_positive), _LEAST_VOTE) - offset for row in covered]


def _log_odds(rows: Bool, n_positive: int) -> float:
    # Half a row more of each class, because there may be none.
    n_true, n_false = rows[:n_positive].sum(), rows[n_positive:].sum()
    return float(np.log((n_true + 0.5) / (n_false + 0.5)))
