"""The most probable set of given rules; a row is positive if any rule of the set covers it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from sorb._types import Bool, Float, Index

Bits = NDArray[np.uint8]
RuleSet = tuple[int, ...]  # the indices of its rules among all given ones, ascending

_ALPHA = 10.0
_HOTTEST = 1000.0
_EXPLORING = 0.1  # the share of moves that choose a rule at random
_WALKING = 0.7  # after this share of the iterations, only neighbours of the best sets are tried
_LARGEST_START = 7
_N_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


def log_beta_binomial(k: Float, n: Float, alpha: Float, beta: Float) -> Float:
    """Return the log-probability of one sequence of n draws with k successes.

    The probability of success is drawn first, from a beta distribution.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.array([1.0])
    >>> np.exp(log_beta_binomial(one, 2 * one, one, one)).round(3)
    array([0.167])
    """
    return np.asarray(betaln(k + alpha, n - k + beta) - betaln(alpha, beta), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """The posterior of a set of rules: few rules and few misclassified rows make it probable.

    Attributes
    ----------
    n_conjunctions : the number of possible rules of length 1, 2, …
    covered, uncovered : pseudo-counts of rows classified correctly and wrongly, among those
        covered by some rule, and among the others.

    Examples
    --------
    >>> import numpy as np
    >>> posterior = Posterior(np.array([8.0, 24.0]), (100.0, 1.0), (100.0, 1.0))
    >>> one_rule = posterior(np.array([1, 0]), covered=(20, 2), uncovered=(30, 1))
    >>> longer_rule = posterior(np.array([0, 1]), covered=(20, 2), uncovered=(30, 1))
    >>> precise_rule = posterior(np.array([0, 1]), covered=(20, 0), uncovered=(32, 1))
    >>> precise_rule > one_rule > longer_rule
    True
    """

    n_conjunctions: Float
    covered: tuple[float, float]
    uncovered: tuple[float, float]

    def __call__(
        self, n_rules: Index, covered: tuple[int, int], uncovered: tuple[int, int]
    ) -> float:
        """Return the log-posterior, up to a constant.

        Parameters
        ----------
        n_rules : the number of rules of length 1, 2, …
        covered, uncovered : the numbers of rows classified correctly and wrongly, among those
            covered by some rule, and among the others.
        """
        # So that about one rule of any length is expected.
        beta = _ALPHA * len(n_rules) * np.maximum(self.n_conjunctions, 1)
        k = [*n_rules, covered[0], uncovered[0]]
        n = [*self.n_conjunctions, sum(covered), sum(uncovered)]
        alpha = [*np.full(len(n_rules), _ALPHA), self.covered[0], self.uncovered[0]]
        betas = [*beta, self.covered[1], self.uncovered[1]]
        return float(log_beta_binomial(*map(np.array, (k, n, alpha, betas))).sum())


class RuleSetSearch:
    """Simulated annealing over sets of given rules.

    A row that the current set misclassifies is drawn. If it is positive, a rule is added or
    replaced; if it is negative, a rule is removed or replaced. Mostly this is the rule that makes
    the set most precise, now and then any rule. When all rows are classified correctly, rules that
    are not needed are removed, and others replaced.

    Parameters
    ----------
    covered : whether each rule (first axis) covers each row (second axis).
    n_positive : the number of positive rows, which come first.
    lengths : the number of propositions in each rule.
    posterior : what is maximised.

    Examples
    --------
    >>> import numpy as np
    >>> covered = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0]]) == 1
    >>> posterior = Posterior(np.array([4.0]), (10.0, 1.0), (10.0, 1.0))
    >>> search = RuleSetSearch(covered, 3, np.array([1, 1, 1]), posterior)
    >>> search.best(n_iterations=50, n_chains=1, random=np.random.default_rng(0))
    (0, 1)
    """

    def __init__(
        self, covered: Bool, n_positive: int, lengths: Index, posterior: Posterior
    ) -> None:
        self._rule_covers = covered
        self._n_positive = n_positive
        self._positive = np.arange(covered.shape[1]) < n_positive
        self._bits = [np.packbits(part, axis=1) for part in _parts(covered, n_positive)]
        self._lengths = lengths
        self._posterior = posterior

    def best(self, n_iterations: int, n_chains: int, random: np.random.Generator) -> RuleSet:
        """Return the most probable set that any chain meets, possibly the empty one."""
        return max(self._chain(n_iterations, random) for _ in range(n_chains))[1]

    def log_posterior(self, chosen: RuleSet) -> float:
        """Return the log-posterior of a set, up to a constant."""
        true, false = _parts(self._covered(chosen), self._n_positive)
        n_true, n_false = int(true.sum()), int(false.sum())
        counts = np.bincount(
            self._lengths[list(chosen)] - 1, minlength=len(self._posterior.n_conjunctions)
        )
        return self._posterior(
            counts, (n_true, n_false), (len(false) - n_false, len(true) - n_true)
        )

    def _covered(self, chosen: RuleSet) -> Bool:
        return np.asarray(self._rule_covers[list(chosen)].any(axis=0), dtype=np.bool_)

    def _chain(self, n_iterations: int, random: np.random.Generator) -> tuple[float, RuleSet]:
        n_start = min(
            int(random.integers(1, _LARGEST_START, endpoint=True)), len(self._rule_covers)
        )
        start = _ascending(random.choice(len(self._rule_covers), n_start, replace=False))
        value, chosen = self.log_posterior(start), start
        empty: RuleSet = ()
        maxima = sorted([(self.log_posterior(empty), empty), (value, chosen)])
        for iteration in range(n_iterations):
            if iteration >= _WALKING * n_iterations:
                # The square root prefers the later ones, which are better.
                value, chosen = maxima[int(len(maxima) * math.sqrt(random.random()))]
            proposed = self._neighbour(chosen, random)
            proposed_value = self.log_posterior(proposed)
            if proposed_value > maxima[-1][0]:
                maxima.append((proposed_value, proposed))
            temperature = _HOTTEST ** (1 - iteration / n_iterations)
            if random.random() < math.exp(min(proposed_value - value, 0) / temperature):
                value, chosen = proposed_value, proposed
        return maxima[-1]

    def _neighbour(self, chosen: RuleSet, random: np.random.Generator) -> RuleSet:
        """Change the set so that it may classify one more row correctly."""
        n_covering = self._rule_covers[list(chosen)].sum(axis=0)
        wrong = np.flatnonzero((n_covering > 0) != self._positive)
        if not len(wrong):
            return self._simpler(chosen, n_covering, random)
        row = wrong[random.integers(len(wrong))]
        replaces = random.random() < 0.5
        if chosen and (replaces or not self._positive[row]):
            chosen = self._with_one_less(chosen, n_covering, row, random)
        if replaces or self._positive[row]:
            chosen = self._with_one_more(chosen, random)
        return chosen

    def _with_one_less(
        self, chosen: RuleSet, n_covering: Index, row: int, random: np.random.Generator
    ) -> RuleSet:
        covered = self._rule_covers[list(chosen)]
        if random.random() < _EXPLORING:
            covers = covered[:, row]
            removed = random.choice(np.flatnonzero(covers if covers.any() else ~covers))
        else:
            true, false = _parts(n_covering > covered, self._n_positive)
            n_true, n_false = true.sum(axis=1), false.sum(axis=1)
            removed = _any_largest(n_true / np.maximum(n_true + n_false, 1), random)
        return chosen[:removed] + chosen[removed + 1 :]

    def _with_one_more(self, chosen: RuleSet, random: np.random.Generator) -> RuleSet:
        if random.random() < _EXPLORING:
            return _ascending({*chosen, random.integers(len(self._rule_covers))})
        uncovered = _parts(~self._covered(chosen), self._n_positive)
        n_true, n_false = (
            _N_ONES[bits & np.packbits(rows)].sum(axis=1)
            for bits, rows in zip(self._bits, uncovered, strict=True)
        )
        # One more, so that a rule does not look precise because it covers only one row.
        precision = n_true / (n_true + n_false + 1)
        precision[list(chosen)] = -1
        return _ascending({*chosen, _any_largest(precision, random)})

    def _simpler(self, chosen: RuleSet, n_covering: Index, random: np.random.Generator) -> RuleSet:
        """Remove a rule that covers only rows that others cover too, or else replace one."""
        needed = (self._rule_covers[list(chosen)] & (n_covering == 1)).any(axis=1)
        if needed.all():
            removed = int(random.integers(len(chosen)))
            return self._with_one_more(chosen[:removed] + chosen[removed + 1 :], random)
        removed = int(needed.argmin())
        return chosen[:removed] + chosen[removed + 1 :]


def _parts(values: Bool, n_positive: int) -> tuple[Bool, Bool]:
    """Split the last axis into positive and negative rows."""
    return values[..., :n_positive], values[..., n_positive:]


def _any_largest(values: Float, random: np.random.Generator) -> int:
    places = np.flatnonzero(values == values.max())
    return int(places[random.integers(len(places))])


def _ascending(rules: Any) -> RuleSet:
    return tuple(sorted(map(int, rules)))
