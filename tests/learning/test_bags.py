import numpy as np
import pytest
from learning.distinct_rows import rows_of
from oracles import tables as oracle

from sorb import _kernels
from sorb.learning.bags import Bag, Bags

MANY = 20_000


@pytest.fixture(scope="module")
def many():
    return rows_of(np.arange(MANY))


def draw(rows, seed, turn):
    return Bags.of(rows)(seed, turn)


def correlation(a, b):
    return np.corrcoef(a, b)[0, 1]


# ---- the draw ----


@pytest.mark.parametrize("turn", [0, 1, 1000])
def test_counts_follow_a_poisson_distribution(many, turn):
    counts = np.bincount(draw(many, 1, turn).training.astype(int), minlength=6)[:6]
    share = np.exp(-1) / np.array([1, 1, 2, 6, 24, 120])
    deviation = np.sqrt(MANY * share * (1 - share))
    assert (np.abs(counts - MANY * share) < 4.5 * deviation).all()


@pytest.mark.parametrize("turn", range(3))
def test_counts_have_mean_and_variance_1(many, turn):
    training = draw(many, 2, turn).training
    assert abs(training.mean() - 1) < 4.5 / np.sqrt(MANY)
    assert abs(training.var() - 1) < 4.5 * np.sqrt(3 / MANY)  # Var (N − 1)² = 3


def test_turns_are_independent(many):
    draws = [draw(many, 3, turn).training for turn in range(4)]
    assert max(abs(correlation(draws[0], other)) for other in draws[1:]) < 4.5 / np.sqrt(MANY)


def test_seeds_are_independent(many):
    draws = [draw(many, seed, 0).training for seed in range(4)]
    assert max(abs(correlation(draws[0], other)) for other in draws[1:]) < 4.5 / np.sqrt(MANY)


def test_the_next_turn_of_a_seed_is_not_a_turn_of_the_next_seed(many):
    assert not np.array_equal(draw(many, 0, 1).training, draw(many, 1, 0).training)


def test_neighbouring_rows_are_independent(many):
    in_order = np.empty(MANY)
    in_order[many.origin] = draw(many, 4, 0).training
    assert abs(correlation(in_order[1:], in_order[:-1])) < 4.5 / np.sqrt(MANY)


def test_the_same_seed_and_turn_give_the_same_draw(many):
    first, second = draw(many, 5, 6), draw(many, 5, 6)
    assert np.array_equal(first.training, second.training)
    assert np.array_equal(first.validation, second.validation)


def test_a_row_either_trains_or_validates(many):
    bag = draw(many, 6, 0)
    assert np.array_equal(bag.training == 0, bag.validation > 0)


def test_weights_multiply_the_counts():
    weight = np.random.default_rng(0).choice([0.25, 1.0, 3.0], size=500)
    weighted, plain = rows_of(np.arange(500), weight=weight), rows_of(np.arange(500))
    ours, counts = draw(weighted, 7, 0), draw(plain, 7, 0)
    assert np.array_equal(ours.training, weighted.weight * counts.training)
    assert np.array_equal(ours.validation, weighted.weight * counts.validation)


def test_order_of_the_table_does_not_matter():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2))
    shuffled = rng.permutation(200)
    training = [draw(rows_of(table), 8, 0).training for table in (X, X[shuffled])]
    assert np.array_equal(training[0], training[1])


@pytest.mark.parametrize("size", [3, 400])
def test_kernel_agrees_with_the_plain_draw(size):
    rng = np.random.default_rng(3)
    hashes = rng.integers(2**64, size=size, dtype=np.uint64)
    weight, pieces = rng.exponential(size=size), rng.integers(1, 6, size=size)
    found = _kernels.draw_bag(hashes, weight, pieces, 10, 11)
    expected = oracle.draw(hashes, weight, pieces, 10, 11)
    assert found[0] == pytest.approx(expected[0], rel=1e-14)
    assert found[1] == pytest.approx(expected[1], rel=1e-14)


# ---- rows drawn in pieces ----


def on_both_sides(bag):
    return (bag.training > 0) & (bag.validation > 0)


