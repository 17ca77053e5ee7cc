"""Shapley values, compared with their definition and with shap."""

import math
import sys
from dataclasses import replace
from itertools import permutations

import numpy as np
import polars
import pyarrow
import pytest
from hypothesis import assume
from hypothesis import strategies as st
from rule_strategies import (
    all_ensembles_with_rows,
    as_array,
    for_all,
    is_close_call,
    named,
    parts,
    satisfies,
)

from sorb import LLTBoostClassifier
from sorb.explanation import shapley
from sorb.explanation.shapley import shapley_values
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


def by_definition(ensemble, row, background):
    """Exchange the columns one by one, in all orders, against all rows of the background."""
    gains = dict.fromkeys(ensemble.columns, 0.0)
    for other in background:
        for order in permutations(ensemble.columns):
            mixed = dict(other)
            before = decision(ensemble, mixed)
            for name in order:
                mixed[name] = row[name]
                after = decision(ensemble, mixed)
                gains[name] = gains[name] + (after - before)
                before = after
    count = len(background) * len(list(permutations(ensemble.columns)))
    return [gain / count for gain in gains.values()]


def decision(ensemble, row):
    """The score of a row in plain Python, one for each output."""
    assume(not any(is_close_call(p, row) for p in parts(ensemble)))
    values = np.array(ensemble.offset, dtype=float).reshape(-1)
    for rule in ensemble:
        values[rule.output] += rule.vote * satisfies(rule.condition, row)
    return values if isinstance(ensemble.offset, tuple) else values[0]


