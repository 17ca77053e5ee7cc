import math
from dataclasses import replace

import numpy as np
import pytest
from oracles.objectives import score
from oracles.search_inputs import search_input
from oracles.searches import HalfSpace, axis_chain, borders, where

from sorb import _kernels
from sorb.learning.objectives import OBJECTIVES, SearchInput, prepare
from sorb.learning.rows import Rows
from sorb.learning.search import AxisSearch
from sorb.tables.column_constraints import ColumnConstraints

every_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def raw_chains(place, objective, max_weights=4):
    """What the kernel finds for each sign."""
    chosen_by = prepare(objective, place)
    chains = _kernels.axis_levels(place.rows.Z, chosen_by, place.weight, max_weights, 1)
    return [[(level.parts, level.covered) for level in chain] for chain in chains]


def half_spaces(candidate):
    return [HalfSpace.of(half) for half in candidate.parts]


def same(ours, theirs):
    assert [(half.support, half.w) for half in ours] == [(h.support, h.w) for h in theirs]
    assert [half.threshold for half in ours] == pytest.approx([h.threshold for h in theirs])


@every_objective
@pytest.mark.parametrize("seed", range(6))
def test_levels_are_those_of_a_search_over_all_thresholds(objective, seed):
    place = search_input(seed, n=60, d=3)
    for sign, found in zip((1, -1), raw_chains(place, objective), strict=True):
        expected = axis_chain(place, objective, 4, sign)
        assert len(found) == len(expected) > 0
        for (halves, covered), plain in zip(found, expected, strict=True):
            same([HalfSpace.of(half) for half in halves], plain)
            assert np.array_equal(covered, where(place.rows.Z, plain))


@every_objective
@pytest.mark.parametrize("seed", range(3))
def test_levels_with_directions_are_those_of_a_search_over_the_thresholds_they_leave(
    objective, seed
):
    place = search_input(seed, n=60, d=3)
    directions = dict(zip(place.rows.columns, (1, -1, 0), strict=True))
    place = replace(place, constraints=ColumnConstraints(directions))
    of_column = [directions[name] for name in place.rows.names(range(3))]

    def expected(sign):
        # A rule for positive gradients gets a negative vote.
        def fits(halves, half):
            return half.w[0] * sign * of_column[half.support[0]] <= 0

        return axis_chain(place, objective, 4, sign, may_add=fits)

    found = AxisSearch(objective)(place, 4, 1)
    levels = [halves for sign in (1, -1) for halves in expected(sign)]
    for candidate, plain in zip(found, levels, strict=True):
        same(half_spaces(candidate), plain)


@every_objective
@pytest.mark.parametrize("n_quantiles", [2, 5, 20])
@pytest.mark.parametrize("seed", range(3))
def test_levels_are_those_of_a_search_over_all_quantiles(objective, n_quantiles, seed):
    place = search_input(seed, n=60, d=3)
    found = AxisSearch(objective, n_quantiles)(place, 4, 1)
    expected = [
        halves for sign in (1, -1) for halves in axis_chain(place, objective, 4, sign, n_quantiles)
    ]
    assert len(found) == len(expected)
    for candidate, plain in zip(found, expected, strict=True):
        # Borders with no row of the bag between them are the same to the search.
        assert np.array_equal(
            candidate.covered[place.weight > 0], where(place.rows.Z, plain)[place.weight > 0]
        )


