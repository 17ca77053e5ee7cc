"""What must hold for every model that is learned, whatever the table."""

import re
from functools import reduce
from itertools import pairwise, permutations
from operator import add

import numpy as np
import pandas as pd
import polars as pl
import pytest
from boundary_rows import with_boundary_rows
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from joblib import parallel_backend

from sorb import (
    LLTBoostClassifier,
    LLTBoostClassifierCV,
    LLTBoostRegressor,
    LLTBoostRegressorCV,
    RuleEnsemble,
)
from sorb.learning.bags import Bags
from sorb.learning.rows import Rows

# Most keep all rules, so that there is something to compare: on small tables, cross-validation may
# leave none of them.
GROWN = {"max_rules": 4, "selection": None}
FEW_ROWS = 8
LEARNERS = {
    "two classes": LLTBoostClassifier(**GROWN),
    "three classes": LLTBoostClassifier(**GROWN),
    "axis-parallel": LLTBoostClassifier(**GROWN, search="axis"),
    "cut for the objective": LLTBoostClassifier(**GROWN, cut="objective", effort="high"),
    "as in the paper": LLTBoostClassifier.paper(max_rules=4),
    "in a sample": LLTBoostClassifier(**GROWN, search_rows=FEW_ROWS),
    "numbers": LLTBoostRegressor(**GROWN),
    "numbers in a sample": LLTBoostRegressor(**GROWN, search_rows=FEW_ROWS),
    "numbers, axis-parallel": LLTBoostRegressor(**GROWN, search="axis", n_quantiles=5),
    "counts": LLTBoostRegressor(**GROWN, loss="poisson"),
    "amounts": LLTBoostRegressor(**GROWN, loss="gamma"),
    "amounts, many zero": LLTBoostRegressor(**GROWN, loss="tweedie"),
    "classes, validated": LLTBoostClassifier(max_rules=2, selection="best"),
    "numbers, validated": LLTBoostRegressor(max_rules=2, selection="near_best"),
    "classes, cross-validated": LLTBoostClassifierCV(
        max_rules=2, reg_lambdas=(0.1, 1.0), cv=3, n_repeats=2
    ),
    "numbers, cross-validated": LLTBoostRegressorCV(
        max_rules=2, reg_lambdas=(0.1, 1.0), cv=3, n_repeats=2
    ),
}
ONE_FIT = [name for name in LEARNERS if "validated" not in name]
all_learners = pytest.mark.parametrize("name", LEARNERS)


def for_all(examples=8, **strategies):
    """Like `given`; always the same examples, because ties decided by rounding do exist."""
    same_examples = settings(max_examples=examples, derandomize=True)
    return lambda test: same_examples(given(**strategies)(test))


seeds = st.integers(0, 2**32 - 1)


def same_rules(one, other):
    """The same models; votes that were fitted to sums over all rows may be rounded differently."""
    mine, others = one.ensemble_, other.ensemble_
    if one.search_rows == FEW_ROWS:
        assert [rule.condition for rule in mine] == [rule.condition for rule in others]
        votes = ([model.offset, *(rule.vote for rule in model)] for model in (mine, others))
        np.testing.assert_allclose(*votes, rtol=1e-9, atol=1e-12)
    else:
        assert mine.offset == others.offset
        assert mine.rules == others.rules


def outcome(name, X, rng):
    """Something that depends on two columns, with noise."""
    score = 2 * X[:, 0] - X[:, -1] + rng.normal(size=len(X))
    if name == "three classes":
        return np.digitize(score, [-1.0, 1.0])
    if "numbers" in name:
        return score
    if name == "amounts":
        return np.exp(np.round(np.clip(score, -3, 3)))
    if name == "amounts, many zero":
        return np.round(np.exp(np.clip(score, -3, 3))) + (np.arange(len(X)) == 0)
    if name == "counts":
        return rng.poisson(np.exp(np.clip(score, -3, 3))) + (np.arange(len(X)) == 0)
    return (score > 0).astype(int)


