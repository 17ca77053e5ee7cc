from dataclasses import asdict

import numpy as np
import polars as pl
import pytest

from sorb.cli.group_measures import measure_groups
from sorb.cli.measures import Measures
from sorb.learning.lazy_source import LazySource
from sorb.learning.lazy_split import split_lazy
from sorb.losses import loss_by_name
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.tables.lazy_opening import open_lazy

RNG = np.random.default_rng(5)
N = 400
TABLE = pl.DataFrame(
    {
        "a": RNG.normal(size=N).round(1),
        "b": RNG.normal(size=N),
        "group": RNG.choice(["x", "y", "z"], N),
        "weight": RNG.integers(1, 4, N),
        "years": RNG.uniform(0.5, 2, N),
        "class": RNG.choice(["no", "perhaps", "yes"], N),
        "number": RNG.normal(1e4, 2, N),
        "count": RNG.poisson(1.5, N),
        "amount": RNG.gamma(2, 3, N),
    }
)
CONDITIONS = (
    Condition((Proposition(("a", "b"), (1.0, -0.5), 0.2),)),
    Condition((Membership("group", ("x", "z")), Proposition(("b",), (1.0,), 0.0))),
)
CASES = {
    "classes": ("class", "softmax", ("no", "perhaps", "yes"), None),
    "numbers": ("number", "squared", None, None),
    "counts": ("count", "poisson", None, "years"),
    "amounts": ("amount", "gamma", None, None),
}


def models(loss, classes):
    """Models of growing size, of which the last has many conditions."""
    more = [Condition((Proposition(("a",), (1.0,), t),)) for t in np.linspace(-1, 1, 24).tolist()]
    start = (0.1, 0.2, -0.3) if classes else (1e4 if loss == "squared" else 0.4)
    rules = [
        Rule(c, 0.3 / (1 + k), k % 3 if classes else 0) for k, c in enumerate((*CONDITIONS, *more))
    ]
    sizes = (0, 1, 2, len(rules))
    rated = loss == "poisson"
    return [
        RuleEnsemble(start, rules[:n], ("a", "b", "group"), loss, classes, per_exposure=rated)
        for n in sizes
    ]


def known(measures):
    return {name: value for name, value in asdict(measures).items() if value is not None}


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("case", CASES)
def test_sums_measure_what_rows_do(case, weight):
    target, loss, classes, exposure = CASES[case]
    used = [c for c in ("a", "b", "group", target, weight, exposure) if c]
    table = TABLE.select(used)
    columns = open_lazy(table.lazy(), target, weight, exposure, "from_dtype", bool(classes))
    source = LazySource(columns, None if classes else loss_by_name(loss))
    split = split_lazy(source, 0.3, seed=1)
    for side in (split.training, split.test):
        rows = side.source.columns.frame.collect().to_native()
        weights = np.ones(len(rows)) if weight is None else rows[weight].to_numpy().astype(float)
        units = None if exposure is None else rows[exposure].to_numpy()
        ensembles = models(loss, classes)
        for found, ensemble in zip(measure_groups(side.source, ensembles), ensembles, strict=True):
            outcomes = rows[target].to_list()
            expected = Measures.of(ensemble, ensemble(rows), outcomes, weights, units)
            assert known(found) == pytest.approx(known(expected), rel=1e-8, abs=1e-10)
