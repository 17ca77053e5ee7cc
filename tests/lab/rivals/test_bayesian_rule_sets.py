"""Bayesian rule sets: what is mined, what is maximised, and what comes out."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals.bayesian_rule_sets import BayesianRuleSetClassifier, votes
from sorb.lab.rivals.rule_mining import Literals, Pool, conditional_entropy
from sorb.lab.rivals.rule_set_search import Posterior, RuleSetSearch, log_beta_binomial

quick = settings(max_examples=25, deadline=None, derandomize=True)


def tables(n_columns, elements, n_rows=12):
    return arrays(np.float64, (n_rows, n_columns), elements=elements)


def frequent(literals, n_positive, support, max_length):
    """All frequent conjunctions that raise the share of positives, with their rows, plainly."""
    n_rows = literals.covered.shape[1]
    found = {}
    for length in range(1, max_length + 1):
        for rule in combinations(range(len(literals)), length):
            if len({literals.bounds[j] for j in rule}) < length:
                continue
            rows = np.logical_and.reduce(literals.covered[list(rule)])
            inside, total = rows[:n_positive].sum(), rows.sum()
            if inside >= support * n_positive and inside / max(total, 1) > n_positive / n_rows:
                found[rule] = rows
    return found


def shortest(rules):
    """The length of the shortest rule for each group of rows."""
    lengths = {}
    for rule, rows in rules.items():
        key = rows.tobytes()
        lengths[key] = min(len(rule), lengths.get(key, len(rule)))
    return lengths


def mined(pool):
    rules = [tuple(rule.tolist()) for level in pool.levels for rule in level.rules]
    return {rule: pool.literals.covers(np.array([rule]))[0] for rule in rules}


def mine(literals, n_positive, support, max_length, **beam):
    pool = Pool(literals, n_positive, support)
    for _ in range(max_length):
        pool = pool.longer(**beam)
    return pool


@quick
@given(tables(2, st.floats(-1e300, 1e300)))
def test_literals_hold_where_their_conditions_do(X):
    literals = Literals.of(X)
    for j in range(len(literals)):
        condition = literals.condition([j], ("a", "b"))
        np.testing.assert_array_equal(condition(X, ("a", "b")), literals.covered[j])


@quick
@given(st.floats(-1e300, 1e300, allow_subnormal=False), st.integers(1, 8))
def test_values_next_to_each_other_are_told_apart(value, n_distinct):
    values = [value]
    for _ in range(n_distinct):
        values.append(np.nextafter(values[-1], np.inf))
    literals = Literals.of(np.array(values)[:, None])
    assert (literals.covered.any(axis=1) & ~literals.covered.all(axis=1)).all()
    np.testing.assert_array_equal(literals.covered[::2], ~literals.covered[1::2])


def test_few_values_are_parted_everywhere_and_many_in_fifths():
    few = Literals.of(np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [2.0], [6.0]]))
    np.testing.assert_array_equal(few.thresholds[::2], [1.0, 4.0])
    many = Literals.of(np.random.default_rng(0).permutation(100)[:, None])
    np.testing.assert_array_equal(many.covered[::2].sum(axis=1), [20, 40, 60, 80])


def test_a_column_that_is_mostly_one_value_is_still_parted():
    assert len(Literals.of(np.array([[0.0]] + 50 * [[1.0]]))) == 2
    assert len(Literals.of(np.ones((50, 1)))) == 0


def test_number_of_conjunctions():
    literals = Literals.of(np.random.default_rng(0).integers(3, size=(30, 3)))
    counts = [
        sum(len({literals.bounds[j] for j in rule}) == length for rule in rules)
        for length in (1, 2, 3, 4)
        for rules in [combinations(range(len(literals)), length)]
    ]
    np.testing.assert_array_equal(literals.n_conjunctions(4), counts)


@quick
@given(tables(3, st.integers(0, 7)), st.integers(1, 11), st.floats(0.05, 0.9))
def test_mining_finds_all_frequent_pairs(X, n_positive, support):
    literals = Literals.of(X)
    expected = shortest(frequent(literals, n_positive, support, 2))
    assert shortest(mined(mine(literals, n_positive, support, 2))) == expected


@quick
@given(tables(5, st.integers(0, 1)), st.integers(1, 11), st.floats(0.05, 0.5))
def test_longer_conjunctions_extend_those_of_two(X, n_positive, support):
    literals = Literals.of(X)
    reachable = frequent(literals, n_positive, support, 4)
    for length in (3, 4):
        for rule in [rule for rule in reachable if len(rule) == length]:
            if not any(part in reachable for part in combinations(rule, length - 1)):
                del reachable[rule]
    assert shortest(mined(mine(literals, n_positive, support, 4))) == shortest(reachable)


@quick
@given(tables(4, st.integers(0, 6), n_rows=30), st.integers(5, 25))
def test_mined_rules_are_what_they_claim(X, n_positive):
    pool = mine(Literals.of(X), n_positive, 0.2, 3)
    found = mined(pool)
    plain = frequent(pool.literals, n_positive, 0.2, 3)
    for rule, rows in found.items():
        np.testing.assert_array_equal(rows, plain[rule])
    assert len({rows.tobytes() for rows in found.values()}) == len(found)


def planted_table():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 4))
    y = (X[:, 0] > 0.3) | (X[:, 1] < -0.5) & (X[:, 2] > 0)
    order = np.argsort(~y, kind="stable")
    return X[order], int(y.sum())


def test_a_narrow_beam_keeps_the_lowest_entropies():
    X, n_positive = planted_table()
    literals = Literals.of(X)
    wide, narrow = (mine(literals, n_positive, 0.05, 2, beam=beam) for beam in (4000, 30))
    np.testing.assert_array_equal(narrow.levels[1].entropy, wide.levels[1].entropy[:30])


def test_screening_takes_the_lowest_entropies_of_all_lengths():
    X, n_positive = planted_table()
    pool = mine(Literals.of(X), n_positive, 0.05, 3)
    rows = np.array([pool.literals.covers(rule[None])[0] for rule in pool.screened(10**6)])
    inside = rows[:, :n_positive].sum(axis=1)
    outside = rows[:, n_positive:].sum(axis=1)
    entropies = conditional_entropy(inside, outside, n_positive, 200 - n_positive)
    assert len(rows) == sum(len(level.rules) for level in pool.levels)
    assert (np.diff(entropies) >= 0).all()
    assert [r.tolist() for r in pool.screened(7)] == [r.tolist() for r in pool.screened(99)][:7]


@given(st.integers(0, 5), st.integers(0, 7))
def test_conditional_entropy(inside, outside):
    covered, others = [inside, outside], [5 - inside, 7 - outside]
    expected = sum(sum(part) / 12 * entropy(part) for part in (covered, others) if sum(part))
    found = conditional_entropy(np.array([inside]), np.array([outside]), 5, 7)
    np.testing.assert_allclose(found, [expected], atol=1e-12)


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


@quick
@given(st.integers(1, 6), st.integers(0, 12), st.randoms(use_true_random=False))
def test_votes_have_the_sign_of_the_set(n_rules, n_positive, random):
    covered = np.array([[random.random() < 0.4 for _ in range(12)] for _ in range(n_rules)])
    offset, weights = votes(covered, n_positive)
    scores = offset + (covered * np.array(weights)[:, None]).sum(axis=0)
    np.testing.assert_array_equal(scores > 0, covered.any(axis=0))


def test_votes_are_log_odds_where_one_rule_holds():
    covered = np.zeros((1, 100), dtype=bool)
    covered[0, :40] = covered[0, 50:60] = True  # 40 of 50 positive, 10 of 50 negative
    offset, (weight,) = votes(covered, n_positive=50)
    np.testing.assert_allclose([offset, offset + weight], [np.log(1 / 4), np.log(4)], atol=0.05)


def planted(n_rows=600, noise=0.0, seed=1):
    random = np.random.default_rng(seed)
    X = np.column_stack(
        [random.integers(5, size=n_rows), random.integers(5, size=n_rows), random.random(n_rows)]
    )
    X = np.column_stack([X, random.normal(size=(n_rows, 3))])
    cut = np.sort(X[:, 2])[int(0.8 * n_rows) - 1]  # where a fifth ends
    y = (X[:, 0] >= 3) & (X[:, 1] <= 1) | (X[:, 2] > cut)
    return X, y ^ (random.random(n_rows) < noise)


def test_a_planted_rule_set_is_recovered():
    X, y = planted()
    sets = BayesianRuleSetClassifier().fit(X, y)
    np.testing.assert_array_equal(sets.predict(X), y)
    assert sorted(len(rule.condition.propositions) for rule in sets.model_) == [1, 2]
    assert sets.complexity_ == (1 + 2) + (1 + 4)


def test_noise_is_not_learned():
    X, y = planted(noise=0.1)
    sets = BayesianRuleSetClassifier().fit(X, y)
    assert np.mean(sets.predict(X) != planted()[1]) < 0.03


def test_the_set_holds_where_the_classifier_says_so():
    X, y = planted(noise=0.2)
    sets = BayesianRuleSetClassifier(n_iterations=60, n_chains=1).fit(X, y)
    others = np.random.default_rng(5).uniform(-2, 6, size=(2000, 6))
    assert len(sets.model_) > 0
    np.testing.assert_array_equal(sets.predict(others), sets.model_.covers(others).any(axis=1))
    assert sets.complexity_ == sum(1 + 2 * len(r.condition.propositions) for r in sets.model_)


def test_it_gives_no_probabilities_and_the_others_do():
    assert not BayesianRuleSetClassifier.gives_probabilities
    assert super(BayesianRuleSetClassifier, BayesianRuleSetClassifier).gives_probabilities


def test_the_path_gives_what_single_fits_give():
    X, y = planted(noise=0.2)
    sets = BayesianRuleSetClassifier(n_iterations=40, n_chains=1)
    grid = {"max_length": [3, 1], "n_candidates": [5, 50]}
    path = list(sets.path(X, y, **grid))
    assert {tuple(learned.parameters.values()) for learned in path} == {
        (1, 5),
        (1, 50),
        (3, 5),
        (3, 50),
    }
    for learned in path:
        assert learned.seconds > 0
        assert sets.set_params(**learned.parameters).fit(X, y).model_ == learned.model


def test_the_seed_decides():
    X, y = planted(noise=0.3)
    first, again, other = (
        BayesianRuleSetClassifier(n_iterations=30, n_chains=1, random_state=s).fit(X, y).model_
        for s in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_without_candidates_the_majority_wins():
    X, y = np.zeros((10, 2)), np.arange(10) < 7
    sets = BayesianRuleSetClassifier().fit(X, y)
    assert len(sets.model_) == 0
    assert sets.predict(X).all()


def test_without_signal_no_rule_is_chosen():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 3)), random.random(300) < 0.1
    sets = BayesianRuleSetClassifier(prior_covered=(1, 1), prior_uncovered=(1, 1)).fit(X, y)
    assert len(sets.model_) == 0
    assert not sets.predict(X).any()


@pytest.mark.parametrize("prior", [(1.0,), (1.0, 0.0), (-1.0, 2.0)])
def test_priors_that_are_none_are_refused(prior):
    X, y = planted(n_rows=50)
    with pytest.raises(ValueError, match="prior_covered must be two numbers > 0"):
        BayesianRuleSetClassifier(prior_covered=prior).fit(X, y)


@parametrize_with_checks([BayesianRuleSetClassifier(n_iterations=30, n_chains=1)])
def test_estimator_checks(estimator, check):
    check(estimator)
