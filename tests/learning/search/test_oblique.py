import math
from dataclasses import replace
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from oracles.objectives import score
from oracles.search_inputs import search_input
from oracles.searches import HalfSpace, appending_chain, oblique_chain
from oracles.searches import where as where_all_hold

from sorb import _kernels
from sorb.learning.objectives import OBJECTIVES, SearchInput, prepare
from sorb.learning.rows import Rows
from sorb.learning.search import ObliqueSearch
from sorb.tables.column_constraints import ColumnConstraints

SETTINGS = {
    "of the paper": ("gradient_sum", "separator"),
    "sharper": ("orthogonal", "gradient_sum"),
    "boosting": ("gradient_boosting", "objective"),
    "second order": ("second_order", "objective"),
    "orthogonal cuts": ("orthogonal", "objective"),
}
all_settings = pytest.mark.parametrize(("objective", "cut"), SETTINGS.values(), ids=SETTINGS)
both_steps = pytest.mark.parametrize("refine", [True, False], ids=["refine", "append"])


def same(ours, theirs):
    assert [half.support for half in ours] == [half.support for half in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert one.w == pytest.approx(other.w, abs=1e-9)
        assert one.threshold == pytest.approx(other.threshold, abs=1e-9)


def raw_chains(where, objective, cut, max_weights=5, threads=1, refine=True):
    """What the kernel finds for each sign."""
    chooses = prepare(objective, where)
    cutter = None
    if cut != "separator":
        cutter = chooses if cut == "objective" else prepare(cut, where)
    chains = _kernels.oblique_levels(
        where.rows.Z,
        chooses,
        cutter,
        where.weighted_gradient,
        max_weights,
        _kernels.Steps.refine if refine else _kernels.Steps.append,
        threads,
    )
    return [[(level.parts, level.covered) for level in chain] for chain in chains]


@all_settings
@pytest.mark.parametrize("seed", range(6))
def test_levels_are_those_of_the_plain_search(objective, cut, seed):
    where = search_input(seed, d=6)
    Z = where.rows.Z
    for sign, found in zip((1, -1), raw_chains(where, objective, cut), strict=True):
        expected = oblique_chain(where, objective, cut, 5, sign)
        assert len(found) == len(expected) == 5
        for (halves, covered), plain in zip(found, expected, strict=True):
            same([HalfSpace.of(half) for half in halves], plain)
            assert np.array_equal(covered, where_all_hold(Z, plain))


@all_settings
@pytest.mark.parametrize("seed", range(2))
def test_levels_of_few_rows_are_those_of_the_plain_search(objective, cut, seed):
    where = search_input(seed, n=12, d=3, rules=0)  # rules so far would make for ties
    for sign, found in zip((1, -1), raw_chains(where, objective, cut), strict=True):
        expected = oblique_chain(where, objective, cut, 5, sign)
        assert len(found) == len(expected)
        for (halves, _), plain in zip(found, expected, strict=True):
            same([HalfSpace.of(half) for half in halves], plain)


@all_settings
@pytest.mark.parametrize("seed", range(6))
def test_steps_that_only_add_are_those_of_the_plain_search(objective, cut, seed):
    where = search_input(seed, d=6)
    Z = where.rows.Z
    chains = raw_chains(where, objective, cut, refine=False)
    for sign, found in zip((1, -1), chains, strict=True):
        expected = appending_chain(where, objective, cut, 5, sign)
        assert len(found) == len(expected) > 0
        for (halves, covered), plain in zip(found, expected, strict=True):
            same([HalfSpace.of(half) for half in halves], plain)
            assert np.array_equal(covered, where_all_hold(Z, plain))


@all_settings
def test_steps_that_only_add_change_nothing_and_spend_no_weight_twice(objective, cut):
    spent, lengths = set(), set()
    for seed in range(10):
        where = search_input(seed, d=6, n=150)
        for chain in raw_chains(where, objective, cut, refine=False):
            conjunctions = [halves for halves, _ in chain]
            for before, after in pairwise(conjunctions):
                # But for what the new half-space implies.
                assert [half for half in after if half in before] == after[:-1]
            added = [len(halves[-1].weights) for halves in conjunctions]
            spent.add(sum(added))
            lengths.add(len(added))
    assert max(spent) == 5  # fewer where the gradient of all rows that are left has one sign
    assert len(lengths) > 1


@all_settings
def test_a_single_step_takes_the_size_with_the_best_objective(objective, cut):
    for seed in range(5):
        where = search_input(seed, d=6)
        chooses = prepare(objective, where)
        bag = where.weighted_gradient != 0
        for sign, chain in zip(
            (1, -1), raw_chains(where, objective, cut, refine=False), strict=True
        ):
            first = np.flatnonzero(chain[0][1] & bag)
            for level in raw_chains(where, objective, cut)[sign < 0]:
                # The levels of the other search begin with single half-spaces as well.
                if len(level[0]) == 1:
                    rows = np.flatnonzero(level[1] & bag)
                    assert chooses.score(first, sign) >= chooses.score(rows, sign) * (1 - 1e-9)


@all_settings
def test_a_table_too_large_to_copy_is_searched_in_place(objective, cut):
    # The same rows, once alone and once among others that are out of the bag. Only in the second
    # table they are fewer than a third of all, and so few enough to be copied.
    n, d = 2_200, 250
    rng = np.random.default_rng(0)
    Z = np.asfortranarray(rng.normal(size=(3 * n + 1, d)))
    weighted_gradient = np.append(Z[:n, :3].sum(axis=1) + rng.normal(size=n), np.zeros(2 * n + 1))
    found = []
    for rows in (n, 3 * n + 1):
        where = SearchInput(
            SimpleNamespace(Z=np.asfortranarray(Z[:rows])),
            (weighted_gradient[:rows] != 0).astype(float),
            weighted_gradient[:rows],
            np.zeros(rows, dtype=np.int32),
            np.zeros((1, 0), dtype=np.uint8),
            lambda: np.ones(1),
            0.1,
        )
        found.append(raw_chains(where, objective, cut, max_weights=2))
    for in_place, copied in zip(*found, strict=True):
        for (halves, covered), (others, wider) in zip(in_place, copied, strict=True):
            same(
                [HalfSpace.of(h) for h in halves],
                [HalfSpace.of(h) for h in others],
            )
            assert np.array_equal(covered, wider[:n])


@all_settings
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_covered_rows_are_those_of_the_condition_in_the_users_units(objective, cut, dtype):
    for seed in range(5):
        where = search_input(seed, dtype=dtype)
        for candidate in ObliqueSearch(objective, cut)(where, 5, 1):
            in_user_units = where.rows.covered_by(candidate.condition(where.rows))
            # float32 columns are standardised with the digits that they have.
            clear = far_from_borders(where.rows, candidate, 1e-4 if dtype is np.float32 else 1e-9)
            assert np.array_equal(candidate.covered[clear], in_user_units[clear])


def far_from_borders(rows, candidate, room):
    distances = [
        np.abs(rows.Z[:, half.support].astype(float) @ half.w - half.threshold)
        for half in (HalfSpace.of(h) for h in candidate.parts)
    ]
    clear = np.min(distances, axis=0) > room
    assert clear.mean() > 0.95
    return clear


@all_settings
def test_each_level_has_at_most_as_many_weights(objective, cut):
    for seed in range(5):
        for chain in raw_chains(search_input(seed), objective, cut):
            weights = [sum(len(half.weights) for half in halves) for halves, _ in chain]
            assert all(0 < found <= level for level, found in enumerate(weights, start=1))


def test_complexity_counts_the_rule_its_propositions_and_their_weights():
    for candidate in ObliqueSearch("gradient_sum", "separator")(search_input(0), 5, 1):
        condition = candidate.condition(search_input(0).rows)
        assert candidate.complexity == 1 + condition.complexity


@both_steps
@all_settings
def test_candidates_divide_the_rows_of_the_bag(objective, cut, refine):
    for seed in range(5):
        where = search_input(seed)
        bag = where.weighted_gradient != 0
        for candidate in ObliqueSearch(objective, cut, refine)(where, 5, 1):
            assert 0 < np.count_nonzero(candidate.covered[bag]) < np.count_nonzero(bag)


@all_settings
def test_rows_out_of_the_bag_do_not_matter(objective, cut):
    where = search_input(3)
    outside = where.weight == 0
    moved = where.rows.Z.copy(order="F")
    moved[outside] = np.random.default_rng(0).normal(size=(outside.sum(), moved.shape[1]))
    elsewhere = replace(where, rows=replace(where.rows, Z=moved))
    for before, after in zip(
        ObliqueSearch(objective, cut)(where, 5, 1),
        ObliqueSearch(objective, cut)(elsewhere, 5, 1),
        strict=True,
    ):
        assert before.parts == after.parts


@all_settings
def test_float32_finds_the_same(objective, cut):
    for seed in range(5):
        where = search_input(seed, n=200)
        narrow = replace(where, rows=replace(where.rows, Z=where.rows.Z.astype(np.float32)))
        wide_first = ObliqueSearch(objective, cut)(where, 1, 1)
        narrow_first = ObliqueSearch(objective, cut)(narrow, 1, 1)
        for one, other in zip(wide_first, narrow_first, strict=True):
            assert one.parts[0].columns == other.parts[0].columns
            assert np.mean(one.covered != other.covered) < 0.01


@both_steps
@all_settings
def test_a_gradient_of_one_sign_offers_nothing_to_separate(objective, cut, refine):
    where = search_input(4)
    one_sided = replace(where, weighted_gradient=where.weight)
    assert ObliqueSearch(objective, cut, refine)(one_sided, 5, 1) == []


@all_settings
def test_no_gradient_offers_nothing(objective, cut):
    where = search_input(5)
    assert (
        ObliqueSearch(objective, cut)(replace(where, weighted_gradient=0 * where.weight), 5, 1)
        == []
    )


@all_settings
def test_constant_columns_offer_nothing(objective, cut):
    rng = np.random.default_rng(6)
    rows = Rows.from_table(np.ones((20, 2)), np.arange(20.0), np.ones(20), ("a", "b"))
    where = SearchInput(
        rows,
        np.ones(20),
        rng.normal(size=20),
        np.zeros(20, dtype=np.int32),
        np.zeros((1, 0), dtype=np.uint8),
        lambda: np.ones(1),
        0.1,
    )
    assert ObliqueSearch(objective, cut)(where, 5, 1) == []


@all_settings
def test_a_balanced_design_gets_no_idle_columns(objective, cut):
    # Two of the three columns have exactly nothing to say.
    X = np.repeat(np.array(list(product([-1.0, 1.0], repeat=3))), 4, axis=0)
    weighted_gradient = X[:, 0] * np.tile([1.0, 1, 1, -1], 8)
    rows = Rows.from_table(X, np.arange(32.0), np.ones(32), ("a", "b", "c"))
    where = SearchInput(
        rows,
        np.ones(32),
        weighted_gradient[rows.origin],
        np.zeros(32, dtype=np.int32),
        np.zeros((1, 0), dtype=np.uint8),
        lambda: np.ones(1),
        0.1,
    )
    found = ObliqueSearch(objective, cut)(where, 3, 1)
    assert found
    for candidate in found:
        assert candidate.condition(rows).columns == ("a",)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("max_complexity", [3, 5, math.inf])
def test_the_best_condition_is_the_best_of_all_levels_and_signs(objective, max_complexity):
    search = ObliqueSearch(objective, "separator")
    for seed in range(5):
        place = search_input(seed)
        value, best = search.best(place, 4, max_complexity, 1)
        scores = {
            candidate.covered.tobytes(): max(
                score(objective, place, candidate.covered & (place.weight > 0), sign)
                for sign in (1, -1)
            )
            for candidate in search(place, 4, 1)
            if candidate.complexity <= max_complexity
        }
        assert value == pytest.approx(max(scores.values()))
        assert scores[best.covered.tobytes()] == pytest.approx(value)


# ---- directions ---------------------------------------------------------------------------------


def with_directions(seed, signs, **options):
    where = search_input(seed, d=len(signs), **options)
    directions = dict(zip(where.rows.names(range(len(signs))), signs, strict=True))
    return replace(where, constraints=ColumnConstraints(directions)), np.array(signs)


@both_steps
@all_settings
@pytest.mark.parametrize("whole", [False, True], ids=["real", "whole"])
@pytest.mark.parametrize("seed", range(4))
def test_weights_have_the_sign_that_directions_leave(objective, cut, refine, whole, seed):
    where, signs = with_directions(seed, (1, -1, 0, 1))
    found = ObliqueSearch(objective, cut, refine, whole)(where, 5, 1)
    assert len(found) > 2
    for candidate in found:
        lower, upper = candidate.votes(where.rows, where.constraints)
        for half in candidate.parts:
            agree = np.sign(half.weights) * signs[half.columns]
            assert (agree[agree != 0] == (1 if lower == 0 else -1)).all()
            assert not agree.any() or (lower, upper) != (-np.inf, np.inf)


@both_steps
@all_settings
@pytest.mark.parametrize("seed", range(3))
def test_directions_in_which_the_gradient_falls_anyway_change_nothing(objective, cut, refine, seed):
    where = search_input(seed, d=3, rules=0)
    # Every separator gives each of these columns a positive weight.
    gain = where.rows.Z @ np.ones(3)
    where = replace(where, weighted_gradient=where.weight * gain)
    names = where.rows.names(range(3))
    bound = replace(where, constraints=ColumnConstraints(dict.fromkeys(names, -1)))
    search = ObliqueSearch(objective, cut, refine)
    free = search(where, 3, 1)
    if all(min(half.weights) * max(half.weights) > 0 for c in free for half in c.parts):
        assert [c.parts for c in search(bound, 3, 1)] == [c.parts for c in free]


@pytest.mark.parametrize("seed", range(6))
def test_of_two_columns_with_directions_the_better_one_is_kept(seed):
    """A column of which only the sign that is ruled out would help gets no weight."""
    where, _ = with_directions(seed, (1, 1))
    gain = where.rows.Z @ np.array([-1.0, 1.0])
    where = replace(where, weighted_gradient=where.weight * gain)
    for candidate in ObliqueSearch("gradient_sum", "separator")(where, 2, 1):
        assert [half.columns for half in candidate.parts] == [[0]] * len(candidate.parts)
