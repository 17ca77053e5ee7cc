from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import objectives as oracle

from sorb import _kernels
from sorb.learning.objectives import OBJECTIVES, SearchInput, prepare

every_objective = pytest.mark.parametrize("name", [*OBJECTIVES, "refitted"])
both_signs = pytest.mark.parametrize("sign", [1, -1])
SUMS = OBJECTIVES[:3]  # those that are functions of two sums


def search_input(n, seed=0, rules=3, reg_lambda=0.1, weight=None, gradient=None):
    """Random rows with as many rules so far; a third of the rows are out of the bag."""
    rng = np.random.default_rng(seed)
    patterns, pattern = np.unique(rng.integers(2, size=(n, rules)), axis=0, return_inverse=True)
    if weight is None:
        weight = rng.poisson(1.1, size=n) * rng.exponential(size=n)
    weighted_gradient = weight * (rng.normal(size=n) if gradient is None else gradient)
    pattern, patterns = pattern.ravel().astype(np.int32), patterns.astype(np.uint8)
    curvature = rng.exponential(size=len(patterns))
    return SearchInput(
        None, weight, weighted_gradient, pattern, patterns, lambda: curvature, reg_lambda
    )


def in_bag(where):
    return np.flatnonzero(where.weight).astype(np.int64)


def mask(rows, n):
    chosen = np.zeros(n, dtype=bool)
    chosen[rows] = True
    return chosen


def plain_score(name, where, rows, sign):
    return oracle.score(name, where, mask(rows, len(where.weight)), sign)


# ---- scores -------------------------------------------------------------------------------------


@every_objective
@both_signs
@pytest.mark.parametrize("rules", [0, 1, 4])
def test_score_is_that_of_the_formula(name, sign, rules):
    where = search_input(80, rules=rules)
    rng = np.random.default_rng(1)
    for _ in range(20):
        rows = rng.permutation(in_bag(where))[: rng.integers(1, 50)]
        found = prepare(name, where).score(rows, sign)
        assert found == pytest.approx(plain_score(name, where, rows, sign), rel=1e-9, abs=1e-12)


@every_objective
def test_a_score_of_one_sign_is_zero_for_the_other(name):
    where = search_input(60)
    rows = in_bag(where)[:20]
    objective = prepare(name, where)
    assert sorted([objective.score(rows, 1) > 0, objective.score(rows, -1) > 0]) == [False, True]


@every_objective
@both_signs
def test_no_rows_score_nothing(name, sign):
    assert prepare(name, search_input(10)).score(np.empty(0, dtype=np.int64), sign) == 0


@both_signs
def test_what_the_rules_so_far_explain_scores_nothing_orthogonally(sign):
    where = search_input(60, rules=2)
    objective = prepare("orthogonal", where)
    everything = in_bag(where)
    first_rule = everything[where.patterns[where.pattern[everything], 0] > 0]
    for rows in (everything, first_rule):
        assert objective.score(rows, sign) == 0


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1]])
def test_orthogonal_score_ignores_rules_that_repeat_others(order):
    where = search_input(60, rules=2)
    everything, opposite = np.ones(len(where.patterns)), 1 - where.patterns[:, 0]
    more = np.column_stack([everything, where.patterns[:, 0], opposite, where.patterns[:, 1]])
    repeated = replace(where, patterns=more[:, order].astype(np.uint8))
    rows = in_bag(where)[:15]
    for sign in (1, -1):
        expected = prepare("orthogonal", where).score(rows, sign)
        found = prepare("orthogonal", repeated).score(rows, sign)
        assert found == pytest.approx(expected, rel=1e-9)


def test_orthogonal_score_sees_no_pattern_out_of_the_bag():
    # All rows of one pattern are out of the bag.
    where = search_input(60, rules=2)
    inside = where.pattern != 0
    where = replace(
        where, weight=where.weight * inside, weighted_gradient=where.weighted_gradient * inside
    )
    rows = in_bag(where)[:15]
    for sign in (1, -1):
        expected = plain_score("orthogonal", where, rows, sign)
        assert prepare("orthogonal", where).score(rows, sign) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("unit", [1e-200, 1e-6, 1e200])
def test_the_orthogonal_score_is_in_roots_of_weights(unit):
    one = search_input(60, rules=2)
    other = replace(
        one,
        weight=unit * one.weight,
        weighted_gradient=unit * one.weighted_gradient,
        mean_weight=unit,
    )
    rows = in_bag(one)[:15]
    for sign in (1, -1):
        expected = np.sqrt(unit) * prepare("orthogonal", one).score(rows, sign)
        assert prepare("orthogonal", other).score(rows, sign) == pytest.approx(expected, rel=1e-9)


@every_objective
@both_signs
def test_a_weight_of_two_is_two_rows(name, sign):
    one = search_input(20, rules=1, weight=np.ones(20))
    heavy = replace(one, weight=2 * one.weight, weighted_gradient=2 * one.weighted_gradient)
    twice = replace(
        one,
        weight=np.tile(one.weight, 2),
        weighted_gradient=np.tile(one.weighted_gradient, 2),
        pattern=np.tile(one.pattern, 2),
    )
    rows = np.arange(8)
    expected = prepare(name, twice).score(np.append(rows, rows + 20), sign)
    assert prepare(name, heavy).score(rows, sign) == pytest.approx(expected, rel=1e-12, abs=1e-12)


# ---- cuts ---------------------------------------------------------------------------------------