@st.composite
def explained(draw):
    """An ensemble whose weights are of a size, rows to explain and a background."""
    ensemble, rows = draw(all_ensembles_with_rows())
    weights = [float(draw(st.integers(-3, 3))) for _ in ensemble]
    offset = [0.5, -1.5, 2.0, 1.0][: len(np.atleast_1d(np.array(ensemble.offset)))]
    ensemble = ensemble.with_votes(offset if ensemble.loss.score_per_class else 0.5, weights)
    return ensemble, rows[:2], rows[len(rows) // 2 :]


@for_all(explained())
def test_is_what_the_definition_says(drawn):
    ensemble, rows, background = drawn
    found = shapley_values(ensemble, as_array(rows), as_array(background))
    others = [named(ensemble, row) for row in background]
    for values, row in zip(found.values, rows, strict=True):
        wanted = by_definition(ensemble, named(ensemble, row), others)
        np.testing.assert_allclose(values, np.array(wanted), rtol=0, atol=1e-12)
    base = np.mean([decision(ensemble, row) for row in others], axis=0)
    np.testing.assert_allclose(found.base, base, atol=1e-12)
    np.testing.assert_allclose(found.total(), ensemble(as_array(rows)), atol=1e-12)


def test_gives_unused_columns_nothing(regressor, diabetes):
    X, _ = diabetes
    found = shapley_values(regressor.ensemble_, X, X[:50])
    unused = ~np.isin(X.columns, regressor.ensemble_.used_columns)
    assert (found.values[:, unused] == 0).all()
    assert (found.values[:, ~unused] != 0).any(axis=0).all()


def test_rows_of_the_background_that_are_equal_weigh_more(regressor, diabetes):
    X = diabetes[0].to_numpy()
    once = [shapley_values(regressor.ensemble_, X[:20], X[k : k + 1]).values for k in (30, 31)]
    twice = shapley_values(regressor.ensemble_, X[:20], X[[30, 31, 31]]).values
    np.testing.assert_allclose(twice, (once[0] + 2 * once[1]) / 3, atol=1e-12)


def test_large_tables_are_done_in_parts(monkeypatch, regressor, diabetes):
    X = diabetes[0].to_numpy()
    whole = shapley_values(regressor.ensemble_, X[:30], X[:7])
    monkeypatch.setattr(shapley, "PAIRS", 20)
    parts = shapley_values(regressor.ensemble_, X[:30], X[:7])
    assert np.array_equal(whole.values, parts.values)


def test_all_frames_are_alike(patients):
    X, y = patients
    ensemble = LLTBoostClassifier(max_rules=4, selection=None).fit(X, y).ensemble_
    wanted = shapley_values(ensemble, X[:40], X[40:60]).values
    assert (wanted != 0).any(axis=0).all()
    for frame in (polars.from_pandas(X), pyarrow.Table.from_pandas(X)):
        found = shapley_values(ensemble, frame[:40], frame[40:60])
        assert np.array_equal(found.values, wanted)


def test_background_must_have_rows(regressor, diabetes):
    X, _ = diabetes
    with pytest.raises(ValueError, match="background has no rows"):
        shapley_values(regressor.ensemble_, X, X[:0])
    assert shapley_values(regressor.ensemble_, X[:0], X).values.shape == (0, X.shape[1])


def test_separate_propositions_may_have_many_columns():
    """Their game is known: the columns that decide share the vote by their numbers."""
    names = tuple(f"x{j}" for j in range(20))
    condition = Condition(tuple(Proposition((name,), (1.0,), 0.5) for name in names))
    ensemble = RuleEnsemble(0.0, (Rule(condition, 1.0),), names, "squared")
    row, other = np.ones((1, 20)), np.ones((1, 20))
    other[0, :12] = 0  # only the row passes these twelve, and only the other the next three
    row[0, 12:15] = 0
    values = shapley_values(ensemble, row, other).values[0]
    np.testing.assert_allclose(values[:12], 1 / (12 * math.comb(15, 12)), rtol=1e-9)
    np.testing.assert_allclose(values[12:15], -1 / (3 * math.comb(15, 3)), rtol=1e-9)
    assert np.abs(values[15:]).max() < 1e-16


def test_refuses_more_columns_than_it_can_go_through():
    names = tuple(f"x{j}" for j in range(13))
    heavy = Condition((Proposition(names, (1.0,) * 13, 0.0),))
    ensemble = RuleEnsemble(0.0, (Rule(heavy, 1.0),), names, "squared")
    with pytest.raises(ValueError, match="weighs 13 columns"):
        shapley_values(ensemble, np.ones((1, 13)), np.zeros((1, 13)))


def test_asks_for_the_ensemble_of_an_estimator(regressor, diabetes):
    X, _ = diabetes
    with pytest.raises(TypeError, match=r"found LLTBoostRegressor: pass model\.ensemble_$"):
        shapley_values(regressor, X, X)


@pytest.fixture(scope="module")
def shap():
    import shap

    return shap


def explainers(shap, function, background):
    exact = shap.ExactExplainer(function, shap.maskers.Independent(background, len(background)))
    yield lambda X: exact(X).values
    kernel = shap.KernelExplainer(function, background)
    # By default it leaves out columns that matter little.
    yield lambda X: kernel.shap_values(X, silent=True, l1_reg=False)


def test_numbers_are_those_of_shap(shap, regressor, diabetes):
    X = diabetes[0].to_numpy()
    background = X[10:40]
    found = shapley_values(regressor.ensemble_, X[:8], background)
    for explainer in explainers(shap, regressor.ensemble_, background):
        np.testing.assert_allclose(found.values, explainer(X[:8]), rtol=0, atol=1e-9)


def test_log_odds_are_those_of_shap(shap, binary_classifier, iris):
    X = iris[0].to_numpy()
    background = X[::10]
    found = shapley_values(binary_classifier.ensemble_, X[5::30], background)
    # Not the decision function, which expects the names of the columns.
    for explainer in explainers(shap, binary_classifier.ensemble_, background):
        np.testing.assert_allclose(found.values, explainer(X[5::30]), rtol=0, atol=1e-9)


def test_scores_of_classes_are_those_of_shap(shap, classifier, iris):
    X = iris[0].to_numpy()
    background = X[::10]
    found = shapley_values(classifier.ensemble_, X[5::30], background)
    assert found.values.shape == (5, 4, 3)
    for explainer in explainers(shap, classifier.ensemble_, background):
        np.testing.assert_allclose(found.values, explainer(X[5::30]), rtol=0, atol=1e-9)


def test_propositions_with_and_without_common_columns_are_those_of_shap(shap):
    linked = Condition(
        (
            Proposition(("a", "b"), (1.0, 2.0), 0.0),
            Proposition(("d",), (1.0,), -0.5),
            Proposition(("c", "e"), (1.0, -1.0), -1.0),
            Proposition(("b", "c"), (-1.0, 1.0), -0.5),
        )
    )
    ensemble = RuleEnsemble(0.5, (Rule(linked, 2.0),), ("a", "b", "c", "d", "e"), "squared")
    X = np.random.default_rng(0).normal(size=(30, 5))
    found = shapley_values(ensemble, X[:9], X[9:])
    assert (found.values != 0).any(axis=0).all()
    for explainer in explainers(shap, ensemble, X[9:]):
        np.testing.assert_allclose(found.values, explainer(X[:9]), rtol=0, atol=1e-9)


def test_votes_of_the_rules_are_those_of_shap(shap, regressor, diabetes):
    """For a table of rules instead of columns, the model is linear."""
    X, _ = diabetes
    weights = np.array([rule.vote for rule in regressor.ensemble_])
    covered = regressor.transform(X)
    linear = shap.LinearExplainer(
        (weights, regressor.ensemble_.offset), shap.maskers.Independent(covered, len(covered))
    )
    votes = regressor.explain(X).contributions
    np.testing.assert_allclose(votes - votes.mean(axis=0), linear(covered).values, atol=1e-9)


def test_plots_of_shap_take_them(shap, classifier, regressor, patients, diabetes, iris):
    X, y = patients
    mixed = LLTBoostClassifier(max_rules=4, selection=None).fit(X, y).ensemble_
    explanation = shapley_values(mixed, X, X[:20]).to_shap()
    assert explanation.data[0, 1] == X["group"][0]
    shap.plots.waterfall(explanation[1], show=False)
    X, _ = diabetes
    explanation = shapley_values(regressor.ensemble_, X, X[:20]).to_shap()
    assert explanation.feature_names == list(X.columns)
    assert np.array_equal(explanation.data, X.to_numpy(dtype=float))
    array = X.to_numpy()
    assert shapley_values(regressor.ensemble_, array, array[:20]).to_shap().data is array
    np.testing.assert_allclose(
        explanation.base_values + explanation.values.sum(axis=1), regressor.predict(X)
    )
    shap.plots.beeswarm(explanation, show=False)
    shap.plots.scatter(explanation[:, "bmi"], show=False)
    X, _ = iris
    explanation = shapley_values(classifier.ensemble_, X, X[::10]).to_shap()
    assert explanation.output_names == ["setosa", "versicolor", "virginica"]
    assert explanation.base_values.shape == (150, 3)
    shap.plots.bar(explanation[:, :, "virginica"], show=False)


def test_columns_that_a_frame_lacks_are_shown_as_missing(shap, diabetes):
    X, _ = diabetes
    heavy = Rule(Condition((Proposition(("bmi",), (1.0,), 30.0),)), 1.0)
    ensemble = RuleEnsemble(0.0, (heavy,), tuple(X.columns), "squared")
    explanation = shapley_values(ensemble, X[["bmi"]], X).to_shap()
    assert np.isnan(explanation.data).all(axis=0).tolist() == [n != "bmi" for n in X.columns]


def test_names_the_extra(monkeypatch, regressor, diabetes):
    X, _ = diabetes
    found = shapley_values(regressor.ensemble_, X[:1], X[:2])
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"pip install .*\[shap\]"):
        found.to_shap()


def test_no_rules_no_values():
    ensemble = RuleEnsemble(2.0, (Rule(Condition(), 1.0),), ("a", "b"), "squared")
    found = shapley_values(ensemble, np.ones((3, 2)), np.zeros((1, 2)))
    assert found.base == 3.0
    assert (found.values == 0).all()
    assert replace(found, base=1.0).total().tolist() == [1.0, 1.0, 1.0]
