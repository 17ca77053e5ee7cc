"""Random models of all kinds and the tables to try them on, drawn by hypothesis.

Hypothesis draws the names, the numbers of extreme size and a source of chance for all the rest:
models that it draws piece by piece are slow to make, and many of them much alike.
"""

import math

import polars as pl
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sorb.losses import LOSSES
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.rules.columns import column_source

NASTY = ['"; DROP TABLE t; --', "it's", "select", "größe", "two words", "a]b[c", "a`b"]
NASTY += ["back\\slash", "line\nbreak", "*/ x /*", "__proto__", "row", "%s {0} ${x}", "身高", "x"]
NASTY += ["// \\", "$1", "?", "v0", "predict_over(", "import math", "given", "toString", "A1"]

TEXTS = ["A", "a", "AB", "A ", " A", "it's", 'say "no"', "back\\slash", "größe", "gro\u0308ße"]
TEXTS += ["身高", "line\nbreak", "'); DROP TABLE t; --", "??/", "1", "true", "None", "{x}", "\x7f"]

DTYPES = {"float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean, "text": pl.String}
POWERS = [1.0, 1.0, -1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 16.0, 17.0, 0.5, -1.5, 0.37]
CLASSES = {
    "text": ["no", "it's", 'a"b', "ä", "\\", ""],
    "int": list(range(-3, 4)),
    "float": [-1.0, 0.1, 2.5, 1e20, 0.0],
    "bool": [True, False],
    "mixed": [1, "1", 0.5, "a"],
}


@st.composite
def models_with_tables(draw):
    """A model, a table for it, and what is asked of the model."""
    name = st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=4))
    names = draw(st.lists(name, min_size=1, max_size=5, unique=True))
    extreme = draw(st.floats(allow_infinity=False))
    random = draw(st.randoms(use_true_random=True))
    extremes = [extreme, 1e300, 1e-200, 5e-324, -0.0]
    ensemble, table = model_with_table(random, names, extremes if random.random() < 0.1 else [])
    return ensemble, table, random.choice(outputs(ensemble))


def drawn(count):
    """Draw models with tables, the same ones every time."""
    cases = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(models_with_tables())
    def collect(case):
        cases.append(case)

    collect()
    return cases


def outputs(ensemble):
    """What can be asked of an ensemble."""
    if not ensemble.loss.has_classes or len(ensemble.classes or (0, 1)) == 1:
        return ["score", "prediction"]
    return ["score", "prediction", "probability"]


def kind_of(table, name):
    """The kind of a column: one of `DTYPES`."""
    return next(kind for kind, dtype in DTYPES.items() if table.schema[name] == dtype)


def model_with_table(random, names, extremes=()):
    """A model of any kind with columns of these names, and a table for it."""
    table = _table(random, names, extremes)
    return _ensemble(random, table), table


def _table(random, names, extremes):
    n_rows = random.randint(1, 8)
    kinds = random.choices(["float", "int", "bool", "text"], [4, 1, 1, 2], k=len(names))
    return pl.DataFrame(
        {
            name: pl.Series(
                [_cell(random, kind, extremes) for _ in range(n_rows)], dtype=DTYPES[kind]
            )
            for name, kind in zip(names, kinds, strict=True)
        }
    )


def _cell(random, kind, extremes):
    if random.random() < 0.15:
        return random.choice([None, math.nan]) if kind == "float" else None
    if kind == "float" and extremes and random.random() < 0.3:
        return random.choice(extremes)
    return _known(random, kind)


def _known(random, kind):
    if kind == "text":
        return random.choice(TEXTS)
    if kind == "bool":
        return random.random() < 0.5
    if kind == "int":
        return random.randint(-2, 6) if random.random() < 0.7 else random.randint(1, 10**6)
    return random.choice([_short, _positive, _any_size])(random)


def _short(random):
    return random.randint(-16, 40) / 8


def _positive(random):
    return random.uniform(0.1, 200.0)


def _any_size(random):
    return random.gauss(0, 1) * 10.0 ** random.randint(-3, 3)


def _ensemble(random, table):
    loss = random.choice(list(LOSSES))
    n_outputs = random.randint(2, 4) if loss == "softmax" else 1
    offset = [random.gauss(0, 1) for _ in range(n_outputs)]
    rules = [
        Rule(_condition(random, table), random.gauss(0, 2), random.randrange(n_outputs))
        for _ in range(random.choice([0, 1, 2, 2, 3, 3, 4, 5]))
    ]
    start = offset if loss == "softmax" else offset[0]
    return RuleEnsemble(start, rules, table.columns, loss, _classes(random, loss, n_outputs))


def _classes(random, loss, n_outputs):
    size = {"softmax": n_outputs, "logistic": random.choice([0, 1, 2, 2, 2])}.get(loss, 0)
    kinds = ["text", "int", "float", "bool", "mixed"] if size < 3 else ["text", "int", "float"]
    labels = CLASSES[random.choices(kinds, [8, 4, 4, 4, 1][: len(kinds)])[0]]
    return random.sample(labels, size) if size else None


def _condition(random, table):
    propositions = [_proposition(random, table) for _ in range(random.choice([0, 1, 1, 2, 2, 3]))]
    while propositions:
        try:
            return Condition(propositions)
        except ValueError:  # they exclude each other
            propositions.pop()
    return Condition()


def _proposition(random, table):
    numeric = [name for name in table.columns if kind_of(table, name) != "text"]
    kind = random.choice([_sum, _product, _membership] if numeric else [_membership])
    return kind(random, table, table.columns if kind is _membership else numeric)


def _sum(random, table, names):
    columns = random.sample(names, random.randint(1, min(3, len(names))))
    weights = [
        random.choice([1.0, -1.0, 0.1, -0.86, 1 / 3, random.gauss(0, 1) or 1.0]) for _ in columns
    ]
    missing = random.random() < 0.5
    free = Proposition(columns, weights, 0.0, missing)
    values = free.quantity(column_source(table, columns)).tolist()
    return Proposition(columns, weights, _threshold(random, values), missing)


def _product(random, table, names):
    columns = random.sample(names, random.randint(1, min(3, len(names))))
    powers = random.choices(POWERS, k=len(columns))
    flags = random.random() < 0.5, random.random() < 0.5
    free = Product(columns, powers, 1.0, *flags)
    values = free.quantity(column_source(table, columns)).tolist()
    return Product(columns, powers, abs(_threshold(random, values)) or 1.0, *flags)


def _threshold(random, values):
    """Give a threshold that some row meets exactly, or misses by a hair, or any."""
    met = [value for value in values if math.isfinite(value)]
    if not met or random.random() < 0.2:
        return random.randint(-8, 40) / 4
    value = random.choice(met)
    return random.choice([value, value, math.nextafter(value, math.inf), round(value, 3)])


def _membership(random, table, names):
    name = random.choice(names)
    kind = kind_of(table, name)
    labels = [value for value in table[name].to_list() if value is not None]
    labels += [_known(random, kind) for _ in range(2)]
    labels = list(dict.fromkeys(label for label in labels if _is_label(label)))
    categories = random.sample(labels, min(len(labels), random.choice([0, 1, 1, 2, 3])))
    negated = random.random() < 0.5
    missing = random.random() < 0.5 if categories else not negated
    return Membership(name, categories, negated, missing)


def _is_label(value):
    return not isinstance(value, float) or math.isfinite(value)
