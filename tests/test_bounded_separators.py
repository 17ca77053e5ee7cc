"""Separators whose weights have signs fixed by monotone constraints, beside SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.test_separators import (
    TABLES,
    check_refit,
    correlated,
    dense,
    ordinary,
    problem,
    separable,
)
from oracles import logistic as oracle
from scipy.optimize import lsq_linear

from sorb import _kernels

DIRECTIONS = st.lists(st.sampled_from([-1, 0, 1]), min_size=8, max_size=8)


def bounded(kernel, Z, side, weight, direction, max_size=None):
    rows = np.arange(len(Z), dtype=np.int64)
    size = max_size or Z.shape[1]
    return kernel(np.asfortranarray(Z), rows, side * weight, size, list(direction))


# ---- the path and its refits --------------------------------------------------------------------


@settings(max_examples=100, derandomize=True)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 10**9),
    n=st.integers(10, 60),
    d=st.integers(3, 8),
    direction=DIRECTIONS,
)
def test_solutions_on_the_path_are_optimal_among_those_allowed(table, seed, n, d, direction):
    Z, side, weight = problem(table, seed, n, d)
    for s in bounded(_kernels.lasso_path, Z, side, weight, direction[:d]):
        assert (
            oracle.violation(
                Z, side, weight, dense(s, d), s.intercept, s.penalty, np.array(direction[:d])
            )
            < 1e-9
        )


@settings(max_examples=100, derandomize=True)
@given(
    table=st.sampled_from(TABLES),
    seed=st.integers(0, 10**9),
    n=st.integers(2, 40),
    d=st.integers(3, 8),
    spread=st.sampled_from([0.0, 1.0, 6.0]),
    direction=DIRECTIONS,
)
def test_separators_obey_signs_and_are_minima_on_their_supports(
    table, seed, n, d, spread, direction
):
    Z, side, weight = problem(table, seed, n, d)
    for s in bounded(_kernels.separators, Z, side, weight**spread, direction[:d], min(d, 5)):
        w = dense(s, d)
        assert np.count_nonzero(w) == len(s.support)
        assert (np.array(direction[:d]) * w <= 0).all()
        check_refit(Z, side, weight**spread, s)


def of_least_loss(found, Z, side, weight):
    losses = [
        oracle.objective(Z[:, s.support], side, weight, s.weights, s.intercept, 0) for s in found
    ]
    return found[int(np.argmin(losses))]


@pytest.mark.parametrize("table", [ordinary, correlated])
@pytest.mark.parametrize("seed", range(8))
def test_the_separator_of_all_columns_is_that_of_scipy(table, seed):
    Z, side, weight = problem(table, seed)
    direction = np.random.default_rng(seed).integers(-1, 2, Z.shape[1])
    ridge = 1e-6 * (weight @ (Z - weight @ Z / weight.sum()) ** 2)
    w, b = oracle.bounded_refit(Z, side, weight, direction, ridge)
    found = bounded(_kernels.separators, Z, side, weight, direction)
    if not w.any():
        assert found == []
        return
    s = of_least_loss(found, Z, side, weight)
    assert dense(s, Z.shape[1]) == pytest.approx(w, rel=1e-3, abs=1e-4)
    assert s.intercept == pytest.approx(b, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_a_separator_of_separable_rows_loses_no_more_than_that_of_scipy(seed):
    Z, side, weight = separable(seed)
    direction = np.random.default_rng(seed).integers(-1, 2, Z.shape[1])
    ridge = 1e-6 * (weight @ (Z - weight @ Z / weight.sum()) ** 2)

    def cost(w, b):
        return oracle.objective(Z, side, weight, w, b, 0.0) + ridge @ w**2 / 2

    theirs = cost(*oracle.bounded_refit(Z, side, weight, direction, ridge))
    found = bounded(_kernels.separators, Z, side, weight, direction)
    ours = min(cost(dense(s, Z.shape[1]), s.intercept) for s in found)
    assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-6 * weight.sum())


def test_where_every_sign_that_gains_is_ruled_out_there_is_no_separator():
    rng = np.random.default_rng(0)
    side = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    Z = side[:, None] * [1.0, -2.0] + rng.normal(size=(60, 2))
    assert bounded(_kernels.separators, Z, side, np.ones(60), [1, -1]) == []
    assert bounded(_kernels.separators, Z, side, np.ones(60), [-1, 1]) != []


# ---- the minimum of a quadratic model -----------------------------------------------------------


def quadratic(seed, m, nasty):
    """x, gradient, hessian, lower and upper of a model, which nasty ones make hard to solve."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m + 3, m))
    if nasty == "scales":
        A *= 10.0 ** rng.integers(-4, 5, m)
    if nasty == "nearly dependent" and m > 1:
        A[:, -1] = A[:, 0] + 1e-3 * rng.normal(size=len(A))
    lower, upper = np.sort(rng.normal(size=(2, m)), axis=0)
    lower[rng.random(m) < 0.4] = -np.inf
    upper[rng.random(m) < 0.4] = np.inf
    if nasty == "one sign":
        lower, upper = np.where(rng.random((2, m)) < 0.5, 0.0, [[-np.inf], [np.inf]])
    if nasty == "single points":
        lower = np.where(rng.random(m) < 0.5, 0.0, lower)
        upper = np.where(lower == 0, 0.0, upper)
    # Where Newton's method begins, weights may be at bounds.
    x = np.clip(rng.normal(size=m) * rng.integers(0, 2, m), lower, upper)
    return A, x, A.T @ rng.normal(size=len(A)), lower, upper


