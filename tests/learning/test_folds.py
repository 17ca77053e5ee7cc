from dataclasses import replace

import numpy as np
import pytest
from learning.distinct_rows import rows_of
from oracles import tables as oracle

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, _kernels
from sorb.learning.bags import Bags
from sorb.learning.folds import (
    folds_from_splits,
    learnable,
    random_folds,
    require_learnable,
    validation_shares,
)
from sorb.learning.rows import Rows
from sorb.losses import loss_by_name
from sorb.tables.schema import Schema
from sorb.tables.training import TrainingData

MANY = 20_000


@pytest.fixture(scope="module")
def many():
    return rows_of(np.arange(MANY))


# ---- the share of each row that validates ----


def fold_of(rows, n_folds, seed, classes=False):
    """The number of the fold in which each row validates, where each goes to one as a whole."""
    hashes = _kernels.scramble(rows.hashes, seed)
    shares = np.array(validation_shares(rows, n_folds, hashes, rows.y if classes else None))
    assert (shares.max(axis=0) == 1).all()
    assert (shares.sum(axis=0) == 1).all()
    return shares.argmax(axis=0)


def sizes(fold, n_folds):
    return np.bincount(fold, minlength=n_folds)


@pytest.mark.parametrize(("n", "n_folds"), [(100, 5), (103, 5), (7, 3), (3, 3)])
def test_folds_have_equal_sizes(n, n_folds):
    assert np.ptp(sizes(fold_of(rows_of(np.arange(n)), n_folds, 0), n_folds)) <= 1


def test_there_are_no_more_folds_than_rows():
    rows = rows_of(np.arange(3))
    assert len(validation_shares(rows, 5, rows.hashes, None)) == 3


@pytest.mark.parametrize("n_folds", [2, 5])
def test_folds_divide_each_class_equally(n_folds):
    y = np.repeat([0.0, 1.0, 2.0], [61, 17, 4])
    rows = rows_of(np.arange(len(y)), y)
    fold = fold_of(rows, n_folds, 1, classes=True)
    assert np.ptp(sizes(fold, n_folds)) <= 1
    for label in range(3):
        assert np.ptp(sizes(fold[rows.y == label], n_folds)) <= 1


def test_folds_depend_on_the_contents_and_the_seed():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 2))
    shuffled = rng.permutation(90)
    first = fold_of(rows_of(X), 5, 2)
    assert np.array_equal(first, fold_of(rows_of(X[shuffled]), 5, 2))
    assert not np.array_equal(first, fold_of(rows_of(X), 5, 3))


def test_folds_of_different_seeds_are_independent(many):
    together = fold_of(many, 10, 0) == fold_of(many, 10, 1)
    assert abs(together.mean() - 0.1) < 4.5 * 0.3 / np.sqrt(MANY)


def test_folds_are_independent_of_the_draws(many):
    fold, bag = fold_of(many, 2, 0), Bags.of(many)(0, 0)
    assert abs(np.corrcoef(fold, bag.training)[0, 1]) < 4.5 / np.sqrt(MANY)