def check_cut(name, where, rows, projection, sign):
    """Compare with the oracle, and check which rows the threshold keeps."""
    objective = prepare(name, where)
    cut = objective.best_cut(rows, projection, sign)
    best, _ = oracle.best_cut(lambda kept: plain_score(name, where, rows[kept], sign), projection)
    if cut is None:
        assert best == pytest.approx(0, abs=1e-10)
        return
    assert cut.value == pytest.approx(best, rel=1e-9, abs=1e-10)
    kept = projection >= cut.threshold
    assert 0 < kept.sum() < len(rows)
    assert plain_score(name, where, rows[kept], sign) == pytest.approx(cut.value, rel=1e-9)


PROJECTIONS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(5, size=n).astype(float),
    "two values": lambda rng, n: rng.integers(2, size=n).astype(float),
    "outlier above": lambda rng, n: np.append(rng.normal(size=n - 1), 1e12),
    "outlier below": lambda rng, n: np.append(rng.normal(size=n - 1), -1e12),
    "outliers on both sides": lambda rng, n: np.append(rng.normal(size=n - 2), [1e12, -1e12]),
    "heavy tails": lambda rng, n: rng.standard_cauchy(size=n) ** 3,
    "neighbouring floats": lambda rng, n: 1 + rng.integers(4, size=n) * 2.0**-52,
    "smallest floats": lambda rng, n: rng.integers(4, size=n) * 5e-324,
    "largest floats": lambda rng, n: rng.uniform(-1, 1, size=n) * 1.7e308,
    "sorted": lambda rng, n: np.arange(float(n)),
}


@every_objective
@both_signs
@pytest.mark.parametrize("shape", PROJECTIONS)
def test_cut_is_the_best_of_all(name, sign, shape):
    rng = np.random.default_rng(3)
    for seed in range(4):
        where = search_input(60, seed)
        rows = in_bag(where)
        check_cut(name, where, rows, PROJECTIONS[shape](rng, len(rows)), sign)


@every_objective
@both_signs
@pytest.mark.parametrize("n", [1, 2, 3])
def test_cut_of_few_rows_is_the_best_of_all(name, sign, n):
    rng = np.random.default_rng(4)
    for seed in range(20):
        where = search_input(10, seed, weight=np.ones(10))
        check_cut(name, where, rng.permutation(10)[:n], rng.integers(3, size=n) * 1.0, sign)


@every_objective
@both_signs
@settings(max_examples=60)
@given(data=st.data())
def test_cut_of_any_rows_is_the_best_of_all(name, sign, data):
    n = data.draw(st.integers(2, 14))
    small = st.integers(-3, 3).map(float)
    gradient = data.draw(arrays(float, n, elements=small))
    projection = data.draw(arrays(float, n, elements=small | st.floats(-1e12, 1e12)))
    where = search_input(n, rules=1, weight=np.ones(n), gradient=gradient)
    check_cut(name, where, np.arange(n), projection, sign)


@every_objective
@both_signs
def test_equal_projections_cannot_be_cut(name, sign):
    where = search_input(20, weight=np.ones(20))
    assert prepare(name, where).best_cut(np.arange(20), np.full(20, 0.3), sign) is None


@every_objective
@both_signs
def test_no_rows_cannot_be_cut(name, sign):
    where = search_input(20)
    assert prepare(name, where).best_cut(np.empty(0, dtype=np.int64), np.empty(0), sign) is None


@pytest.mark.parametrize("name", SUMS)
def test_a_gradient_of_the_wrong_sign_gains_nothing(name):
    where = search_input(20, weight=np.ones(20), gradient=np.full(20, -1.0))
    assert prepare(name, where).best_cut(np.arange(20), np.arange(20.0), 1) is None


@every_objective
def test_threshold_lies_between_kept_and_dropped_rows(name):
    where = search_input(50, weight=np.ones(50))
    projection = np.random.default_rng(5).normal(size=50)
    threshold = prepare(name, where).best_cut(np.arange(50), projection, 1).threshold
    kept, dropped = projection[projection >= threshold].min(), projection[projection < threshold]
    assert threshold == pytest.approx((kept + dropped.max()) / 2)


# Histograms have up to 4096 bins: these have many rows in each, and few.
@pytest.mark.parametrize("name", SUMS)
@both_signs
@pytest.mark.parametrize("shape", ["normal", "ties", "heavy tails", "outliers on both sides"])
@pytest.mark.parametrize("n", [1000, 60_000])
def test_cut_of_many_rows_is_that_of_a_full_sort(name, sign, shape, n):
    where = search_input(n)
    rows = in_bag(where)
    projection = PROJECTIONS[shape](np.random.default_rng(6), len(rows))
    objective = prepare(name, where)
    cut = objective.best_cut(rows, projection, sign)
    sums = objective.ridge, objective.gain[rows], objective.mass[rows]
    expected = oracle.best_cut_by_sort(name, *sums, projection, sign)
    if cut is None:
        assert expected == 0
        return
    assert cut.value == pytest.approx(expected, rel=1e-9)
    kept = rows[projection >= cut.threshold]
    assert objective.score(kept, sign) == pytest.approx(cut.value, rel=1e-9)


@pytest.mark.parametrize("name", SUMS)
@both_signs
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_rows_without_mass_do_not_hide_a_cut(name, sign, ridge):
    rng = np.random.default_rng(7)
    for n in [6, 30, 300]:
        for _ in range(20):
            gain = rng.normal(size=n)
            mass = rng.exponential(size=n) * (rng.uniform(size=n) < 0.5)
            projection = rng.integers(n, size=n).astype(float)
            objective = _kernels.Objective(_kernels.ObjectiveKind[name], ridge, gain, mass)
            found = objective.best_cut(np.arange(n), projection, sign)
            best = oracle.best_cut_by_sort(name, ridge, gain, mass, projection, sign)
            assert (found.value if found else 0) == pytest.approx(best, rel=1e-9)


def test_an_objective_without_a_formula_is_refused():
    with pytest.raises(ValueError, match="objective must be one of gradient_sum"):
        prepare("newest", search_input(5))
