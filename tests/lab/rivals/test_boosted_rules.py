import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from sorb.lab.rivals import BoostedRulesClassifier, BoostedRulesRegressor
from sorb.losses import loss_by_name

OBJECTIVES = {
    "gradient_boosting": lambda total, count: total / np.sqrt(np.maximum(count, 1)),
    "gradient_sum": lambda total, count: total,
}


@parametrize_with_checks([BoostedRulesClassifier(), BoostedRulesRegressor()])
def test_estimator_checks(estimator, check):
    check(estimator)


def thresholds_at_quintiles(X):
    for j in range(X.shape[1]):
        for level in (0.2, 0.4, 0.6, 0.8):
            threshold = np.quantile(X[:, j], level)
            yield X[:, j] >= threshold
            yield X[:, j] <= threshold


def chain(gradient, covered, value):
    """Add propositions as long as one improves the value; give the first value and the last."""
    rows, values = np.ones(len(covered)), [0.0]
    while True:
        candidates = value((gradient * rows) @ covered, rows @ covered)
        chosen = candidates.argmax()
        if candidates[chosen] <= values[-1] * (1 + 1e-9):
            return values[1], values[-1], rows
        values.append(candidates[chosen])
        rows = rows * covered[:, chosen]


def slow_twin(X, y, task, n_rules, reg_lambda, objective, from_zero):
    """Greedy rule boosting over a table of all propositions, with scikit-learn's refits."""
    covered = np.column_stack(list(thresholds_at_quintiles(X))).astype(float)
    loss = loss_by_name("logistic" if task == "classification" else "squared")
    scores = np.full(len(y), 0.0 if from_zero else loss.best_constant(y, np.ones(len(y)))[0])
    rules = np.empty((len(y), 0))
    for _ in range(n_rules):
        gradient = y - loss.mean(scores)
        chains = [chain(sign * gradient, covered, OBJECTIVES[objective]) for sign in (1, -1)]
        best = max(begin for begin, _, _ in chains)
        _, _, rows = max((c for c in chains if c[0] > best * (1 - 1e-7)), key=lambda c: c[1])
        rules = np.column_stack([rules, rows])
        if task == "classification":
            fit = LogisticRegression(C=1 / (2 * reg_lambda), tol=1e-10, max_iter=10_000)
            scores = fit.fit(rules, y).decision_function(rules)
        else:
            scores = Ridge(alpha=2 * reg_lambda).fit(rules, y).predict(rules)
    return rules.astype(bool), scores


def table(task, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4))
    signal = 2.0 * ((X[:, 0] > 0) & (X[:, 1] > -0.5)) - X[:, 2]
    if task == "regression":
        return X, signal + rng.normal(size=300)
    return X, (rng.random(300) < 1 / (1 + np.exp(1.0 - 2 * signal))).astype(int)


# With class labels many sums of gradients are equal, and either condition would be right.
UNIQUE = [
    ("classification", "gradient_boosting"),
    ("regression", "gradient_boosting"),
    ("regression", "gradient_sum"),
]


# With the seed 1, two conditions of the fourth rule are equally good.
@pytest.mark.parametrize("seed", [0, 2, 3])
@pytest.mark.parametrize(("task", "objective"), UNIQUE)
@pytest.mark.parametrize("as_published", [False, True])
def test_rules_are_those_of_a_slow_twin(task, as_published, objective, seed):
    X, y = table(task, seed)
    make = BoostedRulesClassifier if task == "classification" else BoostedRulesRegressor
    rival = make(max_rules=4, reg_lambda=0.5, objective=objective, as_published=as_published).fit(
        X, y
    )
    rules, scores = slow_twin(X, y.astype(float), task, 4, 0.5, objective, as_published)
    assert np.array_equal(rival.ensemble_.covers(X), rules)
    assert np.allclose(rival.ensemble_(X), scores, atol=1e-4)


def test_one_path_holds_the_models_of_all_sizes():
    X, y = table("regression", 0)
    rival = BoostedRulesRegressor()
    learned = list(rival.path(X, y, max_rules=[1, 3], reg_lambda=[0.1, 1.0]))
    assert [one.parameters for one in learned] == [
        {"max_rules": size, "reg_lambda": reg_lambda}
        for reg_lambda in (0.1, 1.0)
        for size in (1, 3)
    ]
    for one in learned:
        alone = BoostedRulesRegressor(**one.parameters).fit(X, y)
        assert alone.ensemble_ == one.model


def test_the_model_is_printed_and_has_a_size():
    X, y = table("classification", 0)
    rival = BoostedRulesClassifier(max_rules=2).fit(X, y)
    assert rival.complexity_ == rival.ensemble_.complexity
    assert rival.describe() == rival.ensemble_.describe()


def test_more_than_two_classes_are_refused():
    with pytest.raises(ValueError, match="found 3 classes"):
        BoostedRulesClassifier().fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_one_class_has_no_path():
    with pytest.raises(ValueError, match="one class only"):
        next(BoostedRulesClassifier().path([[0.0], [1.0]], [1, 1]))
