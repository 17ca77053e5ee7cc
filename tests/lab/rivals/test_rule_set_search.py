import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.few_examples import quick

from sorb.lab.rivals.rule_set_search import Posterior, RuleSetSearch, log_beta_binomial


def plain_beta_binomial(k, n, alpha, beta):
    """Draw after draw: the chance of the next success, given all draws before."""
    successes = [math.log((alpha + i) / (alpha + beta + i)) for i in range(k)]
    failures = [math.log((beta + i) / (alpha + beta + k + i)) for i in range(n - k)]
    return math.fsum(successes + failures)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0.5, 500), st.floats(0.5, 1e6))
def test_beta_binomial(k, others, alpha, beta):
    found = log_beta_binomial(*map(np.array, (k, k + others, alpha, beta)))
    expected = plain_beta_binomial(k, k + others, alpha, beta)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


def test_posterior_of_counts_made_by_hand():
    posterior = Posterior(np.array([6.0, 12.0, 0.0]), (500.0, 1.0), (100.0, 10.0))
    expected = (
        plain_beta_binomial(2, 6, 10, 10 * 3 * 6)
        + plain_beta_binomial(1, 12, 10, 10 * 3 * 12)
        + plain_beta_binomial(40, 43, 500, 1)
        + plain_beta_binomial(50, 57, 100, 10)
    )
    found = posterior(np.array([2, 1, 0]), covered=(40, 3), uncovered=(50, 7))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_posterior_of_a_set_counts_rules_and_rows():
    covered = np.array([[1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 1, 1]]) == 1
    posterior = Posterior(np.array([4.0, 8.0]), (5.0, 1.0), (6.0, 2.0))
    search = RuleSetSearch(covered, 3, np.array([1, 2, 2]), posterior)
    assert search.log_posterior((0, 1)) == posterior(np.array([1, 1]), (2, 1), (1, 1))
    assert search.log_posterior(()) == posterior(np.array([0, 0]), (0, 0), (2, 3))


def a_search(seed, n_rules=6, n_rows=40):
    random = np.random.default_rng(seed)
    covered = random.random((n_rules, n_rows)) < random.uniform(0.1, 0.7, size=(n_rules, 1))
    lengths = random.integers(1, 4, size=n_rules)
    posterior = Posterior(np.array([6.0, 30.0, 90.0]), (20.0, 1.0), (20.0, 1.0))
    return RuleSetSearch(covered, int(random.integers(5, 35)), lengths, posterior)


@pytest.mark.parametrize("seed", range(5))
def test_annealing_finds_the_best_of_all_subsets(seed):
    search = a_search(seed)
    subsets = [s for size in range(7) for s in combinations(range(6), size)]
    best = max(map(search.log_posterior, subsets))
    found = search.best(n_iterations=600, n_chains=2, random=np.random.default_rng(0))
    np.testing.assert_allclose(search.log_posterior(found), best)


@quick
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_annealing_is_never_worse_than_the_empty_set(seed, n_iterations):
    search = a_search(seed, n_rules=9)
    found = search.best(n_iterations, n_chains=1, random=np.random.default_rng(seed))
    assert search.log_posterior(found) >= search.log_posterior(())


def test_rules_that_add_nothing_leave_a_perfect_set():
    covered = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]) == 1
    posterior = Posterior(np.array([3.0]), (10.0, 1.0), (10.0, 1.0))
    search = RuleSetSearch(covered, 2, np.ones(3, dtype=int), posterior)
    assert search.best(100, 1, np.random.default_rng(1)) == (0,)
