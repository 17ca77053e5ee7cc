"""Sums by cells against sums over rows that are counted one by one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.editing.vote_refit import FittingRows
from sorb.learning.refit import Patterns, refit
from sorb.report.cells import Budget, plain_numbers, row_sums, size_cells
from sorb.report.given_rows import GivenRows
from sorb.report.model_sizes import ModelSizes
from sorb.report.rows import ReportRows, fold_numbers
from sorb.rules.columns import column_source

WIDE = Budget(entries=10**6, cuts=20, subgroup_entries=10**6)
NUMBERS = st.one_of(
    st.integers(-6, 6).map(float), st.integers(-900, 900).map(lambda k: k / 100), st.just(np.nan)
)


@st.composite
def propositions(draw):
    missing = draw(st.booleans())
    match draw(st.sampled_from(["one", "two", "product", "set"])):
        case "one":
            weight = draw(st.sampled_from([1.0, -1.0, 0.37, -2.0]))
            return Proposition(
                ("a",), (weight,), draw(st.integers(-50, 50).map(lambda k: k / 10)), missing
            )
        case "two":
            return Proposition(
                ("a", "b"), (0.5, -1.0), draw(st.integers(-50, 50).map(lambda k: k / 10)), missing
            )
        case "product":
            at_most = draw(st.booleans())
            return Product(
                ("a", "b"), (1, -2), draw(st.sampled_from([0.01, 0.3, 1.0, 5.0])), at_most, missing
            )
        case "set":
            return Membership("c", draw(st.sampled_from([("x",), ("x", "y")])), False, missing)


@st.composite
def models_with_rows(draw):
    rules = []
    for _ in range(draw(st.integers(0, 4))):
        parts = draw(st.lists(propositions(), max_size=2, unique_by=lambda p: p.columns))
        rules.append(Rule(Condition(tuple(parts)), draw(st.just(1.0))))
    n_rows = draw(st.integers(1, 20))
    table = [
        {"a": draw(NUMBERS), "b": draw(NUMBERS), "c": draw(st.sampled_from(["x", "y", None]))}
        for _ in range(n_rows)
    ]
    y = draw(st.lists(st.integers(-3, 3).map(float), min_size=n_rows, max_size=n_rows))
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n_rows, max_size=n_rows))
    ensemble = RuleEnsemble(0.5, rules, ("a", "b", "c"), "squared")
    source = column_source(table, ("a", "b", "c"))
    return ensemble, ReportRows.of(ensemble, source, GivenRows(table, y, weight))


def level_of(sign):
    return -1 if sign == "?" else "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijk".index(sign)


@settings(max_examples=25)
@given(models_with_rows())
def test_each_cut_divides_the_rows_as_the_proposition_does(found):
    ensemble, rows = found
    cells = size_cells(ensemble, rows, None, np.zeros(len(rows), dtype=int), WIDE)
    for cut, signs in zip(cells.propositions, cells.signs, strict=True):
        levels = np.array([level_of(sign) for sign in signs])[cells.training]
        for place, value in enumerate(cut.cuts.tolist()):
            told = np.where(levels < 0, cut.proposition.missing, levels > place)
            np.testing.assert_array_equal(told, cut.at(value).covers(rows.source))
        if isinstance(cut.proposition, Membership):
            np.testing.assert_array_equal(levels > 0, cut.proposition.covers(rows.source))
        else:
            assert cut.cuts[cut.own] == cut.proposition.threshold
            passing = [int(cut.at(value).covers(rows.source).sum()) for value in cut.cuts.tolist()]
            assert passing == sorted(passing, reverse=True)


@settings(max_examples=25)
@given(models_with_rows(), st.integers(1, 3))
def test_sums_are_those_of_a_loop_over_the_rows(found, n_folds):
    ensemble, rows = found
    fold = np.arange(len(rows)) % n_folds
    cells = size_cells(ensemble, rows, None, fold, WIDE)
    sums = row_sums(rows, cells.training, cells.shift, 0, fold)
    n, w, wy, squares = Counter(), Counter(), Counter(), 0.0
    for k in range(len(rows)):
        key = int(cells.training[k]), int(fold[k])
        y, weight = rows.y[k] - cells.shift, rows.weight[k]
        n[key] += 1
        w[key] += weight
        wy[key] += weight * y
        squares += weight * y * y
    keys = list(zip(sums["cell"], sums["fold"], strict=True))
    assert keys == sorted(n)
    assert sums["n"] == [n[key] for key in keys]
    weights = sums.get("w", sums["n"])
    np.testing.assert_allclose(sums["constant"], squares / 2, rtol=1e-12)
    for told, expected in ((weights, w), (sums["wy"], wy)):
        np.testing.assert_allclose(told, [expected[key] for key in keys], rtol=1e-12, atol=1e-11)


def covered_in_cells(ensemble, cells):
    truth = {
        cut.proposition: np.where(
            cells.levels[:, j] == 255, cut.proposition.missing, cells.levels[:, j] > cut.own
        )
        for j, cut in enumerate(cells.propositions)
    }
    for rule in ensemble:
        covered = np.ones(len(cells.levels), dtype=bool)
        for proposition in rule.condition.propositions:
            covered &= truth[proposition]
        yield covered


@pytest.mark.parametrize("entries", [10**6, 60, 1], ids=["all cuts", "few cuts", "by rules"])
def test_a_refit_to_the_cells_is_one_to_the_rows(example, entries):
    """What the page does, done here: two sums for each cell, as one row with their mean."""
    estimator, (X, y) = example.estimator, example.training
    ensemble = estimator.ensemble_
    rows = ReportRows.of(ensemble, estimator._open(X, ensemble).read(), GivenRows(X, y))
    (size,) = [s for s in ModelSizes.of_fit(estimator, rows, None).sizes if s.ensemble == ensemble]
    cells = size_cells(ensemble, rows, None, fold_numbers(rows), Budget(entries, 20, 0))
    K = len(ensemble.offsets)
    sums = row_sums(rows, cells.training, cells.shift, K)
    weight, cell = np.array(sums.get("w", sums["n"]), dtype=float), np.array(sums["cell"])
    if "by_class" in sums:
        outcome = np.repeat(np.arange(K, dtype=float), len(cell))
        cell, weight = np.tile(cell, K), np.concatenate(sums["by_class"]).astype(float)
        outcome, cell, weight = outcome[weight > 0], cell[weight > 0], weight[weight > 0]
    else:
        outcome = np.array(sums["wy"]) / weight
    patterns = Patterns.without_rules(len(cell), K)
    for rule, covered in zip(ensemble, covered_in_cells(ensemble, cells), strict=True):
        patterns = patterns.split(covered[cell], rule.output, (-np.inf, np.inf))
    start = np.zeros(K + len(ensemble))
    found, _ = refit(ensemble.loss, patterns, outcome, weight, size.reg_lambda, start)
    found[0] += cells.shift
    fitting = FittingRows(rows.source, np.arange(len(rows)), rows.outcomes, {})
    of_rows = fitting.refit(ensemble, [False] * len(ensemble), size.reg_lambda)
    np.testing.assert_allclose(found, of_rows.offsets_and_votes, rtol=1e-5, atol=1e-6)
    # The penalty is the one that the votes were learned with.
    np.testing.assert_allclose(found, ensemble.offsets_and_votes, rtol=1e-4, atol=1e-5)


def test_budgets_are_kept_by_leaving_out_cuts(example):
    estimator, (X, y) = example.estimator, example.training
    ensemble = estimator.ensemble_
    rows = ReportRows.of(ensemble, estimator._open(X, ensemble).read(), GivenRows(X, y))
    fold = fold_numbers(rows)
    counts = []
    for entries in (150, 100, 60):
        cells = size_cells(ensemble, rows, None, fold, Budget(entries, 20, 0))
        sums = row_sums(rows, cells.training, cells.shift, 3, fold if cells.n_folds > 1 else None)
        n_cuts = sum(len(cut.cuts) for cut in cells.propositions)
        own = sum(not isinstance(cut.proposition, Membership) for cut in cells.propositions)
        assert len(sums["cell"]) <= entries or n_cuts == own
        counts.append(n_cuts)
    assert counts == sorted(counts, reverse=True)


def test_each_cut_divides_rows_that_were_moved_out_of_rare_cells():
    rng = np.random.default_rng(0)
    X = {"a": rng.integers(18, 90, 450) * 1.0, "b": rng.normal(75, 12, 450).round(1)}
    table = [{"a": a, "b": b} for a, b in zip(X["a"], X["b"], strict=True)]
    cuts = Proposition(("a",), (-1.0,), -49.5), Proposition(("b",), (-1.0,), -74.95)
    rules = [Rule(Condition((cut,)), 1.0) for cut in cuts]
    ensemble = RuleEnsemble(0.5, rules, ("a", "b"), "squared")
    source = column_source(table, ("a", "b"))
    rows = ReportRows.of(ensemble, source, GivenRows(table, rng.normal(size=450)))
    budget = Budget(entries=10**6, cuts=2, subgroup_entries=0, least=5)
    cells = size_cells(ensemble, rows, None, np.zeros(450, dtype=int), budget)
    for cut, levels in zip(cells.propositions, cells.levels.T, strict=True):
        counts = [(levels[cells.training] > place).sum() for place in range(len(cut.cuts))]
        assert counts[0] < 450
        assert sorted(set(counts), reverse=True) == counts
        assert counts[-1] > 0


def test_numbers_lose_only_what_rounding_had_left():
    values = np.random.default_rng(0).normal(size=200) * 1e4
    np.testing.assert_allclose(plain_numbers(values), values, atol=1e-8, rtol=0)


def test_sums_of_outcomes_with_few_decimals_have_as_few():
    rng = np.random.default_rng(0)
    y = (rng.gamma(2.0, 30.0, 400)).round(1)
    model = RuleEnsemble(0.5, (), ("a",), "squared")
    table = [{"a": a} for a in rng.normal(size=400).tolist()]
    rows = ReportRows.of(model, column_source(table, ("a",)), GivenRows(table, y))
    cells = size_cells(model, rows, None, np.zeros(400, dtype=int), WIDE)
    assert cells.shift == round(cells.shift, 1) != 0
    sums = row_sums(rows, rng.integers(0, 50, 400), cells.shift, 0)
    assert sums["wy"] == [round(value, 1) for value in sums["wy"]]