def test_folds_divide_rows_whose_outcomes_differ():
    x = np.append(np.repeat([0.0, 1.0], 10), np.repeat(np.arange(2.0, 20.0), 5))
    y = np.append(np.tile([0.0, 1.0], 10), np.arange(90) // 5 % 2)
    rows = rows_of(x, y)
    shares = np.array(validation_shares(rows, 5, rows.hashes, rows.y))
    mixed = rows.X[rows.origin, 0] < 2
    assert shares.sum(axis=0) == pytest.approx(1)
    assert ((shares[:, mixed] > 0).sum(axis=0) > 2).all()
    assert sorted(set(shares[:, ~mixed].ravel())) == [0, 1]


def test_copies_that_are_observations_are_divided_by_chance():
    """They were dealt out in turn: all folds looked alike, and noise validated well."""
    rng = np.random.default_rng(0)
    rows = rows_of(rng.integers(0, 2, (2000, 3)), rng.integers(0, 2, 2000))
    counts = np.array(validation_shares(rows, 2, rows.hashes, rows.y)) * rows.count
    assert counts.sum(axis=0) == pytest.approx(rows.count)
    # By chance, half of n copies has the variance n / 4.
    spread = (counts[0] - rows.count / 2) / np.sqrt(rows.count / 4)
    assert 0.5 < np.std(spread) < 1.6


def test_copies_of_a_number_that_no_other_row_has_go_to_one_fold():
    # A bootstrap sample of a coarse table with continuous outcomes.
    rng = np.random.default_rng(6)
    drawn = rng.integers(0, 200, 200)
    rows = rows_of(rng.integers(0, 5, 200)[drawn], rng.normal(size=200)[drawn])
    assert rows.count.max() > 2
    fold_of(rows, 5, 0)


def test_rows_of_a_group_are_in_the_same_fold():
    group = np.repeat(np.arange(60), 5)
    y = np.repeat([0.0, 1.0], [100, 200])
    rows = rows_of(np.arange(300), y, group=group)
    fold = fold_of(rows, 5, 0, classes=True)
    of_group = {k: set(fold[group[rows.origin] == k]) for k in range(60)}
    assert all(len(found) == 1 for found in of_group.values())
    assert [*sizes(fold, 5)] == [60] * 5
    assert [*sizes(fold[rows.y == 0], 5)] == [20] * 5


@pytest.mark.parametrize("n_rare", [6, 12])
def test_groups_with_a_row_of_a_rare_class_are_divided_equally(n_rare):
    """They were divided by their first rows, and a fold could be without the class."""
    group = np.repeat(np.arange(60), 5)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = np.zeros(300)
        y[5 * rng.choice(60, n_rare, replace=False) + rng.integers(0, 5, n_rare)] = 1
        rows = rows_of(rng.normal(size=300), y, group=group)
        fold = fold_of(rows, 3, seed, classes=True)
        assert [*sizes(fold[rows.y == 1], 3)] == [n_rare // 3] * 3


def test_there_are_no_more_folds_than_groups():
    rows = rows_of(np.arange(30), group=np.arange(30) % 3)
    assert len(validation_shares(rows, 5, rows.hashes, None)) == 3


def test_kernel_agrees_with_the_plain_scrambling():
    hashes = np.random.default_rng(5).integers(2**64, size=50, dtype=np.uint64)
    assert np.array_equal(_kernels.scramble(hashes, 6), oracle.scramble(hashes, 6))


# ---- folds of a table ----


def data_of(X, y, weight=None, loss="squared", classes=None):
    weight = np.ones(len(X)) if weight is None else weight
    columns = Schema.of_numbers(tuple(f"x{j}" for j in range(X.shape[1])))
    return TrainingData(X, y.astype(float), weight, columns, loss_by_name(loss), classes)


def test_rows_of_a_group_are_in_the_same_block():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 5)
    data = replace(data_of(rng.normal(size=(300, 2)), rng.normal(size=300)), group=group)
    folds = random_folds(data, 3, seed=0, n_repeats=2)
    block = np.full((2, 300), -1)
    for fold in folds:
        block[fold.repeat, fold.validation[fold.observed]] = fold.block
    assert (block[0] == block[1]).all()
    assert (block.reshape(2, 60, 5) == block.reshape(2, 60, 5)[..., :1]).all()
    assert len(np.unique(block)) == 60


def test_copies_of_a_row_are_in_the_same_fold():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 300, size=300)
    X, y = rng.normal(size=(300, 2))[rows], rng.normal(size=300)[rows]
    for fold in random_folds(data_of(X, y), 5, seed=0):
        learned = {tuple(row) for row in X[fold.training > 0]}
        validating = {tuple(row) for row in X[fold.validation]}
        assert not learned & validating
        assert learned | validating == {tuple(row) for row in X}
        assert fold.training.sum() + fold.validation_weight.sum() == 300


def test_copies_that_train_are_counted_where_those_that_validate_are_not():
    X, y = np.zeros((20, 1)), np.arange(20) % 2
    data = data_of(X, y, loss="logistic", classes=np.array([0, 1]))
    for fold in random_folds(data, 5, seed=0):
        # Ten copies of each of two rows, of which two validate.
        assert sorted(fold.count[fold.count > 0]) == [8, 8]
        assert fold.training.sum() == 16
        assert fold.validation_weight.tolist() == [2, 2]