@pytest.mark.parametrize("n", [4, 30])
def test_rows_of_many_copies_that_make_up_much_of_the_table_stand_on_both_sides(n):
    weight = np.full(n, 1000.0)
    weight[::2] = 7.0
    rows = rows_of(np.arange(n), weight=weight)
    both = on_both_sides(draw(rows, 12, 0))
    assert np.array_equal(both, rows.weight > 7)


@pytest.mark.parametrize("copies", [8, 10, 1000])
def test_copies_of_one_row_among_many_stand_on_one_side(copies):
    """They may be a weight: if they stood on both sides, noise would validate well."""
    weight = np.where(np.arange(150) % 2, 1.0, copies)
    assert not on_both_sides(draw(rows_of(np.arange(150), weight=weight), 12, 0)).any()


def test_from_eight_copies_on_a_row_is_divided():
    rows = rows_of(np.arange(4), weight=np.array([7.0, 8.0, 9.0, 10.0]))
    pieces = Bags.of(rows).pieces[np.argsort(rows.X[rows.origin, 0])]
    assert pieces.tolist() == [1, 8, 9, 10]


def test_a_row_is_divided_into_a_million_pieces_at_most():
    rows = rows_of(np.arange(4), weight=np.full(4, 1e7))
    assert Bags.of(rows).pieces.tolist() == [250_000] * 4  # of which there are four


def test_heavy_rows_without_copies_stand_on_one_side():
    bag = draw(rows_of(np.arange(150), weight=np.full(150, 1000.0), count=np.ones(150)), 12, 0)
    assert not on_both_sides(bag).any()


def test_all_copies_are_observations_where_most_are():
    # Three copies each, in places of two outcomes but for the last one.
    x, y = np.repeat(np.arange(4), [6, 6, 6, 3]), np.tile([0.0, 1.0], 11)[:21]
    rows = rows_of(x, y)
    assert np.array_equal(Bags.of(rows).pieces, rows.count)


def test_two_copies_are_observations_where_most_are():
    # Three places of two outcomes, one of two copies, and ten of single rows, which do not matter.
    x = np.append(np.repeat(np.arange(4), 2), np.arange(10, 20))
    rows = rows_of(x, np.append([0.0, 1, 0, 1, 0, 1, 0, 0], np.zeros(10)))
    assert np.array_equal(Bags.of(rows).pieces, rows.count)


def test_outcomes_are_few_if_their_square_is_at_most_the_number_of_rows():
    # The place 0 has two outcomes that no other place has; 25 is more than the twelve rows.
    x = np.append(np.zeros(4), np.arange(1, 9))
    rows = rows_of(x, np.array([0.0, 0, 1, 1, 2, 3, 4, 2, 3, 4, 2, 3]))
    assert Bags.of(rows).pieces.tolist() == [1] * 10


def test_half_of_the_copies_are_not_most_of_them():
    rows = rows_of([0, 0, 1, 1], np.array([0.0, 1, 0, 0]))
    assert Bags.of(rows).pieces.tolist() == [1, 1, 1]


@pytest.mark.parametrize("n", [4, 150])
def test_copies_with_other_outcomes_beside_them_are_drawn_one_by_one(n):
    x, y = np.repeat(np.arange(n), 2), np.tile([0.0, 1.0], n)
    rows = rows_of(x, y, weight=np.full(2 * n, 400.0))
    bag = draw(rows, 16, 0)
    deviation = np.sqrt(400 * np.exp(-1) * (1 - np.exp(-1)))
    assert (np.abs(bag.validation - 400 * np.exp(-1)) < 5 * deviation).all()
    assert (np.abs(bag.training - 400) < 5 * np.sqrt(400)).all()
    assert np.array_equal(bag.training, np.rint(bag.training))


def test_copies_of_a_number_that_no_other_row_has_stay_together():
    # A bootstrap sample of a coarse table with continuous outcomes.
    rng = np.random.default_rng(6)
    drawn = rng.integers(0, 200, 200)
    rows = rows_of(rng.integers(0, 5, 200)[drawn], rng.normal(size=200)[drawn])
    assert rows.weight.max() > 2
    assert not on_both_sides(draw(rows, 18, 0)).any()


