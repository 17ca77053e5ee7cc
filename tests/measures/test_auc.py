import numpy as np
import pytest
from scipy.stats import t
from sklearn.metrics import roc_auc_score

from sorb.measures.auc import auc, mean_auc


def tied_rows(n, rng=3, shift=0.8):
    """Scores of few distinct values, as those of a few rules are."""
    rng = np.random.default_rng(rng)
    positive = rng.random(n) < 0.4
    return np.round(rng.normal(size=n) + shift * positive), positive


def pairwise(score, positive, weight):
    """The share of pairs in order, pair by pair."""
    won, pairs = 0.0, 0.0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            pair = weight[i] * weight[j]
            pairs += pair
            won += pair * ((score[i] > score[j]) + 0.5 * (score[i] == score[j]))
    return won / pairs


def delong_error(score, positive):
    """The standard error of DeLong, from the placement of each row among those of the other kind.

    This is the textbook form, without weights. The degrees of freedom are those of Welch's test.
    """
    high, low = score[positive], score[~positive]
    psi = (high[:, None] > low) + 0.5 * (high[:, None] == low)
    of_high, of_low = psi.mean(axis=1), psi.mean(axis=0)
    parts = np.array([of_high.var(ddof=1) / len(high), of_low.var(ddof=1) / len(low)])
    freedom = parts.sum() ** 2 / (parts**2 / [len(high) - 1, len(low) - 1]).sum()
    return np.sqrt(parts.sum()), freedom


def test_it_is_the_share_of_pairs_in_order():
    score, positive = tied_rows(60)
    weight = np.random.default_rng(4).uniform(0, 3, 60)
    found = auc(score, positive, weight).value
    assert found == pytest.approx(pairwise(score, positive, weight))
    assert found == pytest.approx(roc_auc_score(positive, score, sample_weight=weight))


def test_the_interval_is_that_of_delong_on_the_logit_scale():
    score, positive = tied_rows(80)
    found = auc(score, positive, np.ones(80))
    area = found.value
    error, freedom = delong_error(score, positive)
    half = t.ppf(0.975, freedom) * error / (area * (1 - area))
    ends = [1 / (1 + np.exp(-np.log(area / (1 - area)) - side * half)) for side in (-1, 1)]
    assert [found.low, found.high] == pytest.approx(ends, rel=1e-6)


def test_a_weight_is_so_many_copies():
    score, positive = tied_rows(40)
    weight = np.random.default_rng(4).integers(0, 4, 40)
    copies = np.repeat(np.arange(40), weight)
    found = auc(score, positive, weight.astype(float))
    same = auc(score[copies], positive[copies], np.ones(len(copies)))
    assert (found.value, found.low, found.high) == pytest.approx((same.value, same.low, same.high))


def coverage(draw, truth, rounds=400):
    found = [draw() for _ in range(rounds)]
    return np.mean([f.low <= truth <= f.high for f in found])


@pytest.mark.parametrize("shift", [0.4, 2.0])
def test_intervals_cover_the_truth_as_often_as_they_say(shift):
    rng = np.random.default_rng(1)
    score, positive = tied_rows(400_000, rng, shift)
    truth = auc(score, positive, np.ones(len(score))).value
    share = coverage(lambda: auc(*tied_rows(60, rng, shift), np.ones(60)), truth)
    assert 0.92 < share < 0.99


def test_groups_of_equal_rows_count_once_each():
    rng = np.random.default_rng(2)

    def draw(grouped):
        score, positive = tied_rows(50, rng)
        group = np.repeat(np.arange(50), 5)
        rows = np.repeat(score, 5), np.repeat(positive, 5), np.ones(250)
        return auc(*rows, group) if grouped else auc(*rows)

    score, positive = tied_rows(400_000, rng)
    truth = auc(score, positive, np.ones(len(score))).value
    assert coverage(lambda: draw(grouped=True), truth) > 0.91
    assert coverage(lambda: draw(grouped=False), truth) < 0.75