def noise(seed, n, levels, share):
    rng = np.random.default_rng(seed)
    return rng.integers(0, levels, size=(n, 3)), (rng.random(n) < share).astype(int)


@pytest.mark.parametrize("scale", ["ones", "inverse propensities", "classes"])
def test_weights_that_count_nothing_divide_no_row_between_folds(scale):
    X, y = noise(0, 300, 4, 0.1)
    weight = np.ones(300)
    if scale == "inverse propensities":
        weight = 1 / np.random.default_rng(1).uniform(0.02, 0.9, 300)
    model = LLTBoostClassifier(class_weight="balanced" if scale == "classes" else None)
    data = model._training_data(X, y, weight)
    for fold in random_folds(data, 5, seed=0):
        # Rows of the table are the smallest parts: some may be merged, none is divided.
        rows = Rows.of(data)
        share = fold.training[rows.origin] / rows.weight * rows.count
        assert share == pytest.approx(np.rint(share))


def test_every_row_validates_once(numbers):
    found = random_folds(data_of(*numbers), 5, seed=0)
    validating = np.concatenate([fold.validation for fold in found])
    assert sorted(validating) == list(range(len(numbers[1])))
    assert max(len(fold.validation) for fold in found) - min(len(f.validation) for f in found) <= 1


def test_classes_are_assigned_to_folds_one_by_one(classes):
    X, y = classes
    data = data_of(X, y, loss="logistic", classes=np.array([0, 1]))
    for fold in random_folds(data, 5, seed=0):
        copies = fold.validation_weight[y[fold.validation] == 1].sum()
        assert abs(copies - y.sum() / 5) <= 2  # a few rows of this table have copies


