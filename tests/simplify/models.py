"""Small models, rows drawn from them, and lines near their points."""

import numpy as np
from hypothesis import strategies as st
from scipy.special import expit

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble
from sorb.simplify.points import integer_scalings, nearest_lines

weights = st.lists(
    st.floats(-4, 4).filter(lambda w: abs(w) > 1e-3) | st.just(0.0), min_size=1, max_size=4
).filter(any)


def model(*votes, offset=-1.0, classes=("no", "yes")):
    """Rule j covers the rows where column j is at least 1."""
    columns = tuple(f"x{j}" for j in range(len(votes)))
    rules = tuple(
        Rule(Condition((Proposition((name,), (1.0,), 1.0),)), vote)
        for name, vote in zip(columns, votes, strict=True)
    )
    return RuleEnsemble(offset, rules, columns, "logistic", classes)


def rows_of(ensemble, n=400, seed=0):
    """Draw rows and outcomes from a model."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n, len(ensemble.columns))).astype(float)
    y = np.where(random.random(n) < expit(ensemble(X)), "yes", "no")
    return X, y


def as_tuples(points):
    return [tuple(row) for row in points.tolist()]


def nearest(votes, offset, most):
    """Give all points with their nearest lines and the deviations of these."""
    points = integer_scalings(votes, most)
    return zip(as_tuples(points), *nearest_lines(votes, offset, points), strict=True)


def one_rule(*propositions, loss="squared", columns=("a",)):
    return RuleEnsemble(0.0, (Rule(Condition(propositions), 1.0),), columns, loss)