NASTY = ["nothing", "scales", "nearly dependent", "one sign", "single points"]


@settings(max_examples=300, derandomize=True)
@given(seed=st.integers(0, 10**9), m=st.integers(1, 8), nasty=st.sampled_from(NASTY))
def test_the_bounded_minimum_is_that_of_scipy(seed, m, nasty):
    A, x, gradient, lower, upper = quadratic(seed, m, nasty)
    hessian = A.T @ A
    z = np.array(_kernels.bounded_minimum(x, gradient, np.tril(hessian).ravel(), lower, upper))
    assert ((z >= lower) & (z <= upper)).all()

    def value(z):
        return gradient @ (z - x) + np.sum((A @ (z - x)) ** 2) / 2

    free = lower < upper  # SciPy takes no bounds that are equal
    theirs = np.where(free, x, lower)
    if free.any():
        # |A·(z − x) + r|²/2 has this gradient at x.
        r = np.linalg.lstsq(A.T, gradient, rcond=None)[0]
        rest = A @ x - r - A[:, ~free] @ lower[~free]
        found = lsq_linear(A[:, free], rest, (lower[free], upper[free]), method="bvls", tol=1e-14)
        theirs[free] = found.x
    assert value(z) <= 1e-12
    assert value(z) == pytest.approx(value(theirs), rel=1e-7, abs=1e-9)
    assert A @ z == pytest.approx(A @ theirs, rel=1e-5, abs=1e-6)


def test_of_dependent_coordinates_the_model_is_no_higher_than_at_the_start():
    A = np.random.default_rng(3).normal(size=(9, 2))[:, [0, 1, 0, 1]]
    gradient = A.T @ np.arange(9.0)
    x = np.array([0.0, 0.5, 0.0, -0.5])
    z = _kernels.bounded_minimum(x, gradient, (A.T @ A).ravel(), [0, -1, -9, -9], [9, 1, 0, 9])
    step = z - x
    best = lsq_linear(A, A @ x - np.arange(9.0), ([0, -1, -9, -9], [9, 1, 1e-300, 9])).x - x
    costs = [gradient @ s + np.sum((A @ s) ** 2) / 2 for s in (step, best)]
    assert costs[0] == pytest.approx(costs[1], rel=1e-6)
