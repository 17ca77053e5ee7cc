from dataclasses import asdict, replace

import numpy as np
import polars as pl
import pytest

from sorb.cli.group_measures import fit_constant, measure_groups
from sorb.learning.lazy_source import LazySource
from sorb.learning.lazy_split import split_lazy
from sorb.losses import loss_by_name
from sorb.measures.cutoff import Cutoff
from sorb.measures.gain import Gain
from sorb.measures.measures import Measures
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.tables.lazy_opening import open_lazy
from sorb.tables.targets import Outcomes

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
        "sick": RNG.choice(["no", "yes"], N),
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
    "two classes": ("sick", "logistic", ("no", "yes"), None),
    "numbers": ("number", "squared", None, None),
    "counts": ("count", "poisson", None, "years"),
    "amounts": ("amount", "gamma", None, None),
}


def models(loss, classes):
    """Models of growing size, of which the last has many conditions."""
    more = [Condition((Proposition(("a",), (1.0,), t),)) for t in np.linspace(-1, 1, 24).tolist()]
    several = loss == "softmax"
    start = (0.1, 0.2, -0.3) if several else (1e4 if loss == "squared" else 0.4)
    rules = [
        Rule(c, 0.3 / (1 + k), k % 3 if several else 0) for k, c in enumerate((*CONDITIONS, *more))
    ]
    sizes = (0, 1, 2, len(rules))
    rated = loss == "poisson"
    return [
        RuleEnsemble(start, rules[:n], ("a", "b", "group"), loss, classes, per_exposure=rated)
        for n in sizes
    ]


def known(value):
    """All numbers that are known, but for the mean absolute error."""
    if isinstance(value, dict):
        return [number for name, part in value.items() if name != "mae" for number in known(part)]
    if isinstance(value, tuple):
        return list(value)
    return [] if value is None else [value]


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
        cutoff = Cutoff.by_hand(0.4) if case == "two classes" else None
        outcomes = Outcomes.of(ensembles[0], rows[target].to_list(), weights, units)
        found = measure_groups(side.source, ensembles, ensembles[0], cutoff)
        for ensemble, one in zip(ensembles, found, strict=True):
            expected = Measures.of(ensemble, ensemble(rows), outcomes, cutoff)
            if not classes:  # which needs the squares of losses
                expected = replace(expected, intervals={})
            same = known(asdict(expected))
            assert known(asdict(one.measures)) == pytest.approx(same, rel=1e-8, abs=1e-10)
            gain = Gain.of(outcomes, ensemble(rows), ensembles[0](rows))
            assert one.gain.value == pytest.approx(gain.value, rel=1e-8, abs=1e-10)
            if classes:
                assert one.gain.standard_error == pytest.approx(gain.standard_error, abs=1e-9)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("case", ["classes", "two classes"])
def test_intervals_allow_for_rows_that_belong_together(case, weight):
    """Each patient has ten rows and one outcome."""
    target, loss, classes, _ = CASES[case]
    patient = np.repeat(np.arange(N // 10), 10)
    whose = np.array([f"P{k}" for k in patient])
    visits = TABLE.with_columns(
        pl.Series(target, np.repeat(TABLE[target].to_numpy()[::10], 10)), patient=whose
    ).select(["a", "b", "group", "patient", target, *([weight] if weight else [])])
    columns = open_lazy(visits.lazy(), target, weight, None, "from_dtype", True, group="patient")
    ensemble = models(loss, classes)[2]
    baseline = replace(ensemble, rules=())
    cutoff = Cutoff.by_hand(0.6) if case == "two classes" else None
    source = LazySource(columns, None)
    (found,) = measure_groups(source, [ensemble], baseline, cutoff, together=True)
    weights = np.ones(N) if weight is None else visits[weight].to_numpy().astype(float)
    outcomes = Outcomes.of(ensemble, visits[target].to_list(), weights)
    scores = ensemble(visits)
    expected = Measures.of(ensemble, scores, outcomes, cutoff, patient)
    assert known(asdict(found.measures)) == pytest.approx(known(asdict(expected)), rel=1e-8)
    gain = Gain.of(outcomes, scores, baseline(visits), patient)
    assert found.gain.standard_error == pytest.approx(gain.standard_error)
    (apart,) = measure_groups(source, [ensemble], baseline, cutoff)
    assert apart.gain.standard_error < 0.8 * gain.standard_error


def test_weights_that_are_no_copies_say_the_same_of_sums_and_of_rows():
    heavy = pl.when(pl.col("sick") == "yes").then(0.37).otherwise(20.5)
    table = TABLE.select("a", "b", "group", "sick", heavy.alias("weight"))
    columns = open_lazy(table.lazy(), "sick", "weight", None, "from_dtype", True)
    ensemble = models("logistic", ("no", "yes"))[2]
    baseline, cutoff = replace(ensemble, rules=()), Cutoff.by_hand(0.6)
    (found,) = measure_groups(LazySource(columns, None), [ensemble], baseline, cutoff)
    outcomes = Outcomes.of(ensemble, table["sick"].to_list(), table["weight"].to_numpy())
    scores = ensemble(table)
    expected = Measures.of(ensemble, scores, outcomes, cutoff)
    assert known(asdict(found.measures)) == pytest.approx(known(asdict(expected)), rel=1e-8)
    gain = Gain.of(outcomes, scores, baseline(table))
    assert found.gain.standard_error == pytest.approx(gain.standard_error)


@pytest.mark.parametrize("case", CASES)
def test_the_constant_fits_all_rows_best(case):
    target, loss, classes, exposure = CASES[case]
    table = TABLE.select([c for c in ("a", "group", target, "weight", exposure) if c])
    columns = open_lazy(table.lazy(), target, "weight", exposure, "from_dtype", bool(classes))
    source = LazySource(columns, None if classes else loss_by_name(loss))
    model = models(loss, classes)[2]
    found = fit_constant(source, model)
    units = None if exposure is None else table[exposure].to_numpy()
    outcomes = Outcomes.of(model, table[target].to_list(), table["weight"].to_numpy(), units)
    assert len(found) == 0
    scores = found(table)
    gradient = outcomes.weight @ model.loss.gradient(outcomes.y, scores)
    assert gradient == pytest.approx(np.zeros_like(gradient), abs=1e-6)
