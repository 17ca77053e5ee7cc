"""The choice of a few rules by an L1 penalty."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import logistic as oracle
from sklearn.linear_model import Lasso

from sorb.lab.rivals.rule_selection import Support, patterns_of, supports
from sorb.learning.rows import Rows
from sorb.losses import loss_by_name


def distinct(covered):
    """Leave out columns that are constant, and copies and complements of others."""
    varying = covered[:, covered.any(axis=0) & ~covered.all(axis=0)]
    _, first = np.unique(varying ^ varying[0], axis=1, return_index=True)
    return varying[:, np.sort(first)]


def problem(loss, seed, n=120, p=25):
    """Rules that are all sorts of boxes, one the sum of two others, and copies of rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    corner = rng.normal(size=(p, 3)) - 0.7
    covered = (X[:, None] >= corner).all(axis=2)
    upper = X[:, 1] > np.median(X[covered[:, 0], 1])
    covered[:, -2] = covered[:, 0] & upper
    covered[:, -1] = covered[:, 0] & ~upper
    score = 2.0 * covered[:, 0] - covered[:, 1] + X[:, 2] + rng.logistic(size=n)
    y = score if loss == "squared" else (score > 0) * 1.0
    weight = rng.integers(1, 4, n).astype(np.float64)
    rows = Rows.from_table(X, y, weight, ("a", "b", "c"), centred=loss == "squared")
    return distinct(covered[rows.origin]), rows


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_there_is_one_support_of_each_size(loss, seed):
    covered, rows = problem(loss, seed)
    found = supports(covered, rows, loss_by_name(loss), 10)
    assert [len(set(support.rules)) for support in found] == list(range(1, 11))
    assert [len(support.rules) for support in found] == list(range(1, 11))


def minimises_lasso(support, Z, y):
    """Tell whether weights on these rules alone, and on all of them, minimise the lasso.

    Minimisers need not be unique: where rules are linearly dependent, as rules that add up to
    another one are, solvers stop at different ones. So this certifies the minimum of the given
    rules, by the gradients of all the others, rather than compare with a solver's choice.
    """
    rules, y = list(support.rules), y - y.mean()
    Z = Z - Z.mean(axis=0)
    lasso = Lasso(support.penalty / len(Z), fit_intercept=False, tol=1e-14, max_iter=100_000)
    weights = lasso.fit(Z[:, rules], y).coef_
    gradients = np.abs(Z.T @ (y - Z[:, rules] @ weights))
    return np.abs(weights).min() > 1e-7 and gradients.max() <= support.penalty * (1 + 1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_the_rules_minimise_the_lasso_at_the_penalty(seed):
    covered, rows = problem("squared", seed)
    copies = np.repeat(np.arange(len(rows)), rows.weight.astype(int))
    Z = covered[copies].astype(float)
    for support in supports(covered, rows, loss_by_name("squared"), 10):
        assert minimises_lasso(support, Z, rows.y[copies])


def test_either_of_two_minimisers_is_certified_and_no_mixture():
    """The first two rules add up to the same rows as the last two."""
    Z = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1], [0] * 4, [0] * 4], float)
    y = Z[:, 0] + Z[:, 1]
    assert minimises_lasso(Support((0, 1), 0.1), Z, y)
    assert minimises_lasso(Support((2, 3), 0.1), Z, y)
    assert not minimises_lasso(Support((0, 2), 0.1), Z, y)