def test_the_seed_decides_the_folds(numbers):
    data = data_of(*numbers)
    first, again, other = (random_folds(data, 3, seed)[0].validation.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_repeats_divide_the_rows_anew_and_independently():
    X = np.random.default_rng(0).normal(size=(MANY, 1))
    folds = random_folds(data_of(X, X[:, 0]), 2, seed=0, n_repeats=3)
    assert [fold.repeat for fold in folds] == [0, 0, 1, 1, 2, 2]
    side = np.array([np.isin(np.arange(MANY), fold.validation) for fold in folds[::2]])
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert abs(np.corrcoef(side[a], side[b])[0, 1]) < 4.5 / np.sqrt(MANY)
    # Nor do they repeat what another seed gives.
    other = np.isin(np.arange(MANY), random_folds(data_of(X, X[:, 0]), 2, seed=1)[0].validation)
    assert all(abs(np.corrcoef(other, one)[0, 1]) < 4.5 / np.sqrt(MANY) for one in side)


def test_an_observation_is_in_the_same_block_in_all_repeats():
    rng = np.random.default_rng(0)
    # A coarse table, whose copies are different observations, beside rows that are distinct.
    X = np.append(rng.integers(0, 3, 300).astype(float), rng.normal(size=50) + 10)[:, None]
    data = data_of(X, rng.integers(0, 2, 350), loss="logistic", classes=np.array([0, 1]))
    folds = random_folds(data, 3, seed=0, n_repeats=2)
    by_repeat = [
        sorted(
            (int(fold.validation[row]), int(block))
            for fold in folds
            if fold.repeat == repeat
            for row, block in zip(fold.observed, fold.block, strict=True)
        )
        for repeat in (0, 1)
    ]
    assert by_repeat[0] == by_repeat[1]
    assert len(by_repeat[0]) == 350
    sizes = np.bincount([block for _, block in by_repeat[0]])
    assert sizes.max() - sizes.min() <= 1


def test_no_more_folds_than_rows():
    X = np.repeat(np.arange(3.0), 4)[:, None]
    assert len(random_folds(data_of(X, X[:, 0]), 5, seed=0)) == 3


def rare_counts(n_positive, n=40):
    X = np.arange(float(n))[:, None]
    return data_of(X, np.isin(np.arange(n), range(n_positive)), loss="poisson")


@pytest.mark.parametrize("n_positive", [2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_some_positive_counts_train_in_every_fold(n_positive, seed):
    data = rare_counts(n_positive)
    for fold in random_folds(data, 3, seed):
        assert data.y[fold.training > 0].any()


@pytest.mark.parametrize("n_folds", [2, 5, 20])
def test_positive_counts_that_are_not_rare_leave_the_folds_to_chance(n_folds):
    data = rare_counts(10)
    rows = Rows.of(data)
    shares = validation_shares(rows, n_folds, _kernels.scramble(rows.hashes, 0), None)
    for fold, share in zip(random_folds(data, n_folds, seed=0), shares, strict=True):
        assert sorted(fold.validation) == sorted(rows.origin[share > 0])


def test_a_single_positive_count_cannot_train_and_validate():
    data = rare_counts(1)
    folds = random_folds(data, 3, seed=0)
    assert sum(learnable(data, fold) for fold in folds) == 2
    message = r"needs some y above zero in the training rows of split \d of cv"
    with pytest.raises(ValueError, match=message):
        require_learnable(data, folds)


def test_the_split_without_a_positive_count_is_named():
    rows = np.arange(40)
    splits = [(rows[::2], rows[1::2]), (rows[10:], rows[:10])]
    with pytest.raises(ValueError, match="in the training rows of split 1 of cv"):
        folds_from_splits(rare_counts(3), splits)


def test_a_group_is_in_one_block_in_all_splits():
    rows, group = np.arange(40), np.arange(40) // 4
    data = replace(rare_counts(30), group=group)
    folds = folds_from_splits(data, [(rows[::2], rows[1::2]), (rows[:30], rows[30:])])
    blocks = {
        (group[fold.validation[row]], block)
        for fold in folds
        for row, block in zip(fold.observed, fold.block, strict=True)
    }
    assert len(blocks) == len({of_group for of_group, _ in blocks}) == 10


NO_ROWS = {
    "beyond the table": (np.arange(40, 99), "found 60$"),
    "floats": (np.arange(40.0), r"found 0\.0$"),
    "texts": (["a"], "found 'a'$"),
    "a long integer": ([10**30], "found 10+$"),
    "a short mask": (np.ones(5, dtype=bool), r"found the shape \(5,\)$"),
    "a table": (np.ones((5, 5), dtype=int), r"found the shape \(5, 5\)$"),
    "lists": ([[1], [1, 2]], r"found \[1\]$"),
    "one number": (3, r"found the shape \(\)$"),
    "nothing": (None, r"found the shape \(\)$"),
}


@pytest.mark.parametrize("kind", NO_ROWS)
def test_splits_must_hold_row_numbers_or_masks(kind):
    wrong, found = NO_ROWS[kind]
    right, data = np.arange(30), rare_counts(60, 60)
    expected = f"must be a list of row numbers from 0 to 59, or of 60 booleans, {found}"
    with pytest.raises(ValueError, match=f"^cv: the training rows of split 0 {expected}"):
        folds_from_splits(data, [(wrong, right)])
    with pytest.raises(ValueError, match=f"^cv: the validation rows of split 1 {expected}"):
        folds_from_splits(data, [(right, right), (right, wrong)])


@pytest.mark.parametrize("wrong", [(1, 2, 3), 1, "ab"], ids=str)
def test_splits_must_be_pairs(wrong):
    X, y = np.arange(60.0)[:, None], np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match=r"^cv: split 0 must be a pair of training and validation"):
        LLTBoostClassifierCV(cv=[wrong]).fit(X, y)


def test_rows_may_be_chosen_by_mask_by_slice_and_from_the_end():
    data = rare_counts(60, 60)
    mask = np.arange(60) >= 30
    plain, *others = (
        folds_from_splits(data, [(~mask, chosen)])[0].validation
        for chosen in (
            np.arange(30, 60),
            tuple(range(30, 60)),
            mask,
            mask.tolist(),
            slice(30, 60),
            np.arange(-30, 0),
        )
    )
    assert all(np.array_equal(plain, other) for other in others)


def test_the_first_folds_are_the_same_if_no_more_are_wanted():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60.0)
    (first, *_), (only,) = (random_folds(data_of(X, y), 3, 0, 2, most=most) for most in (None, 1))
    np.testing.assert_array_equal(only.training, first.training)
    np.testing.assert_array_equal(only.validation, first.validation)


def test_no_further_fold_is_made_after_the_deadline():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60.0)
    assert len(random_folds(data_of(X, y), 3, 0, 2, deadline=0.0)) == 1
