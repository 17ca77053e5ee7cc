"""Random rules for the tests, and what they mean, computed row by row in plain Python."""

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


def for_all(*arguments, **keywords):
    """Like `given`, without a clock: whole ensembles take a while on a busy machine."""
    patient = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    return lambda test: patient(given(*arguments, **keywords)(test))


NASTY_NAMES = ["two words", 'say "hi"', "back\\slash", "a − b ≥ 0", "and", "if", "True", "2", ".5"]
NASTY_NAMES += ["line\nbreak", "tab\t", "<b>&amp;</b>", "größe", "身高", "\u2028", "height²", "'"]

column_names = st.sampled_from(NASTY_NAMES) | st.text(min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False)
short_numbers = st.integers(-8, 8).map(float)
values = short_numbers | numbers


def nonzero(strategy):
    return strategy.filter(bool)


@st.composite
def propositions(draw, columns, numbers=values):
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=4, unique=True))
    weights = draw(st.lists(nonzero(numbers), min_size=len(chosen), max_size=len(chosen)))
    return Proposition(tuple(chosen), tuple(weights), draw(numbers))


@st.composite
def conditions(draw, columns):
    chosen = draw(st.lists(propositions(columns), max_size=3))
    try:
        return Condition(tuple(chosen))
    except ValueError:
        assume(False)


labels = st.booleans() | st.integers() | numbers | st.text(max_size=5)


@st.composite
def ensembles(draw):
    columns = draw(st.lists(column_names, min_size=1, max_size=4, unique=True))
    loss = draw(st.sampled_from(["squared", "logistic", "softmax", "poisson"]))
    offset, classes, n_outputs = draw(values), None, 1
    if loss == "softmax":
        n_outputs = draw(st.integers(2, 4))
        offset = tuple(draw(st.lists(values, min_size=n_outputs, max_size=n_outputs)))
    if loss == "softmax" or (loss == "logistic" and draw(st.booleans())):
        size = max(2, n_outputs)
        classes = tuple(draw(st.lists(labels, min_size=size, max_size=size, unique=True)))
    rule = st.builds(Rule, conditions(columns), values, st.integers(0, n_outputs - 1))
    rules = draw(st.lists(rule, max_size=4))
    return RuleEnsemble(offset, tuple(rules), tuple(columns), loss, classes)


@st.composite
def ensembles_with_rows(draw):
    ensemble = draw(ensembles())
    row = st.lists(values, min_size=len(ensemble.columns), max_size=len(ensemble.columns))
    return ensemble, draw(st.lists(row, min_size=1, max_size=4))


def weighted_sum(proposition, row):
    """Python floats are float64, and Python neither reorders nor fuses."""
    total = proposition.weights[0] * row[proposition.columns[0]]
    for column, weight in zip(proposition.columns[1:], proposition.weights[1:], strict=True):
        total = total + weight * row[column]
    return total


def satisfies(condition, row):
    return all(weighted_sum(p, row) >= p.threshold for p in condition.propositions)