@pytest.mark.parametrize("n_quantiles", [2, 5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_only_borders_of_quantiles_are_used(n_quantiles, seed):
    place = search_input(seed, n=60)
    rows = place.rows
    for candidate in AxisSearch("gradient_boosting", n_quantiles)(place, 4, 1):
        for half in candidate.parts:
            (column,), (direction,) = half.columns, half.weights
            allowed = borders(rows.Z[:, column], rows.weight, n_quantiles)
            assert np.abs(np.array(allowed) - direction * half.threshold).min() < 1e-12


@every_objective
@pytest.mark.parametrize("n_quantiles", [None, 3, 10, 40])
def test_covered_rows_are_those_of_the_half_spaces(objective, n_quantiles):
    for seed in range(10):
        place = search_input(seed)
        for candidate in AxisSearch(objective, n_quantiles)(place, 4, 1):
            assert np.array_equal(candidate.covered, where(place.rows.Z, half_spaces(candidate)))


@pytest.mark.parametrize("n_quantiles", [None, 10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_covered_rows_are_those_of_the_condition_in_the_users_units(n_quantiles, dtype):
    for seed in range(10):
        place = search_input(seed, dtype=dtype)
        for candidate in AxisSearch("gradient_boosting", n_quantiles)(place, 4, 1):
            covered = place.rows.covered_by(candidate.condition(place.rows))
            assert np.array_equal(covered, candidate.covered)


@pytest.mark.parametrize("n_quantiles", [2, 7])
def test_copies_of_a_value_are_never_divided(n_quantiles):
    place = search_input(0, n=200, d=2)
    coarse = np.asfortranarray(np.round(place.rows.Z))
    place = replace(place, rows=replace(place.rows, Z=coarse))
    for candidate in AxisSearch("gradient_sum", n_quantiles)(place, 3, 1):
        assert np.array_equal(candidate.covered, where(coarse, half_spaces(candidate)))


@every_objective
@pytest.mark.parametrize("n_quantiles", [None, 5])
def test_propositions_are_added_only_as_long_as_the_objective_grows(objective, n_quantiles):
    for seed in range(5):
        place = search_input(seed)
        bag = np.flatnonzero(place.weight)
        scores = prepare(objective, place)
        last = {1: 0.0, -1: 0.0}
        for candidate in AxisSearch(objective, n_quantiles)(place, 5, 1):
            kept = bag[candidate.covered[bag]]
            sign = max((1, -1), key=lambda s: scores.score(kept, s))
            value = scores.score(kept, sign)
            if len(candidate.parts) > 1:
                assert value > last[sign]
            last[sign] = value


@every_objective
def test_no_proposition_follows_from_another(objective):
    for seed in range(10):
        for candidate in AxisSearch(objective)(search_input(seed), 5, 1):
            sides = [(half.support, half.w) for half in half_spaces(candidate)]
            assert len(set(sides)) == len(sides)


@every_objective
def test_no_more_propositions_than_asked_for(objective):
    assert max(len(c.parts) for c in AxisSearch(objective)(search_input(1), 2, 1)) <= 2


@every_objective
@pytest.mark.parametrize("n_quantiles", [None, 5])
def test_no_gradient_offers_nothing(objective, n_quantiles):
    place = replace(search_input(2), weighted_gradient=np.zeros(80))
    assert AxisSearch(objective, n_quantiles)(place, 4, 1) == []


@pytest.mark.parametrize("n_quantiles", [None, 5])
def test_constant_columns_offer_nothing(n_quantiles):
    place = search_input(3)
    flat = replace(place.rows, Z=np.zeros((80, 4), order="F"))
    assert AxisSearch("gradient_sum", n_quantiles)(replace(place, rows=flat), 4, 1) == []


def test_one_quantile_offers_nothing():
    assert AxisSearch("gradient_sum", 1)(search_input(4), 4, 1) == []


def test_as_many_quantiles_as_rows_are_all_thresholds():
    place = search_input(5)
    even = replace(place, rows=replace(place.rows, weight=np.ones(80)))
    for exact, grid in zip(
        AxisSearch("gradient_boosting")(even, 4, 1),
        AxisSearch("gradient_boosting", 80)(even, 4, 1),
        strict=True,
    ):
        bag = place.weight > 0
        assert np.array_equal(exact.covered[bag], grid.covered[bag])


def test_a_division_is_the_same_for_complements_and_for_no_others():
    rng = np.random.default_rng(0)
    some = [rng.uniform(size=n) < 0.5 for n in (2, 63, 64, 65, 200) for _ in range(20)]
    keys = [_kernels.division(covered) for covered in some]
    assert keys == [_kernels.division(~covered) for covered in some]
    contents = {(len(m), (m ^ m[0]).tobytes()) for m in some if 0 < m.sum() < len(m)}
    assert len(set(keys) - {None}) == len(contents)


@pytest.mark.parametrize("value", [True, False])
def test_rows_all_on_one_side_have_no_division(value):
    assert _kernels.division(np.full(100, value)) is None


@every_objective
@pytest.mark.parametrize("n_quantiles", [None, 5])
@pytest.mark.parametrize("max_complexity", [3, 4, 5, math.inf])
def test_the_best_condition_is_the_end_of_the_chain_that_begins_best(
    objective, n_quantiles, max_complexity
):
    for seed in range(5):
        place = search_input(seed)
        value, best = AxisSearch(objective, n_quantiles).best(place, 4, max_complexity, 1)
        chains = [
            [h for h in chain if 1 + 2 * len(h) <= max_complexity]
            for chain in (axis_chain(place, objective, 4, sign, n_quantiles) for sign in (1, -1))
        ]
        scores = [
            [score(objective, place, where(place.rows.Z, halves), sign) for halves in chain]
            for sign, chain in zip((1, -1), chains, strict=True)
        ]
        most = max(chain[0] for chain in scores)
        equal = [k for k in (0, 1) if scores[k][0] > most * (1 - 1e-9)]
        ends = {k: scores[k][-1] for k in equal}
        assert value == pytest.approx(max(ends.values()))
        bag = place.weight > 0
        assert any(
            np.array_equal(best.covered[bag], where(place.rows.Z, chains[k][-1])[bag])
            for k in ends
            if ends[k] == pytest.approx(value)
        )


def test_where_nothing_gains_there_is_no_best_condition():
    place = search_input(0)
    idle = replace(place, weighted_gradient=np.zeros_like(place.weighted_gradient))
    assert AxisSearch("gradient_sum").best(idle, 4, math.inf, 1) is None


def test_quantiles_of_a_column_that_is_missing_everywhere_offer_nothing():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), np.full(40, np.nan)])
    rows = Rows.from_table(X, rng.normal(size=40), np.ones(40), ("a", "b"))
    everywhere = SearchInput(
        rows,
        rows.weight,
        rows.y,
        np.zeros(40, dtype=np.int32),
        np.empty((1, 0), dtype=np.uint8),
        lambda: np.ones(1),
        0.1,
    )
    found = AxisSearch("gradient_sum", n_quantiles=3)(everywhere, 3, 1)
    assert found
    assert {p.columns for c in found for p in c.condition(rows).propositions} == {("a",)}