def smooth_table(name, seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, outcome(name, X, rng)


def coarse_table(name, seed, n=60, d=2):
    """Whole numbers, so that copies, ties and rows on boundaries abound."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, size=(n, d)).astype(float)
    return X, np.round(outcome(name, X, rng), 2 if name == "amounts" else 0)


def learned(name, X, y, weight=None, **parameters):
    model = LEARNERS[name].__class__(**{**LEARNERS[name].get_params(), **parameters})
    return model.fit(X, y, sample_weight=weight)


# ---- 1. a weight of k is k copies, a weight of 0 is no row, and the order changes nothing ----


def repeated(X, y, weight, rng):
    rows = rng.permutation(np.repeat(np.arange(len(X)), weight))
    return X[rows], y[rows]


@all_learners
@for_all(seed=seeds, coarse=st.booleans(), top=st.sampled_from([3, 20]))
def test_a_weight_means_copies_of_the_row(name, seed, coarse, top):
    X, y = (coarse_table if coarse else smooth_table)(name, seed, n=30)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, top, size=len(X))
    assume(weight @ (y > 0))
    weighted = learned(name, X, y, weight)
    same_rules(weighted, learned(name, *repeated(X, y, weight, rng)))


@pytest.mark.parametrize(("n", "top", "in_pieces"), [(150, 2, False), (30, 40, True)])
@pytest.mark.parametrize("name", ONE_FIT)
def test_copies_may_be_drawn_together_or_in_pieces(name, n, top, in_pieces):
    X, y = smooth_table(name, 7, n=n)
    rng = np.random.default_rng(7)
    weight = rng.integers(1, top, size=n, endpoint=True)
    count = weight.astype(float)
    rows = Rows.from_table(X, y.astype(float), count, ("a", "b", "c"), count=count)
    assert (Bags.of(rows).pieces.max() > 1) == in_pieces
    weighted = learned(name, X, y, weight)
    assert weighted.n_iter_ > 0
    same_rules(weighted, learned(name, *repeated(X, y, weight, rng)))


@all_learners
@for_all(seed=seeds, coarse=st.booleans())
def test_the_order_of_the_rows_changes_nothing(name, seed, coarse):
    X, y = (coarse_table if coarse else smooth_table)(name, seed)
    rows = np.random.default_rng(seed).permutation(len(X))
    same_rules(learned(name, X, y), learned(name, X[rows], y[rows]))


@all_learners
@for_all(seed=seeds)
def test_the_order_of_weighted_copies_changes_nothing(name, seed):
    """Fractions of different sizes round differently in another order."""
    X, y = coarse_table(name, seed)
    rng = np.random.default_rng(seed)
    weight, rows = rng.exponential(size=len(X)), rng.permutation(len(X))
    one, other = learned(name, X, y, weight), learned(name, X[rows], y[rows], weight[rows])
    same_rules(one, other)


@all_learners
def test_rows_without_weight_may_hold_anything(name):
    X, y = smooth_table(name, 1)
    weight = np.arange(len(X)) % 3 > 0
    spoiled = np.where(weight[:, None], X, 1e9)
    same_rules(learned(name, X[weight], y[weight]), learned(name, spoiled, y, weight))


def named(X):
    """A table whose columns have names, which move along with them."""
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def mixed_columns(X, rng):
    """Numbers with missing values, and one column of categories more."""
    table = named(np.where(rng.random(X.shape) < 0.1, np.nan, X))
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, -1], [-1.0, 1.0])]
    return table.assign(level=np.where(rng.random(len(X)) < 0.2, None, labels))


COLUMNS = {
    "smooth": lambda name, seed: (smooth_table(name, seed, d=4), lambda X, rng: named(X)),
    "coarse": lambda name, seed: (coarse_table(name, seed, d=3), lambda X, rng: named(X)),
    "mixed": lambda name, seed: (smooth_table(name, seed), mixed_columns),
    "mixed, coarse": lambda name, seed: (coarse_table(name, seed), mixed_columns),
}
kinds_of_columns = st.sampled_from(sorted(COLUMNS))


def table_of(kind, name, seed):
    (X, y), columns = COLUMNS[kind](name, seed)
    return columns(X, np.random.default_rng(seed)), y


def shuffled_columns(table, rng):
    return table.iloc[:, rng.permutation(table.shape[1])]


@all_learners
@for_all(seed=seeds, kind=kinds_of_columns)
def test_the_order_of_the_columns_changes_nothing(name, seed, kind):
    table, y = table_of(kind, name, seed)
    shuffled = shuffled_columns(table, np.random.default_rng(seed))
    same_rules(learned(name, table, y), learned(name, shuffled, y))


@all_learners
@for_all(seed=seeds, kind=kinds_of_columns, value=st.floats(-1e6, 1e6) | st.just(np.nan))
def test_constant_columns_change_nothing(name, seed, kind, value):
    table, y = table_of(kind, name, seed)
    wider = table.assign(constant=value, category="only")
    wider = shuffled_columns(wider, np.random.default_rng(seed))
    same_rules(learned(name, table, y), learned(name, wider, y))


@pytest.mark.parametrize("name", ["two classes", "axis-parallel", "numbers"])
@for_all(seed=seeds)
def test_the_order_of_logarithms_changes_nothing(name, seed):
    X, y = smooth_table(name, seed, d=4)
    table = named(np.exp(X))
    shuffled = shuffled_columns(table, np.random.default_rng(seed))
    logarithms = {"log_columns": ["x0", "x3"]}
    same_rules(learned(name, table, y, **logarithms), learned(name, shuffled, y, **logarithms))


def has_symmetry(X, y):
    """Whether flags may be exchanged without changing the outcome of any row."""
    place = 2 ** np.arange(X.shape[1])
    exchanged = (X[:, list(order)] @ place for order in permutations(range(X.shape[1])))
    return sum(np.array_equal(y[rows.astype(int)], y) for rows in exchanged) > 1


@pytest.mark.parametrize("name", ["two classes", "axis-parallel", "numbers"])
@for_all(seed=seeds)
def test_the_order_of_the_columns_of_a_balanced_design_changes_nothing(name, seed):
    """All columns have the same values equally often: only the outcomes tell them apart."""
    rng = np.random.default_rng(seed)
    X = (np.arange(32)[:, None] >> np.arange(5) & 1).astype(float)
    table, y = named(X), np.round(outcome(name, 2 * X - 1, rng), 1)
    assume(not has_symmetry(X, y))
    same_rules(learned(name, table, y), learned(name, shuffled_columns(table, rng), y))


# ---- 2. the same seed gives the same model, whatever n_jobs ----


@all_learners
@for_all(seed=seeds)
def test_the_number_of_jobs_changes_nothing(name, seed):
    X, y = smooth_table(name, seed)
    with parallel_backend("threading"):
        models = [learned(name, X, y, n_jobs=n_jobs, random_state=seed) for n_jobs in (1, 2)]
    same_rules(*models)


@pytest.mark.parametrize("name", ["three classes", "axis-parallel", "numbers, validated"])
def test_the_number_of_threads_changes_nothing(name):
    # As large as a table must be for each search to use several threads.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20))
    X[rng.random(X.shape) < 0.01] = np.nan
    y = outcome(name, np.nan_to_num(X[:, :5]), rng)
    alone, *others = (
        learned(name, X, y, max_rules=1, selection=None, n_jobs=n_jobs, near_duplicates="apart")
        for n_jobs in (1, 2, 3, 5)
    )
    assert all(other.ensemble_ == alone.ensemble_ for other in others)


@all_learners
def test_another_seed_may_give_another_model(name):
    X, y = smooth_table(name, 2, n=100)
    assert len({learned(name, X, y, random_state=seed).ensemble_ for seed in range(5)}) > 1


# ---- 3. shifting and stretching the columns changes no prediction ----


def same_answers(first, X, second, Z):
    """Whether two models put each row under the same rules, with the same weights."""
    np.testing.assert_array_equal(first.transform(X), second.transform(Z))
    np.testing.assert_allclose(first.explain(X).total(), second.explain(Z).total(), rtol=1e-6)


@all_learners
@for_all(seed=seeds, power=st.lists(st.integers(-40, 40), min_size=3, max_size=3))
def test_stretching_by_powers_of_two_changes_nothing(name, seed, power):
    X, y = smooth_table(name, seed)
    stretch = np.exp2(power)
    unseen = smooth_table(name, seed + 1)[0]
    first, second = learned(name, X, y), learned(name, X * stretch, y)
    same_answers(first, X, second, X * stretch)
    same_answers(first, unseen, second, unseen * stretch)


@all_learners
@for_all(
    seed=seeds,
    stretch=st.lists(st.floats(1e-3, 1e3), min_size=3, max_size=3),
    shift=st.lists(st.floats(-100, 100), min_size=3, max_size=3),
)
def test_shifting_and_stretching_changes_no_prediction(name, seed, stretch, shift):
    X, y = smooth_table(name, seed)
    moved = X * stretch + np.multiply(shift, stretch)
    same_answers(learned(name, X, y), X, learned(name, moved, y), moved)


def test_thresholds_and_weights_follow_the_units():
    X, y = smooth_table("numbers", 3)
    stretch, shift = np.array([10.0, 0.5, 3.0]), np.array([4.0, -7.0, 100.0])
    first, second = learned("numbers", X, y), learned("numbers", X * stretch + shift, y)
    for old, new in zip(first.ensemble_, second.ensemble_, strict=True):
        for p, q in zip(old.condition.propositions, new.condition.propositions, strict=True):
            columns = [int(name[1:]) for name in p.columns]
            weights = p.weights / stretch[columns]
            threshold = p.threshold + weights @ shift[columns]
            unit = abs(q.weights[0] / weights[0])
            assert q.columns == p.columns
            np.testing.assert_allclose(q.weights, weights * unit, rtol=1e-6)
            np.testing.assert_allclose(q.threshold, threshold * unit, rtol=1e-6)


# ---- 4. what is reloaded or printed predicts what the model predicts, also on boundaries ----


def on_boundaries(ensemble, X):
    """Add rows on the boundary of each proposition to an array."""
    table = pl.DataFrame(X.astype(float), schema=list(ensemble.columns))
    return with_boundary_rows(ensemble, table, rows=len(X)).to_numpy()


@pytest.mark.parametrize("name", ONE_FIT)
@for_all(seed=seeds, coarse=st.booleans())
def test_a_reloaded_model_predicts_the_same(name, seed, coarse):
    X, y = (coarse_table if coarse else smooth_table)(name, seed)
    model = learned(name, X, y)
    reloaded = RuleEnsemble.from_json(model.ensemble_.to_json())
    X = on_boundaries(model.ensemble_, X)
    scores = reloaded(X)
    np.testing.assert_array_equal(scores, model.explain(X).total())
    mean = reloaded.loss.mean(scores)
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(mean, model.predict_proba(X)[:, 1 if mean.ndim == 1 else ...])
    else:
        np.testing.assert_array_equal(mean, model.predict(X))


def plain(number):
    return float(number.replace("−", "-").replace(" ", ""))


def read_proposition(text, row):
    """Decide a printed proposition as one would by hand, from left to right."""
    parts = re.split(r" (≥|≤) ", text)
    if len(parts) == 5:  # a range: low ≤ sum ≤ high
        low, _, left, relation, threshold = parts
        return read_proposition(f"{left} ≥ {low}", row) and read_proposition(
            f"{left} {relation} {threshold}", row
        )
    left, relation, threshold = parts
    total = None
    for sign, weight, column in re.findall(r"([+−]?) ?(\d[\d.e−]* )?x(\d+)", left):
        product = plain(f"{sign}{weight or 1}") * row[int(column)]
        total = product if total is None else total + product
    return total >= plain(threshold) if relation == "≥" else total <= plain(threshold)


def read_line(line, row):
    vote, _, condition = re.split(r"  (if  |always)", line)
    facts = condition.split("  and  ") if condition else []
    return plain(vote) if all(read_proposition(fact, row) for fact in facts) else 0.0


@pytest.mark.parametrize("name", ["two classes", "axis-parallel", "numbers", "counts"])
@for_all(seed=seeds, coarse=st.booleans())
def test_what_is_printed_predicts_the_same(name, seed, coarse):
    X, y = (coarse_table if coarse else smooth_table)(name, seed, n=30)
    model = learned(name, X, y)
    lines = model.ensemble_.format(digits=None).splitlines()
    X = on_boundaries(model.ensemble_, X[:5])
    # One by one: sum() carries more digits since Python 3.12.
    by_hand = [reduce(add, [read_line(line, row) for line in lines]) for row in X.tolist()]
    np.testing.assert_array_equal(by_hand, model.explain(X).total())


@pytest.mark.parametrize("name", ONE_FIT)
@for_all(seed=seeds, coarse=st.booleans(), shift=st.sampled_from([0.0, 0.1, 1e6 / 3]))
def test_training_sees_rows_as_predictions_do(name, seed, coarse, shift):
    X, y = (coarse_table if coarse else smooth_table)(name, seed)
    X = (X + shift) / 3
    model = learned(name, X, y)
    loss = model.ensemble_.loss
    for stage in model.stages_:
        risk = loss.value(y.astype(float), stage.ensemble(X)).mean()
        assert stage.train_risk == pytest.approx(risk, rel=1e-9, abs=1e-12)


# ---- 5. a larger stage has a lower regularised training risk ----


@pytest.mark.parametrize("reg_lambda", [0.0, 1e-3, 1.0, 100.0])
@pytest.mark.parametrize("name", ONE_FIT)
@for_all(examples=3, seed=seeds, coarse=st.booleans())  # for each of four penalties
def test_larger_stages_have_a_lower_regularised_risk(name, reg_lambda, seed, coarse):
    X, y = (coarse_table if coarse else smooth_table)(name, seed)
    weight = np.random.default_rng(seed).uniform(0.1, 3, size=len(X))
    model = learned(name, X, y, weight, reg_lambda=reg_lambda, max_rules=8)
    risks = [
        stage.train_risk * weight.sum() + reg_lambda * sum(rule.vote**2 for rule in stage.ensemble)
        for stage in model.stages_
    ]
    assert all(after <= before + 1e-7 * risks[0] for before, after in pairwise(risks))


@for_all(seed=seeds)
def test_the_models_of_the_paper_only_ever_get_another_rule(seed):
    model = learned("as in the paper", *smooth_table("as in the paper", seed))
    conditions = [[rule.condition for rule in stage.ensemble] for stage in model.stages_]
    assert all(after[: len(before)] == before for before, after in pairwise(conditions))


# ---- 6. on noise, nothing is learned ----


@pytest.mark.parametrize(
    "cls", [LLTBoostClassifier, LLTBoostRegressor, LLTBoostClassifierCV, LLTBoostRegressorCV]
)
@for_all(seed=seeds)
def test_on_noise_nothing_is_learned(cls, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    penalties = {"reg_lambdas": (1.0,)} if "CV" in cls.__name__ else {}
    model = cls(max_rules=3, selection="one_se", **penalties)
    model.fit(X, y if "Regressor" in cls.__name__ else y > 0)
    assert model.n_iter_ == 0
