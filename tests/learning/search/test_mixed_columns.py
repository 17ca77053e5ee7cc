"""Searches on tables with missing values, categories, logarithms and whole weights."""

from itertools import combinations, product
from math import gcd

import numpy as np
import pytest
from oracles import mixed_columns, objectives

from sorb import _kernels
from sorb.learning.objectives import OBJECTIVES, SearchInput, prepare
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch, ObliqueSearch
from sorb.rules import Membership, Product, Proposition
from sorb.tables.schema import Schema

BOTH_SIGNS = (1, -1)
# For the orthogonal objective, the order of the mean gain is only a guess.
RATIOS = ("gradient_sum", "gradient_boosting", "second_order")


def search_input(seed, n=90, missing=0.2, logarithms=(), n_categories=(4, 6)):
    """Columns of numbers, some values of which are missing, and columns of categories."""
    rng = np.random.default_rng(seed)
    numbers = np.exp(rng.normal(size=(n, 4)))
    codes = np.column_stack([rng.integers(0, k, size=n) for k in n_categories]).astype(float)
    X = np.column_stack([numbers, codes])
    signal = np.tanh(numbers[:, 0] - numbers[:, 1]) + 0.7 * (codes[:, 0] % 2 == 0) - 0.4
    absent = rng.random(X.shape) < missing
    absent[:, 1] = False  # one column is complete
    signal += 0.6 * absent[:, 0] - 0.5 * absent[:, 4]
    X[absent] = np.nan
    names = tuple("abcdef")
    labels = tuple(tuple("uvwxyz"[:k]) for k in n_categories)
    schema = Schema(names, (None,) * 4 + labels, logarithms)
    # The row number as an outcome keeps all rows distinct and in a known order.
    rows = Rows.from_table(X, np.arange(float(n)), rng.exponential(size=n), names, schema=schema)
    signal = signal[rows.y.astype(int)]
    weight = rows.weight * rng.poisson(1, size=n)
    patterns = np.column_stack([rng.random(n) < 0.4, rng.random(n) < 0.5]).astype(np.uint8)
    table, pattern = np.unique(patterns, axis=0, return_inverse=True)
    weighted_gradient = weight * (signal + 0.5 * rng.normal(size=n))
    curvature = rng.uniform(0.1, 1, size=len(table))
    pattern = pattern.ravel().astype(np.int32)
    return SearchInput(rows, weight, weighted_gradient, pattern, table, lambda: curvature, 0.1)


def found_chains(where, objective, cut, max_weights, whole=False, threads=1, refine=True):
    chooses = prepare(objective, where)
    cutter = None
    if cut != "separator":
        cutter = chooses if cut == "objective" else prepare(cut, where)
    return _kernels.oblique_levels(
        where.rows.Z,
        chooses,
        cutter,
        where.weighted_gradient,
        max_weights,
        _kernels.Steps.refine if refine else _kernels.Steps.append,
        threads,
        where.rows.column_info(whole),
    )


def same(found, plain):
    if isinstance(plain, mixed_columns.CategorySet):
        assert isinstance(found, _kernels.CategorySet)
        assert (found.column, tuple(found.categories)) == (plain.column, plain.categories)
        assert found.negated == plain.negated
    else:
        assert tuple(found.columns) == plain.columns
        assert scaled(found) == pytest.approx(scaled(plain), abs=1e-9)
    assert found.covers_missing == plain.covers_missing


def scaled(half):
    size = max(map(abs, half.weights))
    return [*(x / size for x in half.weights), half.threshold / size]


@pytest.mark.parametrize("cut", ["separator", "gradient_sum", "objective"])
@pytest.mark.parametrize("objective", RATIOS)
@pytest.mark.parametrize("logarithms", [(), (0, 1), (0, 1, 2, 3)], ids=["plain", "some", "all"])
@pytest.mark.parametrize("seed", range(3))
def test_levels_are_those_of_the_plain_search(objective, cut, seed, logarithms):
    where = search_input(seed, logarithms=logarithms)
    for sign, chain in zip(BOTH_SIGNS, found_chains(where, objective, cut, 5), strict=True):
        expected = mixed_columns.chain(where, objective, cut, 5, sign)
        assert len(chain) == len(expected) > 2
        for level, plain in zip(chain, expected, strict=True):
            for one, other in zip(level.parts, plain, strict=True):
                same(one, other)
            covered = [part.covers(where.rows) for part in plain]
            assert np.array_equal(level.covered, np.logical_and.reduce(covered))


