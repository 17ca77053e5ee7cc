from itertools import pairwise, product

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import logistic as oracle
from scipy.special import log_expit
from sklearn.linear_model import LogisticRegression
from sklearn.utils.fixes import parse_version

from sorb import _kernels
from sorb.learning.separators import path

# scikit-learn 1.8 changed how an L1 penalty is set.
NEW = parse_version(sklearn.__version__) >= parse_version("1.8")
L1 = {"l1_ratio": 1} if NEW else {"penalty": "l1"}


def separators(Z, side, weight, max_size):
    """All that the search learns on a table: one for each support, refitted without penalty."""
    rows = np.arange(len(Z), dtype=np.int64)
    return _kernels.separators(np.asfortranarray(Z), rows, side * weight, max_size)


def standardised(Z):
    spread = Z.std(axis=0)
    return (Z - Z.mean(axis=0)) / np.where(spread > 0, spread, 1)


def labels(rng, score):
    side = np.where(score + rng.logistic(size=len(score)) > 0, 1.0, -1.0)
    side[:2] = 1, -1
    return side


def ordinary(rng, n, d):
    return rng.normal(size=(n, d))


def correlated(rng, n, d):
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 0.1 * rng.normal(size=(n, d))


def duplicated(rng, n, d):
    Z = rng.normal(size=(n, d))
    Z[:, 1], Z[:, -1] = Z[:, 0], -Z[:, 0]
    return Z


def nearly_duplicated(rng, n, d):
    Z = rng.normal(size=(n, d))
    Z[:, 1] = Z[:, 0] + 1e-2 * rng.normal(size=n)
    return Z


def collinear(rng, n, d):
    Z = rng.normal(size=(n, d))
    Z[:, 2] = Z[:, 0] - Z[:, 1]
    return Z


def with_constants(rng, n, d):
    Z = rng.normal(size=(n, d))
    Z[:, 0], Z[:, -1] = 3.0, 0.0
    return Z


def coarse(rng, n, d):
    return rng.integers(-2, 3, size=(n, d)).astype(float)


TABLES = [ordinary, correlated, nearly_duplicated, duplicated, collinear, with_constants, coarse]


def problem(table, seed, n=120, d=6, signal=1.0):
    """Z, side and weight of a random problem in which every column matters."""
    rng = np.random.default_rng(seed)
    Z = standardised(table(rng, n, d))
    side = labels(rng, Z @ rng.normal(size=d) * signal)
    return Z, side, rng.exponential(size=n)


def separable(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    Z = standardised(rng.normal(size=(n, d)))
    side = np.where(Z @ rng.normal(size=d) > 0, 1.0, -1.0)
    return Z, side, rng.exponential(size=n)


def dense(separator, d):
    w = np.zeros(d)
    w[list(separator.support)] = separator.weights
    return w


def sizes(found):
    return [len(separator.support) for separator in found]


def check_optimal(Z, side, weight, found):
    """Every solution satisfies the conditions of optimality, with all of its weights in use."""
    assert found
    for s in found:
        w = dense(s, Z.shape[1])
        assert np.count_nonzero(w) == len(s.support)
        assert oracle.violation(Z, side, weight, w, s.intercept, s.penalty) < 1e-9


def check_refit(Z, side, weight, s):
    """The separator is a minimum on its support, but for a penalty far below any noise."""
    part = Z[:, s.support]
    by_weight, by_intercept = oracle.derivatives(part, side, weight, s.weights, s.intercept)
    spread = weight @ (part - weight @ part / weight.sum()) ** 2
    by_weight += 1e-6 * spread * s.weights
    assert np.abs([*by_weight, by_intercept]).max() / weight.sum() < 1e-6


# ---- the path -----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(10))
def test_solutions_on_the_path_are_optimal(table, seed):
    Z, side, weight = problem(table, seed, n=30 + 20 * seed, signal=0.3 * seed)
    check_optimal(Z, side, weight, path(Z, side, weight, 6))


@pytest.mark.parametrize("seed", range(20))
def test_solutions_are_optimal_on_separable_rows(seed):
    Z, side, weight = separable(seed)
    check_optimal(Z, side, weight, path(Z, side, weight, 4))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
@pytest.mark.parametrize("seed", range(10))
def test_solutions_are_optimal_for_few_rows(n, seed):
    Z, side, weight = problem(ordinary, seed, n=n)
    check_optimal(Z, side, weight, path(Z, side, weight, 6))


@pytest.mark.parametrize("seed", range(20))
def test_solutions_are_optimal_where_few_rows_have_nearly_all_weight(seed):
    # Newton's method without bounds runs away here.
    Z, side, weight = problem(ordinary, seed, d=8)
    check_optimal(Z, side, weight**6, path(Z, side, weight**6, 6))


@settings(max_examples=100, derandomize=True)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 10**9),
    n=st.integers(3, 60),
    d=st.integers(3, 8),
    signal=st.sampled_from([0.0, 1.0, 10.0]),
)
def test_the_first_solution_is_optimal_for_any_problem(table, seed, n, d, signal):
    Z, side, weight = problem(table, seed, n, d, signal)
    check_optimal(Z, side, weight, path(Z, side, weight, 1)[:1])