def test_counts_are_observations_of_their_own():
    rng = np.random.default_rng(7)
    rows = rows_of(rng.integers(0, 3, 3000), rng.poisson(2.0, 3000).astype(float))
    heavy = rows.weight > 50
    assert heavy.sum() > 5
    assert on_both_sides(draw(rows, 19, 0))[heavy].all()


def test_missing_values_are_a_place_of_their_own():
    x = np.array([np.nan, np.nan, 1.0, 2.0, *np.arange(3.0, 150.0)])
    y = np.append([0.0, 1.0], np.zeros(len(x) - 2))
    rows = rows_of(x, y, weight=np.full(len(x), 7.0))
    assert np.array_equal(Bags.of(rows).pieces > 1, np.isnan(rows.X[rows.origin, 0]))


def test_all_weight_of_a_divided_row_is_drawn():
    # Pieces that draw 0 validate with their weight, the rest train with their counts.
    rows = rows_of(np.arange(3), weight=np.full(3, 1000.0))
    validation = np.mean([draw(rows, 14, turn).validation for turn in range(400)])
    training = np.mean([draw(rows, 14, turn).training for turn in range(400)])
    pieces = 400 * 3 * 1000
    assert abs(validation / 1000 - np.exp(-1)) < 4.5 * np.sqrt(0.2325 / pieces)
    assert abs(training / 1000 - 1) < 4.5 / np.sqrt(pieces)


def test_pieces_of_a_row_depend_on_its_contents_and_total_weight_alone():
    X = np.repeat(np.arange(5.0), [10, 20, 30, 40, 50])
    copies = rows_of(X)
    heavy = rows_of(np.arange(5.0), weight=np.array([10.0, 20, 30, 40, 50]))
    ours, theirs = draw(copies, 15, 0), draw(heavy, 15, 0)
    assert np.array_equal(ours.training, theirs.training)
    assert np.array_equal(ours.validation, theirs.validation)


@pytest.mark.parametrize(
    ("training", "validation", "usable"),
    [([1.0, 0], [0.0, 1], True), ([1.0, 1], [0.0, 0], False), ([0.0, 0], [1.0, 1], False)],
)
def test_a_bag_needs_rows_on_both_sides(training, validation, usable):
    assert Bag(np.array(training), np.array(validation)).usable is usable


# ---- which bags are drawn when ----


def test_rounds_and_revisits_have_bags_of_their_own(many):
    bags = Bags.of(many)
    drawn = [bag for number in range(3) for bag in bags.for_round(0, number, 3)]
    drawn += [bag for number in range(3) for bag in bags.for_revisits(0, number, 4)]
    assert len({bag.training.tobytes() for bag in drawn}) == 3 * 3 + 3 * 4


def test_bags_with_rows_on_one_side_only_are_left_out():
    bags = Bags.of(rows_of(np.arange(2)))
    drawn = [bag.usable for number in range(50) for bag in bags.for_round(0, number, 3)]
    assert 0 < len(drawn) < 150
    assert all(drawn)


# ---- rows that belong together ----


def test_rows_of_a_group_share_a_draw():
    group = np.random.default_rng(0).integers(0, 300, 1000)
    rows = rows_of(np.arange(1000), group=group)
    training = draw(rows, 8, 0).training
    drawn = {k: set(training[group[rows.origin] == k]) for k in set(group)}
    assert all(len(counts) == 1 for counts in drawn.values())
    assert {0, 1, 2, 3} <= {*training}


def test_the_numbers_of_groups_and_the_order_of_rows_change_no_draw():
    rng = np.random.default_rng(1)
    X, group = rng.normal(size=(200, 2)), rng.integers(0, 50, 200)
    order, number = rng.permutation(200), rng.permutation(50)
    first = draw(rows_of(X, group=group), 9, 0)
    second = draw(rows_of(X[order], group=number[group][order]), 9, 0)
    assert np.array_equal(first.training, second.training)


def test_copies_in_groups_are_no_observations_of_their_own():
    # Without groups, the table would be coarse.
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 2, (500, 2)), rng.integers(0, 2, 500)
    assert Bags.of(rows_of(X, y)).pieces.max() > 1
    assert Bags.of(rows_of(X, y, group=X @ [1, 2])).pieces.max() == 1
