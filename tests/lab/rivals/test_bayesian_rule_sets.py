"""Bayesian rule sets: what is mined, what is maximised, and what comes out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.few_examples import quick
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals.bayesian_rule_sets import BayesianRuleSetClassifier, votes


@quick
@given(st.integers(1, 6), st.integers(0, 12), st.randoms(use_true_random=False))
def test_votes_have_the_sign_of_the_set(n_rules, n_positive, random):
    covered = np.array([[random.random() < 0.4 for _ in range(12)] for _ in range(n_rules)])
    offset, weights = votes(covered, n_positive)
    scores = offset + (covered * np.array(weights)[:, None]).sum(axis=0)
    np.testing.assert_array_equal(scores > 0, covered.any(axis=0))


def test_votes_are_log_odds_where_one_rule_covers():
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


def test_the_set_covers_the_rows_of_the_predicted_class():
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
def test_invalid_priors_are_refused(prior):
    X, y = planted(n_rows=50)
    with pytest.raises(ValueError, match="prior_covered must be two numbers > 0"):
        BayesianRuleSetClassifier(prior_covered=prior).fit(X, y)


@parametrize_with_checks([BayesianRuleSetClassifier(n_iterations=30, n_chains=1)])
def test_estimator_checks(estimator, check):
    check(estimator)