@pytest.mark.parametrize("table", [ordinary, correlated, with_constants, coarse])
@pytest.mark.parametrize("seed", range(3))
def test_path_misses_no_support(table, seed):
    Z, side, weight = problem(table, seed, n=50, d=5)
    ours = [frozenset(s.support) for s in path(Z, side, weight, 4)]
    assert set(oracle.supports(Z, side, weight, 4)) <= set(ours)


@pytest.mark.parametrize("seed", range(3))
def test_solutions_are_those_of_coordinate_descent(seed):
    Z, side, weight = problem(ordinary, seed)
    for s in path(Z, side, weight, 6):
        w, b = oracle.l1_solution(Z, side, weight, s.penalty)
        assert dense(s, 6) == pytest.approx(w, abs=1e-7)
        assert s.intercept == pytest.approx(b, abs=1e-7)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_no_solver_of_scikit_learn_does_better(table, seed):
    Z, side, weight = problem(table, seed, n=100)
    for s in path(Z, side, weight, 4):
        # liblinear penalises the intercept, so it is made to look small.
        theirs = LogisticRegression(
            **L1, C=1 / s.penalty, solver="liblinear", intercept_scaling=1e3, tol=1e-6
        ).fit(Z, side, sample_weight=weight)
        w, b = theirs.coef_[0], theirs.intercept_[0]
        bound = oracle.objective(Z, side, weight, w, b, s.penalty)
        ours = oracle.objective(Z, side, weight, dense(s, 6), s.intercept, s.penalty)
        assert ours <= bound * (1 + 1e-12)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(5))
def test_supports_change_by_one_column(table, seed):
    Z, side, weight = problem(table, seed)
    found = path(Z, side, weight, 6)
    assert len(found[0].support) == 1
    for before, after in pairwise(found):
        old, new = set(before.support), set(after.support)
        assert len(old - new) <= 1
        assert len(new - old) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_penalties_fall(seed):
    Z, side, weight = problem(correlated, seed)
    penalties = [s.penalty for s in path(Z, side, weight, 6)]
    assert (np.diff(penalties) < 0).all()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_each_change_of_the_support_takes_a_few_passes(table, seed):
    Z, side, weight = problem(table, seed)
    found = path(Z, side, weight, 6)
    passes = [s.passes for s in found]
    assert passes[0] == 1
    assert (np.diff(passes) >= 1).all()
    assert passes[-1] <= 6 * len(found)


def test_the_same_path_takes_the_same_passes_for_any_largest_size():
    Z, side, weight = problem(ordinary, 0)
    for shorter, longer in zip(path(Z, side, weight, 3), path(Z, side, weight, 6), strict=False):
        assert shorter.passes == longer.passes


@pytest.mark.parametrize("max_size", [1, 2, 3])
def test_path_ends_where_it_grows_too_large(max_size):
    Z, side, weight = problem(ordinary, 0)
    longer = path(Z, side, weight, 6)
    first_too_large = next(i for i, size in enumerate(sizes(longer)) if size > max_size)
    shorter = path(Z, side, weight, max_size)
    assert [s.support for s in shorter] == [s.support for s in longer[:first_too_large]]


@pytest.mark.parametrize("seed", range(3))
def test_float32_follows_the_same_path(seed):
    Z, side, weight = problem(ordinary, seed)
    wide, narrow = path(Z, side, weight, 4), path(Z.astype(np.float32), side, weight, 4)
    assert [s.support for s in narrow] == [s.support for s in wide]
    for s, t in zip(wide, narrow, strict=True):
        assert t.weights == pytest.approx(s.weights, rel=1e-4, abs=1e-5)
        assert t.intercept == pytest.approx(s.intercept, rel=1e-4, abs=1e-5)


