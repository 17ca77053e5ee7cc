"""Random rules for the tests, and what they mean, computed row by row in plain Python."""

import math

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sorb.losses import LOSSES
from sorb.rules import (
    ColumnExperience,
    Condition,
    Membership,
    Product,
    Proposition,
    Rule,
    RuleEnsemble,
)


def for_all(*arguments, examples=20, **keywords):
    """Like `given`, with the same examples in each run, and without a clock."""
    same_examples = settings(max_examples=examples, derandomize=True)
    return lambda test: same_examples(given(*arguments, **keywords)(test))


NASTY_NAMES = ["two words", 'say "hi"', "back\\slash", "a − b ≥ 0", "and", "if", "True", "2", ".5"]
NASTY_NAMES += ["line\nbreak", "tab\t", "<b>&amp;</b>", "größe", "身高", "\u2028", "height²", "'"]
NASTY_NAMES += ["always", "missing", "a·b", "{x}"]

column_names = st.sampled_from(NASTY_NAMES) | st.text(min_size=1, max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False)
short_numbers = st.integers(-8, 8).map(float)
values = short_numbers | numbers
votes = short_numbers | st.floats(-1e299, 1e299)
flags = st.booleans()


def nonzero(strategy):
    return strategy.filter(bool)


@st.composite
def propositions(draw, columns, numbers=values, missing=st.just(False)):  # noqa: B008
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=4, unique=True))
    weights = draw(st.lists(nonzero(numbers), min_size=len(chosen), max_size=len(chosen)))
    return Proposition(tuple(chosen), tuple(weights), draw(numbers), draw(missing))


whole_powers = st.sampled_from([1.0, 1.0, 2.0, 3.0, -1.0, -1.0, -2.0])
powers = whole_powers | st.sampled_from([0.5, -0.5, 1.75, -1 / 3, 17.0])
positive = st.integers(1, 8).map(float) | st.floats(1e-300, 1e300)


@st.composite
def products(draw, columns, powers=powers, thresholds=positive, missing=flags):
    chosen = draw(st.lists(st.sampled_from(columns), min_size=1, max_size=3, unique=True))
    exponents = draw(st.lists(powers, min_size=len(chosen), max_size=len(chosen)))
    return Product(tuple(chosen), tuple(exponents), draw(thresholds), draw(flags), draw(missing))


labels = st.booleans() | st.integers(-(2**63), 2**64 - 1) | numbers | st.text(max_size=5)

# The labels that a column may hold; those of one column are all of one type.
TEXTS = ("A", "B", "AB", "two words", "", "True", "False", "1", "missing", 'say "hi"', "\n")
LABELS = (TEXTS, (0, 1, 2, -7), (False, True), (0.5, 1.0, -2.25))
STRAY = ("Z", 5, 0.25, 1e-7, "nan", True)


@st.composite
def memberships(draw, column, known):
    """Ask for labels that the column may hold, and sometimes for others."""
    pool = [*known, *STRAY]
    distinct = list(dict.fromkeys(pool))
    categories = draw(st.lists(st.sampled_from(distinct), max_size=4, unique=True))
    negated = draw(flags)
    missing = draw(flags) if categories else not negated
    return Membership(column, tuple(categories), negated, missing)


@st.composite
def layouts(draw, min_size=1):
    """Give names of columns, each with the labels that it may hold, or none if it holds numbers."""
    names = draw(st.lists(column_names, min_size=min_size, max_size=4, unique=True))
    return {name: draw(st.sampled_from([(), (), *LABELS])) for name in names}


def any_propositions(layout):
    """Give propositions of all kinds that suit the columns."""
    numeric = [name for name, known in layout.items() if not known]
    kinds = [memberships(name, known or range(-8, 9)) for name, known in layout.items()]
    if numeric:
        kinds += [propositions(numeric, missing=flags), products(numeric)] * 2
    return st.one_of(kinds)


@st.composite
def conditions(draw, kind):
    chosen = draw(st.lists(kind, max_size=3))
    try:
        return Condition(tuple(chosen))
    except ValueError:
        assume(False)


@st.composite
def experiences(draw, layout):
    """Give what some columns may have held in training."""
    found = {}
    for name in draw(st.lists(st.sampled_from(list(layout)), unique=True)):
        if layout[name] and draw(flags):
            categories = draw(st.lists(st.sampled_from(layout[name]), unique=True))
            found[name] = ColumnExperience(draw(flags), categories=tuple(categories))
        elif not layout[name]:
            ends = sorted([draw(values), draw(values)])
            found[name] = ColumnExperience(draw(flags), draw(st.sampled_from([None, tuple(ends)])))
    return found


UNITS = ("kg", "m", "m/s", "years", "°C", "%")


