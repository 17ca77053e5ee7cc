"""Models with tables whose rows often lie exactly on a border."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_strategies import all_ensembles_with_rows, as_array, flags, nonzero

from sorb.losses import LOSSES
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.columns import column_source

NAMES = ("a", "b", "c")

# A simplification tries many numbers, so that fewer examples must do.
_same_examples = settings(max_examples=25, derandomize=True)


def for_all(*arguments):
    """Like `given`, with the same examples in each run."""
    return lambda test: _same_examples(given(*arguments)(test))


scales = st.sampled_from([1e-300, 1e-12, 1.0, 1.0, 1.0, 1e12, 1e150])
moderate = st.floats(-100, 100, allow_subnormal=False).filter(lambda v: v == 0 or abs(v) > 1e-3)
coarse = st.integers(-5, 5).map(float)


def source_of(**columns):
    """The column source of a table."""
    table = np.column_stack([*columns.values()])
    return column_source(table, list(columns), list(columns))


@st.composite
def trained_looking(draw, changes_scale=True):
    """Give a model and a table: each threshold is a row's own sum, or lies between rows."""
    n_rows = draw(st.integers(1, 12))
    cells = draw(st.sampled_from([moderate, coarse]))
    scale = [draw(scales) if changes_scale else 1.0 for _ in NAMES]
    X = np.array([[draw(cells) * s for s in scale] for _ in range(n_rows)])
    if draw(flags):
        X[:, 0] = X[0, 0]
    if draw(flags):
        X[draw(st.integers(0, n_rows - 1)), draw(st.integers(0, 2))] = np.nan
    if draw(flags):
        X = np.abs(X)  # so that products are known
    loss = draw(st.sampled_from(list(LOSSES)))
    rules = [_rule(draw, X, scale, loss) for _ in range(draw(st.integers(1, 3)))]
    offset = (0.123, -1.987, 0.5) if loss == "softmax" else draw(moderate)
    classes = ("p", "q", "r") if loss == "softmax" else None
    return RuleEnsemble(offset, tuple(rules), NAMES, loss, classes), X


def _rule(draw, X, scale, loss):
    kinds = st.sampled_from([_sum, _sum, _product, _membership])
    propositions = [draw(kinds)(draw, X, scale) for _ in range(draw(st.integers(1, 2)))]
    try:
        condition = Condition(tuple(propositions))
    except ValueError:
        condition = Condition(tuple(propositions[:1]))
    output = draw(st.integers(0, 2)) if loss == "softmax" else 0
    return Rule(condition, draw(moderate), output)


def _columns(draw):
    return draw(st.lists(st.integers(0, 2), min_size=1, max_size=3, unique=True))


def _sum(draw, X, scale):
    chosen = _columns(draw)
    weights = tuple(draw(nonzero(moderate)) / scale[j] for j in chosen)
    columns = tuple(NAMES[j] for j in chosen)
    sums = weights[0] * X[:, chosen[0]]
    for j, weight in zip(chosen[1:], weights[1:], strict=True):
        sums = sums + weight * X[:, j]
    return Proposition(columns, weights, _threshold(draw, sums, 0.3217), draw(flags))


def _product(draw, X, scale):
    chosen, columns = _columns(draw), ()
    powers = draw(
        st.sampled_from([st.sampled_from([1.0, 2.0, -1.0, -2.0]), st.floats(-2, 2).filter(large)])
    )
    exponents = tuple(draw(powers) for _ in chosen)
    columns = tuple(NAMES[j] for j in chosen)
    free = Product(columns, exponents, 1.0)
    values = free.quantity(source_of(**dict(zip(NAMES, X.T, strict=True))))
    threshold = _threshold(draw, values[(values > 0) & (values < np.inf)], 1.2345)
    return Product(columns, exponents, threshold, draw(flags), draw(flags))


def large(power):
    return abs(power) > 0.05


def _membership(draw, X, scale):
    j = draw(st.integers(0, 2))
    known = X[~np.isnan(X[:, j]), j].tolist()
    categories = tuple(dict.fromkeys([*known[: draw(st.integers(0, 2))], 0.125]))
    return Membership(NAMES[j], categories, draw(flags), draw(flags))


def _threshold(draw, values, other):
    """Give the value of a row, or one between rows."""
    known = values[np.isfinite(values)].tolist()
    if not known:
        return other
    row, next_row = (draw(st.sampled_from(known)) for _ in range(2))
    return draw(st.sampled_from([row, row / 2 + next_row / 2 or other, other]))


@st.composite
def anything(draw):
    """Give any model at all, with any table that it takes."""
    ensemble, rows = draw(all_ensembles_with_rows())
    return ensemble, as_array(rows)