# ---- separators ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(10))
def test_separators_are_minima_on_their_supports(table, seed):
    Z, side, weight = problem(table, seed, n=30 + 20 * seed)
    for s in separators(Z, side, weight, 5):
        check_refit(Z, side, weight, s)


@pytest.mark.parametrize("seed", range(3))
def test_separators_agree_with_scipy(seed):
    Z, side, weight = problem(correlated, seed)
    for s in separators(Z, side, weight, 4):
        w, b = oracle.refit(Z[:, s.support], side, weight)
        assert s.weights == pytest.approx(w, rel=1e-3, abs=1e-3)
        assert s.intercept == pytest.approx(b, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_separators_agree_with_scikit_learn(seed):
    Z, side, weight = problem(ordinary, seed)
    for s in separators(Z, side, weight, 4):
        theirs = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-9).fit(
            Z[:, s.support], side, sample_weight=weight
        )
        assert s.weights == pytest.approx(theirs.coef_[0], rel=1e-3, abs=1e-4)
        assert s.intercept == pytest.approx(theirs.intercept_[0], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("n", [3, 5, 100])
@pytest.mark.parametrize("seed", range(5))
def test_every_size_up_to_the_rank_is_there(table, n, seed):
    Z, side, weight = problem(table, seed, n=n)
    largest = min(5, oracle.rank(Z, weight))
    assert set(sizes(separators(Z, side, weight, 5))) == set(range(1, largest + 1))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_size", [1, 2, 3, 4])
def test_separators_have_the_supports_of_the_path(seed, max_size):
    Z, side, weight = problem(correlated, seed, n=60, d=5)
    ours = {frozenset(s.support) for s in separators(Z, side, weight, max_size)}
    assert set(oracle.supports(Z, side, weight, max_size, steps=60)) <= ours


# Paths that come back to smaller supports.
@pytest.mark.parametrize("seed", [7, 10, 13, 17])
def test_supports_to_which_the_path_comes_back_have_separators(seed):
    Z, side, weight = problem(correlated, seed, n=60, d=6)
    on_grid = oracle.supports(Z, side, weight, 4, steps=400)
    assert any(len(after) < len(before) for before, after in pairwise(on_grid))
    ours = [frozenset(s.support) for s in separators(Z, side, weight, 4)]
    assert set(on_grid) <= set(ours)
    assert len(set(ours)) == len(ours)
    assert list(map(len, ours)) == sorted(map(len, ours))


def test_a_size_that_the_path_skips_is_grown():
    # Both columns enter at once, with the same weight.
    Z = np.array([[1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [-1.0, -1.0], [0.5, -0.5], [-0.5, 0.5]])
    side = np.array([1.0, 1, -1, -1, 1, -1])
    assert set(sizes(separators(Z, side, np.ones(6), 2))) == {1, 2}


@pytest.mark.parametrize("seed", range(10))
def test_separable_rows_get_finite_weights_that_separate(seed):
    Z, side, weight = separable(seed)
    found = separators(Z, side, weight, 4)
    assert all(np.isfinite([*s.weights, s.intercept]).all() for s in found)
    s = found[-1]
    assert (side * (Z[:, s.support] @ s.weights + s.intercept) > 0).all()


@pytest.mark.parametrize("seed", range(20))
def test_separators_are_minima_where_few_rows_have_nearly_all_weight(seed):
    Z, side, weight = problem(ordinary, seed, d=8)
    for s in separators(Z, side, weight**6, 5):
        check_refit(Z, side, weight**6, s)


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_side_has_no_separators(label):
    Z, _, weight = problem(ordinary, 0)
    assert separators(Z, np.full(120, label), weight, 3) == []
    assert path(Z, np.full(120, label), weight, 3) == []


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3])
def test_constant_columns_have_no_separators(value):
    _, side, weight = problem(ordinary, 0)
    assert separators(np.full((120, 3), value), side, weight, 3) == []
    assert path(np.full((120, 3), value), side, weight, 3) == []