@st.composite
def ensembles(draw, layout=None):
    """Give ensembles of sums alone, or of all kinds if a layout is given."""
    if layout is None:
        columns = draw(st.lists(column_names, min_size=1, max_size=4, unique=True))
        condition, units, experience = conditions(propositions(columns)), (), ()
    else:
        columns = list(layout)
        condition = conditions(any_propositions(layout))
        units = draw(st.dictionaries(st.sampled_from(columns), st.sampled_from(UNITS)))
        experience = draw(experiences(layout))
    loss = draw(st.sampled_from(list(LOSSES)))
    offset, classes, n_outputs = draw(votes), None, 1
    if loss == "softmax":
        n_outputs = draw(st.integers(2, 4))
        offset = tuple(draw(st.lists(votes, min_size=n_outputs, max_size=n_outputs)))
    if loss == "softmax" or (loss == "logistic" and draw(st.booleans())):
        size = max(2, n_outputs)
        classes = tuple(draw(st.lists(labels, min_size=size, max_size=size, unique=True)))
    rule = st.builds(Rule, condition, votes, st.integers(0, n_outputs - 1))
    rules = draw(st.lists(rule, max_size=4))
    parts = (offset, tuple(rules), tuple(columns), loss, classes, units)
    return RuleEnsemble(*parts, experience=experience)


all_ensembles = layouts().flatmap(ensembles)


@st.composite
def ensembles_with_rows(draw):
    """Give an ensemble of sums and rows of numbers."""
    ensemble = draw(ensembles())
    row = st.lists(values, min_size=len(ensemble.columns), max_size=len(ensemble.columns))
    return ensemble, draw(st.lists(row, min_size=1, max_size=4))


def cells(known):
    """Give values of a column: None is missing, and rows often lie on a border."""
    if known:
        return st.none() | st.sampled_from([*known, *known, *known])
    return st.none() | short_numbers | short_numbers | values


@st.composite
def all_ensembles_with_rows(draw):
    """Give an ensemble of all kinds, and rows that hold None where a value is missing."""
    layout = draw(layouts())
    ensemble = draw(ensembles(layout))
    row = st.tuples(*(cells(known) for known in layout.values())).map(list)
    rows = draw(st.lists(row, min_size=1, max_size=4))
    assume(not any(is_close_call(p, named(ensemble, r)) for p in parts(ensemble) for r in rows))
    return ensemble, rows


def parts(ensemble):
    return [p for rule in ensemble for p in rule.condition.propositions]


def named(ensemble, row):
    return dict(zip(ensemble.columns, row, strict=True))


def as_array(rows):
    """Make an array of rows, of numbers if that is what they hold."""
    if any(isinstance(value, (str, bool)) for row in rows for value in row):
        return np.array(rows, dtype=object).reshape(len(rows), -1)
    return np.array(rows, dtype=float)


def number(value):
    return math.nan if value is None else float(value)


def weighted_sum(proposition, row):
    """Python floats are float64, and Python neither reorders nor fuses."""
    total = proposition.weights[0] * number(row[proposition.columns[0]])
    for column, weight in zip(proposition.columns[1:], proposition.weights[1:], strict=True):
        total = total + weight * number(row[column])
    return total


def product_value(product, row):
    """Multiply and divide from left to right."""
    total = 1.0
    for column, power in zip(product.columns, product.powers, strict=True):
        factor = raised(number(row[column]), abs(power))
        total = total * factor if power > 0 else divided(total, factor)
    return total


def raised(value, power):
    if not value > 0:
        return math.nan
    if not power.is_integer() or power > 16:
        try:
            return math.pow(value, power)
        except OverflowError:
            return math.inf
    result = value
    for _ in range(int(power) - 1):
        result = result * value
    return result


def divided(value, by):
    if by == 0:
        return value * math.inf
    return value / by


def is_close_call(proposition, row):
    """Whether the last digit of a power decides, in which computers may differ."""
    if not isinstance(proposition, Product):
        return False
    if all(power.is_integer() and abs(power) <= 16 for power in proposition.powers):
        return False
    value = product_value(proposition, row)
    return abs(value - proposition.threshold) <= 1e-9 * proposition.threshold


def satisfied(proposition, row):
    """Decide a row by the words that define each kind."""
    if isinstance(proposition, Membership):
        label = row[proposition.column]
        if label is None or label != label:
            return proposition.missing
        return any(label == category for category in proposition.categories) != proposition.negated
    is_product = isinstance(proposition, Product)
    value = (product_value if is_product else weighted_sum)(proposition, row)
    if math.isnan(value):
        return proposition.missing
    if is_product and proposition.at_most:
        return value <= proposition.threshold
    return value >= proposition.threshold


def satisfies(condition, row):
    return all(satisfied(p, row) for p in condition.propositions)