@pytest.mark.parametrize("refine", [True, False], ids=["refine", "append"])
@pytest.mark.parametrize("whole", [False, True], ids=["real", "whole"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_covered_rows_are_those_of_the_condition_in_the_users_units(objective, whole, refine):
    for seed, logarithms in product(range(3), [(), (0, 1, 2)]):
        where = search_input(seed, logarithms=logarithms)
        search = ObliqueSearch(objective, "gradient_sum", refine, whole)
        for candidate in search(where, 5, 1):
            condition = candidate.condition(where.rows)
            assert np.array_equal(where.rows.covered_by(condition), candidate.covered)
            assert condition.complexity < candidate.complexity


def test_conditions_mix_all_kinds():
    kinds = set()
    for seed in range(6):
        where = search_input(seed, logarithms=(0, 1, 2))
        for candidate in ObliqueSearch("gradient_sum", "gradient_sum")(where, 5, 1):
            kinds |= {(type(p), p.missing) for p in candidate.condition(where.rows).propositions}
    assert {kind for kind, _ in kinds} == {Proposition, Product, Membership}
    assert {(kind, True) for kind in (Proposition, Product, Membership)} <= kinds


@pytest.mark.parametrize("objective", RATIOS)
def test_no_other_set_of_categories_is_better(objective):
    for seed in range(8):
        where = search_input(seed, n_categories=(5, 5))
        bag = where.weighted_gradient != 0
        (column,) = (c for c in where.rows.categories if c.column == 4)
        codes, count = column.codes, column.count
        chains = _kernels.axis_levels(
            np.empty((len(where.rows), 0), order="F"),
            prepare(objective, where),
            where.weight,
            6,
            1,
            _kernels.ColumnInfo(categories=[_kernels.CategoryColumn(codes, count)]),
        )
        for sign, chain in zip(BOTH_SIGNS, chains, strict=True):
            best = 0.0
            for size in range(1, count + 1):
                for chosen in combinations(range(count + 1), size):
                    covered = bag & np.isin(codes, chosen)
                    best = max(best, objectives.score(objective, where, covered, sign))
            if best == 0:
                assert not chain
                continue
            covered = chain[0].covered & bag
            assert objectives.score(objective, where, covered, sign) == pytest.approx(best)


def test_no_more_categories_are_named_than_there_is_room_for():
    for seed in range(6):
        where = search_input(seed, n_categories=(6, 6))
        for search in (ObliqueSearch("gradient_sum", "gradient_sum"), AxisSearch("gradient_sum")):
            for most in (1, 2):
                for candidate in search(where, most, 1):
                    assert candidate.complexity <= 1 + 2 * most


def test_the_shorter_side_is_named():
    for seed in range(6):
        where = search_input(seed, n_categories=(6, 5))
        for candidate in AxisSearch("gradient_boosting")(where, 5, 1):
            for p in candidate.condition(where.rows).propositions:
                if isinstance(p, Membership):
                    labels = where.rows.schema.categories[where.rows.columns.index(p.column)]
                    assert len(p.categories) <= len(labels or ()) / 2 + 0.5


# ---- axis-parallel ----


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_each_axis_parallel_step_is_the_best_of_all(objective):
    for seed in range(4):
        where = search_input(seed)
        bag = where.weight > 0
        chains = AxisSearch(objective)._chains(prepare(objective, where), where, 3, 1)
        for sign, chain in zip(BOTH_SIGNS, chains, strict=True):
            best = max(
                objectives.score(objective, where, bag & covered, sign)
                for covered in single_thresholds(where.rows)
            )
            found = objectives.score(objective, where, bag & chain[0].covered, sign)
            # A set may be better still.
            assert found >= best * (1 - 1e-9)


def single_thresholds(rows):
    for j in range(rows.Z.shape[1]):
        values = rows.Z[:, j]
        absent = mixed_columns.missing_in(rows, [j])
        for place, direction, missing in product(np.unique(values[~absent]), (1, -1), (0, 1)):
            covered = direction * values >= direction * place
            if covered[~absent].all():
                continue
            yield np.where(absent, bool(missing), covered)


# ---- whole weights ----


@pytest.mark.parametrize("logarithms", [(), (0, 1, 2, 3)], ids=["sums", "products"])
def test_whole_weights_are_small_and_share_no_factor(logarithms):
    for seed in range(6):
        where = search_input(seed, logarithms=logarithms, missing=0.0)
        for candidate in ObliqueSearch("orthogonal", "gradient_sum", whole=True)(where, 5, 1):
            for p in candidate.condition(where.rows).propositions:
                if isinstance(p, Membership):
                    continue
                numbers = p.powers if isinstance(p, Product) else p.weights
                assert all(x == round(x) and 1 <= abs(x) <= 5 for x in numbers)
                assert gcd(*(int(x) for x in numbers)) == 1


def test_whole_weights_are_hardly_worse_than_the_best_of_all():
    """The climb need not find the best of all whole weights, but must come near."""
    ratios = []
    for seed in range(10):
        where = search_input(seed, missing=0.0, n_categories=(1, 1))
        scale = where.rows.scale
        chain = found_chains(where, "gradient_sum", "gradient_sum", 2, whole=True)[0]
        firsts = [level.parts[0] for level in chain if len(level.parts) == 1]
        for half in (half for half in firsts if len(half.weights) == 2):
            support = half.columns
            found = best_value(where, support, half.weights)
            everything = (
                best_value(where, support, np.array(v) * scale[support])
                for v in product(range(-5, 6), repeat=2)
                if all(v)
            )
            ratios.append(found / max(everything))
    assert len(ratios) > 3
    assert np.mean(ratios) > 0.98
    assert min(ratios) > 0.9


def best_value(where, support, w):
    rows = np.flatnonzero(where.weighted_gradient != 0)
    projection = where.rows.Z[np.ix_(rows, support)] @ np.array(w)
    cut = prepare("gradient_sum", where).best_cut(rows, projection, 1)
    return cut.value if cut else 0.0


def test_whole_weights_are_no_worse_than_rounded_ones():
    for seed in range(10):
        where = search_input(seed, missing=0.0, n_categories=(1, 1))
        scale = where.rows.scale
        real = found_chains(where, "gradient_sum", "gradient_sum", 2)[0]
        whole = found_chains(where, "gradient_sum", "gradient_sum", 2, whole=True)[0]
        for level, other in zip(real, whole, strict=False):
            support = level.parts[0].columns
            if len(level.parts) > 1 or other.parts[0].columns != support:
                continue
            direction = np.array(level.parts[0].weights) / scale[support]
            for size in range(1, 6):
                rounded = np.round(size * direction / np.abs(direction).max())
                if rounded.all():
                    there = best_value(where, support, rounded * scale[support])
                    assert best_value(where, support, other.parts[0].weights) >= there * (1 - 1e-9)


def test_whole_weights_do_not_divide_equal_sums():
    """On coarse columns many rows have the same sum, but for the rounding of standardised ones."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.integers(1, 9, size=(200, 2)) / 10
        rows = Rows.from_table(X, np.arange(200.0), np.ones(200), ("a", "b"))
        place = rows.y.astype(int)
        weighted_gradient = (2 * X @ [1, 1.5] > 2.25)[place] - 0.5 + rng.normal(0, 0.5, 200)
        where = SearchInput(
            rows,
            np.ones(200),
            weighted_gradient,
            np.zeros(200, dtype=np.int32),
            np.zeros((1, 0), dtype=np.uint8),
            lambda: np.ones(1),
            0.1,
        )
        for candidate in ObliqueSearch("gradient_sum", "gradient_sum", whole=True)(where, 2, 1):
            in_user_units = rows.covered_by(candidate.condition(rows))
            assert np.array_equal(in_user_units, candidate.covered)


@pytest.mark.parametrize("power", [-1035, -1040])
def test_whole_weights_are_found_in_tiny_units_as_well(power):
    """Over subnormal scales, weights are beyond the floats."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(-40, 40, size=(100, 3)).astype(float)
        weighted_gradient = X @ rng.integers(1, 6, size=3) + rng.normal(0, 20, 100)
        assert whole_weights(X, weighted_gradient) == whole_weights(
            X * 2.0**power, weighted_gradient
        )


def whole_weights(X, weighted_gradient):
    n, d = X.shape
    Z, _, scale = _kernels.standardise(X, np.arange(n), np.arange(d), np.ones(n))
    kind = _kernels.ObjectiveKind.gradient_sum
    objective = _kernels.Objective(kind, 0, weighted_gradient, np.ones(n))
    chains = _kernels.oblique_levels(
        Z,
        objective,
        objective,
        weighted_gradient,
        3,
        _kernels.Steps.refine,
        1,
        _kernels.ColumnInfo(scale=scale),
    )
    parts = [part for chain in chains for level in chain for part in level.parts]
    return [(p.columns, (np.array(p.weights) / scale[p.columns]).round().tolist()) for p in parts]


# ---- the table's own order ----


def test_plain_tables_have_nothing_to_say_about_their_columns():
    rows = search_input(0, missing=0.0).rows
    plain = Rows.from_table(rows.X[:, :4], rows.y, rows.weight, rows.columns[:4])
    info = plain.column_info(whole=False)
    assert (info.missing, info.categories, info.first_logarithm, info.scale) == ({}, [], 4, None)
