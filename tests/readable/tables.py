"""Models with tables whose rows often lie exactly on a border."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_strategies import ensembles, nonzero

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

NAMES = ("a", "b", "c")

# A simplification tries many numbers, so that fewer examples must do.
_patient = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def for_all(*arguments):
    """Like `given`, with the same examples in each run."""
    return lambda test: _patient(given(*arguments)(test))


scales = st.sampled_from([1e-300, 1e-12, 1.0, 1.0, 1.0, 1e12, 1e150])
moderate = st.floats(-100, 100, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-3)
coarse = st.integers(-5, 5).map(float)


@st.composite
def trained_looking(draw, changes_scale=True):
    """Give a model and a table: each threshold is a row's own sum, or lies between rows."""
    n_rows = draw(st.integers(1, 12))
    cells = draw(st.sampled_from([moderate, coarse]))
    scale = [draw(scales) if changes_scale else 1.0 for _ in NAMES]
    X = np.array([[draw(cells) * s for s in scale] for _ in range(n_rows)])
    if draw(st.booleans()):
        X[:, 0] = X[0, 0]
    loss = draw(st.sampled_from(["squared", "logistic", "poisson", "softmax"]))
    rules = [_rule(draw, X, scale, loss) for _ in range(draw(st.integers(1, 3)))]
    offset = (0.123, -1.987, 0.5) if loss == "softmax" else draw(moderate)
    classes = ("p", "q", "r") if loss == "softmax" else None
    return RuleEnsemble(offset, tuple(rules), NAMES, loss, classes), X


def _rule(draw, X, scale, loss):
    propositions = [_proposition(draw, X, scale) for _ in range(draw(st.integers(1, 2)))]
    try:
        condition = Condition(tuple(propositions))
    except ValueError:
        condition = Condition(tuple(propositions[:1]))
    output = draw(st.integers(0, 2)) if loss == "softmax" else 0
    return Rule(condition, draw(moderate), output)


def _proposition(draw, X, scale):
    chosen = draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))
    weights = tuple(draw(nonzero(moderate)) / scale[j] for j in chosen)
    columns = tuple(NAMES[j] for j in chosen)
    sums = weights[0] * X[:, chosen[0]]
    for j, weight in zip(chosen[1:], weights[1:], strict=True):
        sums = sums + weight * X[:, j]
    row, other = (draw(st.integers(0, len(X) - 1)) for _ in range(2))
    threshold = draw(st.sampled_from([sums[row], (sums[row] + sums[other]) / 2, 0.3217]))
    return Proposition(columns, weights, float(threshold))


@st.composite
def anything(draw):
    """Give any model at all, with any table that it takes."""
    ensemble = draw(ensembles())
    cells = st.floats(width=64) | coarse
    row = st.lists(cells, min_size=len(ensemble.columns), max_size=len(ensemble.columns))
    return ensemble, np.array(draw(st.lists(row, min_size=1, max_size=6)))
