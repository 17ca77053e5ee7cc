import numpy as np
import pytest
from estimators.cases import PENALTIES, small_classifier_cv, small_regressor_cv
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.learning.cross_validation import Curve

# ---- the curve, computed another way ----


def by_hand(plain, splits, X, y, weight, loss):
    """Validation risks (penalties × folds × rules) from plain fits, one at a time."""
    risks = []
    for reg_lambda in PENALTIES:
        for training, validation in splits:
            model = plain(max_rules=3, reg_lambda=reg_lambda, min_gain=None)
            model.fit(X[training], y[training], weight[training])
            risks.append([loss(p, validation) for p in staged(model, X[validation])])
    return np.reshape(risks, (len(PENALTIES), len(splits), 4))


def staged(model, X):
    return getattr(model, "staged_predict_proba", model.staged_predict)(X)


def test_the_risk_is_that_of_plain_fits_on_validation_rows(classes):
    X, y = classes
    weight = 1.0 + np.arange(len(y)) % 4
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))

    def loss(p, rows):
        return log_loss(y[rows], p, sample_weight=weight[rows], labels=[0, 1])

    risks = by_hand(LLTBoostClassifier, splits, X, y, weight, loss)
    weights = [weight[rows].sum() for _, rows in splits]
    curve = small_classifier_cv(cv=splits, min_gain=None).fit(X, y, weight).curve_
    np.testing.assert_allclose(curve.risk, np.average(risks, axis=1, weights=weights))


def test_a_row_that_a_split_names_several_times_is_as_many_rows():
    # On a coarse table, copies are observations of their own, which bags divide.
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 2)).astype(float), rng.integers(0, 2, 60)
    splits = [(rng.integers(0, 40, 120), np.arange(40, 60))]

    def loss(p, rows):
        return log_loss(y[rows], p, labels=[0, 1])

    risks = by_hand(LLTBoostClassifier, splits, X, y, np.ones(60), loss)
    curve = small_classifier_cv(cv=splits, min_gain=None).fit(X, y).curve_
    np.testing.assert_allclose(curve.risk, risks[:, 0])


def test_the_spread_is_the_standard_error_over_folds(numbers):
    X, y = (values[:441] for values in numbers)
    splits = list(KFold(3).split(X))

    def loss(p, rows):
        return np.mean((y[rows] - p) ** 2) / 2

    risks = by_hand(LLTBoostRegressor, splits, X, y, np.ones(len(y)), loss)
    curve = small_regressor_cv(cv=splits, min_gain=None).fit(X, y).curve_
    np.testing.assert_allclose(curve.risk, risks.mean(axis=1))
    np.testing.assert_allclose(curve.standard_error, risks.std(axis=1, ddof=1) / np.sqrt(3))


def test_the_complexity_is_the_mean_over_folds(numbers):
    X, y = numbers
    splits = list(KFold(2).split(X))
    plain = LLTBoostRegressor(max_rules=3, reg_lambda=0.1, min_gain=None)
    paths = [plain.fit(X[training], y[training]).stages_ for training, _ in splits]
    expected = [[stage.ensemble.complexity for stage in path] for path in paths]
    curve = small_regressor_cv(cv=splits, min_gain=None).fit(X, y).curve_
    np.testing.assert_array_equal(curve.complexity[0], np.mean(expected, axis=0))


def early_ends():
    """A table whose folds end after different numbers of rules, and these numbers."""
    rng = np.random.default_rng(24)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] > 0) + rng.normal(size=80)
    splits = list(KFold(3).split(X))
    plain = LLTBoostRegressor(max_rules=30, reg_lambda=0.1)
    return X, y, splits, [plain.fit(X[rows], y[rows]).n_iter_ for rows, _ in splits]


def test_a_path_that_ended_early_keeps_its_last_risk():
    X, y, splits, lengths = early_ends()
    assert min(lengths) < max(lengths) < 30
    curve = small_regressor_cv(max_rules=30, cv=splits, reg_lambdas=(0.1,)).fit(X, y).curve_
    plain = LLTBoostRegressor(max_rules=30, reg_lambda=0.1)
    last = [
        np.mean((y[rows] - plain.fit(X[training], y[training]).predict(X[rows])) ** 2) / 2
        for training, rows in splits
    ]
    assert curve.risk[0, -1] == pytest.approx(np.average(last, weights=[27, 27, 26]))


def test_the_curve_ends_with_the_longest_path():
    X, y, splits, lengths = early_ends()
    curve = small_regressor_cv(max_rules=30, cv=splits, reg_lambdas=(0.1,)).fit(X, y).curve_
    shape = (1, max(lengths) + 1)
    assert curve.risk.shape == curve.standard_error.shape == curve.complexity.shape == shape


@pytest.mark.parametrize("max_rules", [10**12, 10**30])
def test_any_number_of_rules_may_be_allowed(max_rules):
    X, y, splits, _ = early_ends()
    few, many = (small_regressor_cv(max_rules=n, cv=splits).fit(X, y) for n in (50, max_rules))
    np.testing.assert_array_equal(many.curve_.risk, few.curve_.risk)
    assert (many.reg_lambda_, many.n_rules_) == (few.reg_lambda_, few.n_rules_)


def test_one_fold_has_no_spread(numbers):
    X, y = numbers
    split = (np.arange(300), np.arange(300, len(y)))
    model = small_regressor_cv(cv=[split], selection="one_se").fit(X, y)
    assert not model.curve_.standard_error.any()


# ---- the choice ----


def made_curve(risk, standard_error=0.0, complexity=None):
    risk = np.array(risk)
    counted = np.tile(3.0 * np.arange(risk.shape[1]), (len(risk), 1))
    return Curve(
        np.array([0.1, 1.0][: len(risk)]),
        risk,
        np.full(risk.shape, standard_error),
        counted if complexity is None else np.array(complexity),
    )


def test_the_lowest_risk_is_best():
    assert made_curve([[0.7, 0.5, 0.4], [0.7, 0.3, 0.35]]).choose("best") == (1.0, 1)


def test_of_equal_risks_the_simplest_is_best():
    assert made_curve([[0.7, 0.3, 0.3], [0.7, 0.4, 0.3]]).choose("best") == (0.1, 1)


@pytest.mark.parametrize("selection", ["best", "one_se"])
def test_of_equal_risks_and_complexities_the_largest_penalty_is_best(selection):
    assert made_curve([[0.7, 0.3], [0.7, 0.3]]).choose(selection) == (1.0, 1)


def test_within_one_standard_error_the_simplest_is_chosen():
    curve = made_curve([[0.7, 0.42, 0.36], [0.7, 0.5, 0.35]], standard_error=0.1)
    assert curve.choose("best") == (1.0, 2)
    assert curve.choose("one_se") == (0.1, 1)


def test_within_one_standard_error_complexity_counts_and_not_rules():
    curve = made_curve([[0.7, 0.31, 0.3]], standard_error=0.1, complexity=[[0.0, 7.0, 6.0]])
    assert curve.choose("one_se") == (0.1, 2)


def test_the_standard_error_is_that_of_the_best():
    curve = Curve(
        np.array([1.0]),
        risk=np.array([[0.7, 0.5, 0.3]]),
        standard_error=np.array([[9.0, 9.0, 0.1]]),
        complexity=np.array([[0.0, 3.0, 6.0]]),
    )
    assert curve.choose("one_se") == (1.0, 2)