def test_columns_without_a_say_get_no_weight():
    # A full factorial design, where the sides depend on the first column alone.
    Z = np.repeat(np.array(list(product([-1.0, 1.0], repeat=3))), 4, axis=0)
    side = Z[:, 0] * np.tile([1.0, 1, 1, -1], 8)
    found = separators(Z, side, np.ones(32), 3)
    assert {tuple(s.support) for s in found} == {(0,)}


def test_no_column_says_anything_alone():
    Z = np.array(list(product([-1.0, 1.0], repeat=2)))
    assert separators(Z, Z[:, 0] * Z[:, 1], np.ones(4), 2) == []


@pytest.mark.parametrize("seed", range(3))
def test_order_of_the_rows_does_not_matter(seed):
    Z, side, weight = problem(ordinary, seed)
    order = np.random.default_rng(seed).permutation(len(Z))
    before = separators(Z, side, weight, 4)
    after = separators(Z[order], side[order], weight[order], 4)
    assert [s.support for s in before] == [s.support for s in after]
    for s, t in zip(before, after, strict=True):
        assert s.weights == pytest.approx(t.weights, rel=1e-9)
        assert s.intercept == pytest.approx(t.intercept, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_weight_of_two_is_two_rows(seed):
    Z, side, weight = problem(ordinary, seed)
    heavy = separators(Z, side, 2 * weight, 4)
    twice = separators(np.tile(Z, (2, 1)), np.tile(side, 2), np.tile(weight, 2), 4)
    assert [s.support for s in heavy] == [s.support for s in twice]
    for s, t in zip(heavy, twice, strict=True):
        assert s.weights == pytest.approx(t.weights, rel=1e-9)


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_the_unit_of_the_weights_does_not_matter(factor):
    Z, side, weight = problem(ordinary, 0)
    for s, t in zip(
        separators(Z, side, weight, 4), separators(Z, side, factor * weight, 4), strict=True
    ):
        assert s.support == t.support
        assert s.weights == pytest.approx(t.weights, rel=1e-9)


def test_sides_exchanged_exchange_the_signs():
    Z, side, weight = problem(ordinary, 1)
    for s, t in zip(separators(Z, side, weight, 4), separators(Z, -side, weight, 4), strict=True):
        assert s.support == t.support
        assert s.weights == pytest.approx([-w for w in t.weights], rel=1e-9)
        assert s.intercept == pytest.approx(-t.intercept, rel=1e-9)


def test_float32_gives_the_same_separators():
    Z, side, weight = problem(ordinary, 2)
    narrow = separators(Z.astype(np.float32), side, weight, 4)
    for s, t in zip(separators(Z, side, weight, 4), narrow, strict=True):
        assert s.support == t.support
        assert s.weights == pytest.approx(t.weights, rel=1e-4, abs=1e-5)


def test_only_the_rows_asked_for_count():
    Z, side, weight = problem(ordinary, 3)
    rows = np.arange(0, 120, 2)
    some = _kernels.separators(np.asfortranarray(Z), rows, side * weight, 3)
    alone = separators(Z[rows], side[rows], weight[rows], 3)
    assert [s.support for s in some] == [s.support for s in alone]
    assert [s.weights for s in some] == [s.weights for s in alone]


@settings(max_examples=100, derandomize=True)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 10**9),
    n=st.integers(2, 40),
    d=st.integers(3, 8),
    signal=st.sampled_from([0.0, 1.0, 10.0]),
    spread=st.sampled_from([0.0, 1.0, 3.0]),
)
def test_separators_are_minima_for_any_problem(table, seed, n, d, signal, spread):
    Z, side, weight = problem(table, seed, n, d, signal)
    for s in separators(Z, side, weight**spread, 5):
        assert np.isfinite([*s.weights, s.intercept]).all()
        assert 0 not in s.weights
        check_refit(Z, side, weight**spread, s)


def test_separators_of_more_columns_lose_less():
    Z, side, weight = problem(ordinary, 4)
    up = weight[side > 0].sum() / weight.sum()
    losses = {0: -weight @ log_expit(side * np.log(up / (1 - up)))}
    for s in separators(Z, side, weight, 4):
        loss = oracle.objective(Z[:, s.support], side, weight, s.weights, s.intercept, 0)
        losses[len(s.support)] = min(loss, losses.get(len(s.support), np.inf))
    assert (np.diff([losses[size] for size in range(5)]) < 0).all()