@pytest.mark.parametrize("unit", [0.1, 12.3])
def test_intervals_with_weights_cover_the_truth_as_often_as_they_say(unit):
    rng = np.random.default_rng(8)
    score, positive = tied_rows(400_000, rng)
    truth = auc(score, positive, np.ones(len(score))).value
    share = coverage(lambda: auc(*tied_rows(80, rng), unit * rng.lognormal(0, 0.7, 80)), truth)
    assert 0.92 < share < 0.99


def test_intervals_of_few_positive_rows_cover_the_truth():
    rng = np.random.default_rng(10)
    score, positive = tied_rows(400_000, rng)
    truth = auc(score, positive, np.ones(len(score))).value
    low, high = score[~positive], score[positive]

    def draw():
        drawn = np.concatenate([rng.choice(high, 4), rng.choice(low, 80)])
        return auc(drawn, np.arange(84) < 4, np.ones(84))

    assert coverage(draw, truth) > 0.9


def test_groups_without_mistakes_form_as_many_pairs_as_groups():
    score = np.repeat([0.0, 0.0, 1.0, 2.0], 5)
    found = auc(score, score > 0, np.ones(20), np.repeat(np.arange(4), 5))
    assert found.low == pytest.approx(0.342, abs=1e-3)


def test_without_mistakes_the_interval_is_that_of_separate_pairs():
    found = auc(np.array([0.0, 0.0, 1.0, 2.0]), np.array([False, False, True, True]), np.ones(4))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.342, abs=1e-3)  # Wilson's for two of two


def test_equal_scores_order_nothing():
    found = auc(np.zeros(20), np.arange(20) < 8, np.ones(20))
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_one_kind_of_rows_has_no_area():
    assert auc(np.arange(3.0), np.ones(3, dtype=bool), np.ones(3)) is None
    assert auc(np.arange(3.0), np.arange(3) == 0, np.array([0.0, 1.0, 1.0])) is None


def classes(n, rng):
    y = rng.integers(0, 3, n)
    return np.round(rng.normal(size=(n, 3)) + 0.7 * (y[:, None] == np.arange(3)), 1), y


def test_the_mean_over_classes_is_that_of_scikit_learn():
    scores, y = classes(100, np.random.default_rng(5))
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    weight = np.random.default_rng(4).uniform(0.5, 2, 100)
    each = [roc_auc_score(y == k, p[:, k], sample_weight=weight) for k in range(3)]
    assert mean_auc(p, y, weight).value == pytest.approx(np.mean(each))
    assert mean_auc(p, np.minimum(y, 1), weight) is None


def test_the_interval_of_the_mean_covers_it():
    rng = np.random.default_rng(6)
    truth = mean_auc(*classes(200_000, rng), np.ones(200_000)).value
    share = coverage(lambda: mean_auc(*classes(90, rng), np.ones(90)), truth)
    assert 0.92 < share < 0.99


def test_only_scores_of_the_same_fold_are_compared():
    score, positive = tied_rows(90)
    fold, weight = np.arange(90) % 3, np.ones(90)
    areas, pairs = [], []
    for k in range(3):
        rows = fold == k
        areas.append(roc_auc_score(positive[rows], score[rows]))
        pairs.append(positive[rows].sum() * (~positive[rows]).sum())
    found = auc(score + 100 * fold, positive, weight, fold=fold)
    assert found.value == pytest.approx(np.average(areas, weights=pairs))
    assert auc(fold * 1.0, positive, weight, fold=fold).value == 0.5


def test_intervals_over_folds_cover_the_truth():
    rng = np.random.default_rng(9)
    score, positive = tied_rows(400_000, rng)
    truth = auc(score, positive, np.ones(len(score))).value
    fold = np.arange(120) % 4
    share = coverage(lambda: auc(*tied_rows(120, rng), np.ones(120), fold=fold), truth)
    assert 0.92 < share < 0.99