@pytest.mark.parametrize("unit", [1e-12, 1e12])
def test_the_unit_of_the_outcome_does_not_matter(unit):
    covered, rows = problem("squared", 0)
    found = supports(covered, rows, loss_by_name("squared"), 10)
    scaled = supports(covered, replace(rows, y=unit * rows.y), loss_by_name("squared"), 10)
    assert [s.rules for s in scaled] == [s.rules for s in found]
    np.testing.assert_allclose(
        [s.penalty for s in scaled], [unit * s.penalty for s in found], rtol=1e-6
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_rules_minimise_l1_logistic_regression_at_the_penalty(seed):
    covered, rows = problem("logistic", seed)
    Z, side = covered.astype(float), 2 * rows.y - 1
    for support in supports(covered, rows, loss_by_name("logistic"), 6):
        assert support.penalty > 0
        chosen = list(support.rules)
        w, b = np.zeros(Z.shape[1]), 0.0
        w[chosen], b = oracle.l1_solution(Z[:, chosen], side, rows.weight, support.penalty)
        assert np.abs(w[chosen]).min() > 1e-7
        assert oracle.violation(Z, side, rows.weight, w, b, support.penalty) < 1e-7


def alone(x, y, loss, covered):
    rows = Rows.from_table(x[:, None], y, np.ones(len(x)), ("x",), centred=loss == "squared")
    return covered[rows.origin], rows


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_of_rules_that_come_together_the_first_is_chosen_alone(loss):
    """Both have the same gradient at first, so the path goes from none to both at once."""
    x = np.arange(8.0)
    y = np.array([1.0, 0, 1, 1, 0, 0, 1, 0])
    covered = np.column_stack([x < 4, (x < 3) | (x == 6)])
    gradients = (y - y.mean()) @ covered
    assert gradients[0] == gradients[1]
    found = supports(*alone(x, y, loss, covered), loss_by_name(loss), 2)
    assert [len(support.rules) for support in found] == [1, 2]


def test_the_rule_of_the_largest_gradient_is_added_where_the_path_ends():
    """The first rule separates the classes, after which no penalty wants a second one."""
    x = np.arange(12.0)
    covered = np.column_stack([x >= 6, x >= 2, (x >= 5) & (x < 11), x == 3])
    inside, rows = alone(x, (x >= 6) * 1.0, "logistic", covered)
    found = supports(inside, rows, loss_by_name("logistic"), 3)
    assert found[0].rules == (0,)
    # After the first rule all rows of a class are alike: a rule is pulled by how many it holds
    # of one class beyond those of the other.
    assert [support.rules for support in found[1:]] == [(0, 2), (0, 2, 1)]
    assert [support.penalty for support in found[1:]] == [0.0, 0.0]


def test_nothing_is_added_to_rules_that_explain_all():
    x = np.arange(12.0)
    covered = np.column_stack([x >= 6, x >= 2, x == 3])
    inside, rows = alone(x, 3.0 * (x >= 6), "squared", covered)
    assert [s.rules for s in supports(inside, rows, loss_by_name("squared"), 3)] == [(0,)]


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_no_more_rules_than_there_are(loss):
    covered, rows = problem(loss, 0)
    assert len(supports(covered[:, :3], rows, loss_by_name(loss), 10)) == 3
    assert supports(covered[:, :0], rows, loss_by_name(loss), 10) == []


@pytest.mark.parametrize("seed", [27, 32, 47, 49, 59])
def test_a_path_on_which_rules_come_and_go_is_followed_until_there_are_enough(seed):
    """Here it takes more than six steps until six rules have a weight."""
    rng = np.random.default_rng(seed)
    covered = distinct(np.cumsum(rng.normal(size=(12, 12)), axis=0) > 0)
    covered, rows = alone(np.arange(12.0), rng.normal(size=12), "squared", covered)
    found = supports(covered, rows, loss_by_name("squared"), 6)
    assert [len(support.rules) for support in found] == [1, 2, 3, 4, 5, 6]
    for support in found:
        assert minimises_lasso(support, covered.astype(float), rows.y)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_what_is_chosen_does_not_depend_on_how_many_are_asked_for(loss, seed):
    covered, rows = problem(loss, seed, n=40)
    every = supports(covered, rows, loss_by_name(loss), 12)
    for most in (1, 5, 8):
        assert [s.rules for s in supports(covered, rows, loss_by_name(loss), most)] == [
            s.rules for s in every[:most]
        ]


@pytest.mark.parametrize("seed", [34, 48, 98, 146])
def test_a_size_that_the_path_skips_is_not_taken_from_its_way_back(seed):
    """Rules come together and one goes again, of which a shorter path knows nothing."""
    rng = np.random.default_rng(seed)
    covered = distinct(rng.random((8, 6)) < 0.5)
    covered, rows = alone(np.arange(8.0), rng.integers(0, 2, 8) * 1.0, "logistic", covered)
    every = supports(covered, rows, loss_by_name("logistic"), 4)
    for most in (1, 2, 3):
        assert supports(covered, rows, loss_by_name("logistic"), most) == every[:most]


def test_rows_that_the_same_rules_cover_share_a_pattern():
    covered = np.array([[1, 0], [1, 1], [1, 0], [0, 0]], dtype=bool)
    patterns = patterns_of(covered)
    np.testing.assert_array_equal(patterns.table[patterns.index], covered)
    assert len(patterns.table) == 3


def test_a_loss_without_a_path_is_refused():
    x = np.arange(8.0)
    rows = Rows.from_table(x[:, None], x, np.ones(8), ("x",), centred=False)
    covered = rows.X[rows.origin] >= [1.0, 3.0]
    message = "the selection of rules cannot minimise the loss poisson, only squared or logistic"
    with pytest.raises(ValueError, match=message):
        supports(covered, rows, loss_by_name("poisson"), 2)
