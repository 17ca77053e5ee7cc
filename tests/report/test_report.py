"""The data of whole pages: every loss, budgets, weights, missing values, and pages without rows."""

import json
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from report.models import KINDS, fit, fitted, large_page, small_table
from sklearn.metrics import log_loss

from sorb import (
    Condition,
    LLTBoostClassifier,
    LLTBoostRegressor,
    Membership,
    Proposition,
    Rule,
    RuleEnsemble,
)
from sorb.editing import DropRule
from sorb.report import report
from sorb.report.inline import page_html
from sorb.rules import ColumnExperience

NOTHING = {"comparison", "stability"}
# Room for methods, equal models and stability on a page.
COMPARISON = 10_000


def page_of(example, **options):
    (X, y), (X_test, y_test) = example.training, example.test
    return report(example.estimator, X, y, X_test=X_test, y_test=y_test, compare=False, **options)


@cache
def data_of(kind):
    return page_of(fitted(kind)).data


@pytest.fixture
def data(example):
    return data_of(example.kind)


def test_every_part_of_the_page_is_there(example, data):
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text)["format"] == "sorb.report"
    assert data["n_rows"] == {"training": 180, "test": 60}
    for key, value in data.items():
        assert value is not None or key in NOTHING | {"scorecard"}, key
    assert (data["scorecard"] is not None) == (example.kind == "binary")
    assert len(data["sizes"]) <= 12
    chosen = data["sizes"][data["chosen"]]
    assert RuleEnsemble.from_json(json.dumps(chosen["model"])) == example.estimator.ensemble_


def test_risks_of_all_sizes_are_those_of_the_fit(example, data):
    for stage in example.estimator.stages_:
        point = next(p for p in data["curve"]["points"] if p["complexity"] == stage.complexity)
        assert math.isclose(point["training"], stage.train_risk, rel_tol=1e-9)
        if point["size"] is not None:
            size = data["sizes"][point["size"]]
            assert size["complexity"] == stage.complexity
            assert math.isclose(size["training_risk"], stage.train_risk, rel_tol=1e-9)
            assert math.isclose(size["test_risk"], point["test"], rel_tol=1e-9)


def test_sums_are_over_all_rows(data):
    for size in data["sizes"]:
        cells = size["cells"]
        assert sum(cells["training"]["n"]) == 180
        assert sum(cells["test"]["n"]) == 60
        assert all(len(signs) == cells["n_cells"] for signs in cells["levels"])
        by_column = {}
        for group in cells["subgroups"]:
            n = 0 if group["sums"] is None else sum(group["sums"]["n"])
            by_column.setdefault(group["column"], []).append((n, group["suppressed"]))
        for groups in by_column.values():
            total = sum(n for n, _ in groups)
            assert total == 60 or any(suppressed for _, suppressed in groups)


def test_loaded_rows_have_the_values_outcomes_and_cells_of_the_table(example, data):
    (X, y), (X_test, y_test) = example.training, example.test
    rows, chosen = data["rows"], data["sizes"][data["chosen"]]
    names = [column["name"] for column in data["columns"]]
    for place in range(0, len(rows["number"]), 7):
        table, outcome = (X_test, y_test) if rows["split"][place] == "test" else (X, y)
        number = rows["number"][place]
        for j, name in enumerate(names):
            value, expected = rows["values"][j][place], table[name].iloc[number]
            assert value == expected or (value is None and pd.isna(expected))
        told, expected = rows["outcome"][place], outcome.iloc[number]
        assert told == expected
        # The model scores the row as the levels of its cell say.
        score = np.array(example.estimator.ensemble_.offsets)
        for rule, view in zip(example.estimator.ensemble_, chosen["rules"], strict=True):
            covered = True
            for p in view["propositions"]:
                proposition = chosen["propositions"][p]
                sign = chosen["cells"]["levels"][p][rows["cell"][place]]
                known = sign != "?"
                level = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".find(sign)
                missing = proposition["document"].get("missing", False)
                covered &= level > (proposition["own"] or 0) if known else missing
            score[rule.output] += rule.vote * covered
        found = example.estimator.ensemble_(table.iloc[[number]])
        np.testing.assert_allclose(score, np.ravel(found), rtol=1e-9)


def test_the_penalty_is_the_one_that_explains_the_votes(example, data):
    X, y = example.training
    chosen = data["sizes"][data["chosen"]]
    edited = example.estimator.ensemble_.edited([DropRule(0)], X, y)
    assert math.isclose(edited.reg_lambda, chosen["reg_lambda"], rel_tol=1e-2, abs_tol=1e-2)


def test_the_cutoff_and_the_words_are_those_of_the_measures(binary):
    data = page_of(binary).data
    share = float((binary.training[1] == "well").mean())
    assert data["outcome"]["class_names"] == ["ill", "well"]
    assert math.isclose(data["outcome"]["cutoff"], share, rel_tol=1e-6)
    assert data["outcome"]["cutoff_reason"] == "the share of well in the training rows"
    assert page_of(binary, cutoff=0.2).data["outcome"]["cutoff"] == 0.2


def test_weights_and_rows_of_weight_zero(binary):
    X, y = binary.training
    weight = np.resize([0.5, 2.0, 1.0, 0.0], len(y))
    model = LLTBoostClassifier(max_rules=2, selection=None, effort="low").fit(X, y, weight)
    data = report(model, X, y, weight).data
    assert data["n_rows"]["training"] == (weight > 0).sum()
    chosen = data["sizes"][data["chosen"]]
    assert math.isclose(sum(chosen["cells"]["training"]["w"]), weight.sum())
    assert math.isclose(chosen["training_risk"], model.stages_[-1].train_risk, rel_tol=1e-9)
    assert set(data["rows"]["number"]) == set(np.flatnonzero(weight).tolist())


def test_class_weights_count_in_training_sums_and_on_the_curve(binary):
    (X, y), (X_test, y_test) = binary.training, binary.test
    model = LLTBoostClassifier(
        max_rules=2, selection=None, effort="low", class_weight={"ill": 3.0}
    ).fit(X, y)
    data = report(model, X, y, X_test=X_test, y_test=y_test, compare=False).data
    point, chosen = data["curve"]["points"][-1], data["sizes"][data["chosen"]]
    probabilities, weight = model.predict_proba(X_test), np.where(y_test == "ill", 3.0, 1.0)
    assert math.isclose(point["test"], log_loss(y_test, probabilities, sample_weight=weight))
    assert math.isclose(chosen["test_risk"], log_loss(y_test, probabilities))
    assert math.isclose(chosen["training_risk"], model.stages_[-1].train_risk, rel_tol=1e-9)
    assert any("Classes were weighted" in note for note in data["notes"])


@pytest.mark.parametrize("class_weight", ["balanced", {"ill": 3.0}])
def test_a_saved_model_counts_class_weights_as_its_fit_does(class_weight, binary):
    (X, y), (X_test, y_test) = binary.training, binary.test
    settings = {"selection": None, "effort": "low", "class_weight": class_weight}
    fit = LLTBoostClassifier(max_rules=2, **settings).fit(X, y)
    saved = RuleEnsemble.from_json(fit.ensemble_.to_json())
    pages = [
        report(each, X, y, X_test=X_test, y_test=y_test, compare=False).data
        for each in (fit, fit.recalibrate(X, y), saved, fit.recalibrate(X, y).ensemble_)
    ]
    of_fit, recalibrated, of_saved, saved_recalibrated = (
        page["sizes"][page["chosen"]] for page in pages
    )
    for ours, theirs in ((of_saved, of_fit), (saved_recalibrated, recalibrated)):
        assert ours["class_weights"] == theirs["class_weights"]
        assert ours["training_risk"] == pytest.approx(theirs["training_risk"], rel=1e-9)
        assert ours["test_risk"] == pytest.approx(theirs["test_risk"], rel=1e-9)
    assert of_saved["reg_lambda"] == pytest.approx(of_fit["reg_lambda"], rel=1e-4)
    curves = [page["curve"]["points"][-1]["test"] for page in (pages[0], pages[2])]
    assert curves[0] == pytest.approx(curves[1], rel=1e-9)
    assert pages[2]["outcome"]["cutoff"] == pytest.approx(pages[0]["outcome"]["cutoff"], rel=1e-9)
    assert pages[2]["outcome"]["cutoff_reason"] == pages[0]["outcome"]["cutoff_reason"]
    told = [[note for note in page["notes"] if "Classes" in note] for page in pages]
    assert told[2] == told[0] != []


def test_after_a_recalibration_rows_count_as_they_are(binary):
    X, y = binary.training
    model = LLTBoostClassifier(
        max_rules=2, selection=None, effort="low", class_weight={"ill": 3.0}
    ).fit(X, y)
    recalibrated = model.recalibrate(X, y)
    data = report(recalibrated, X, y).data
    chosen = data["sizes"][data["chosen"]]
    assert chosen["class_weights"] is None
    risk = log_loss(y, recalibrated.predict_proba(X))
    assert math.isclose(chosen["training_risk"], risk, rel_tol=1e-9)
    assert any("was recalibrated" in note for note in data["notes"])
    assert not any("Classes were weighted" in note for note in data["notes"])


def test_exposures():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 90, 150)})
    years = rng.uniform(0.2, 2, 150)
    y = rng.poisson(years * np.exp(0.03 * X.age - 1))
    model = LLTBoostRegressor(loss="poisson", max_rules=2, selection=None, effort="low")
    model.fit(X, y, exposure=years)
    data = report(model, X, y, exposure=years).data
    chosen = data["sizes"][data["chosen"]]
    assert math.isclose(sum(chosen["cells"]["training"]["w"]), years.sum(), rel_tol=1e-9)
    assert math.isclose(sum(chosen["cells"]["training"]["wy"]), y.sum(), rel_tol=1e-9)
    assert math.isclose(chosen["training_risk"], model.stages_[-1].train_risk, rel_tol=1e-9)


def test_a_saved_model_stands_beside_no_rules(example):
    X, y = example.training
    data = report(example.estimator.ensemble_, X, y).data
    assert [size["n_rules"] for size in data["sizes"]] == [0, len(example.estimator.ensemble_)]
    assert data["chosen"] == 1
    assert data["comparison"] is None


@pytest.mark.parametrize("kind", ["binary", "squared"])
def test_other_methods_and_equal_models_stand_beside_it(kind):
    example = fitted(kind)
    (X, y), (X_test, y_test) = example.training, example.test
    page = report(example.estimator, X, y, X_test=X_test, y_test=y_test)
    data = page.data
    alone = page_html({**data, "comparison": None, "stability": None})
    assert len(page.html) - len(alone) < COMPARISON
    names = [method["name"] for method in data["comparison"]["methods"]]
    assert names[:2] == ["sorb", "one column at a time"]
    assert names[2:] == ["logistic" if kind == "binary" else "linear", "tree", "gradient boosting"]
    own = data["comparison"]["methods"][0]
    assert [p["risk"] for p in own["points"]] == [p["test"] for p in data["curve"]["points"]]
    trees = [point["complexity"] for point in data["comparison"]["methods"][3]["points"]]
    assert trees == sorted(trees)
    for method in data["comparison"]["methods"]:
        assert len(method["measures"]) == len(data["comparison"]["measure_names"])
    for model in data["comparison"]["equal"]:
        assert RuleEnsemble.from_json(json.dumps(model["model"])) != example.estimator.ensemble_


def test_forty_rules_and_a_hundred_columns_stay_below_a_megabyte():
    assert len(large_page().html.encode()) < 1_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_an_ordinary_page_fits_into_an_email(kind):
    """Two thousand rows, most of them on the page; a comparison with other methods is added."""
    example = fit(kind, small_table(2000), max_complexity=50)
    page = page_of(example)
    assert len(page.data["rows"]["number"]) > 1000
    assert len(page.html) < 300_000 - COMPARISON


def test_what_is_refused(binary):
    X, y = binary.training
    with pytest.raises(ValueError, match="pass both X_test and y_test"):
        report(binary.estimator, X, y, X_test=X)
    with pytest.raises(ValueError, match="min_rows must be a whole number ≥ 2, found 1"):
        report(binary.estimator, X, y, rows=False, min_rows=1)
    with pytest.raises(TypeError, match="expected a RuleEnsemble"):
        report("model.json", X, y)


def test_a_notebook_shows_the_page_in_a_frame(binary, tmp_path):
    page = page_of(binary)
    page.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert page._repr_html_().count("<iframe") == 1
    assert "report.html" not in repr(page)


@pytest.mark.parametrize("min_rows", [5, 12])
def test_without_rows_nothing_is_told_of_few(example, min_rows):
    """Every count on the page is of at least so many rows, and no value of the table is on it."""
    data = page_of(example, rows=False, min_rows=min_rows).data
    assert data["rows"] is None
    assert data["min_rows"] == min_rows
    assert len(data["sizes"]) == 1
    (size,) = data["sizes"]
    groups = [g["sums"] for g in size["cells"]["subgroups"]]
    for sums in [size["cells"]["training"], size["cells"]["test"], *groups]:
        assert sums is not None
        assert "fold" not in sums
        assert min(sums["n"]) >= min_rows
    assert sum(size["cells"]["training"]["n"]) == 180
    counted = {0, *subset_sums(size["cells"]["training"]["n"])}
    assert all(rule["n"] in counted for rule in size["rules"])
    for residuals in data["evidence"]["residuals"]:
        assert all(count % min_rows == 0 for count in residuals["counts"])
    X, _ = example.training
    for column in data["columns"]:
        shares = [(column["missing_share"], 180)]
        shares += [
            (share, X[column["name"]].notna().sum()) for share in column.get("histogram", [])
        ]
        shares += [(category["share"], 180) for category in column.get("categories", [])]
        for share, total in shares:
            multiple = total * share / min_rows
            assert math.isclose(multiple, round(multiple), abs_tol=1e-3)
    assert all("experience" not in s["model"] for s in data["sizes"])
    assert all(p["projection"] is None for p in size["propositions"])


def test_without_rows_no_combination_of_few_rows_can_be_told(example):
    """Exact risks would tell how many rows with which outcomes were counted elsewhere."""
    data = page_of(example, rows=False).data
    (size,) = data["sizes"]
    cells = size["cells"]
    assert {*cells["training"]["cell"], *cells["test"]["cell"]} == {*range(cells["n_cells"])}
    exact = {stage.complexity: stage.train_risk for stage in example.estimator.stages_}
    for point in data["curve"]["points"]:
        assert point["training"] == float(f"{exact[point['complexity']]:.3g}")
        assert point["test"] == float(f"{point['test']:.3g}")
    if example.kind != "binary":
        return
    n, ill = (np.array(cells["test"][name]) for name in ("n", "wy"))
    scores = np.full(cells["n_cells"], size["model"]["offset"])
    signs = np.array([[*levels] for levels in cells["levels"]])
    for rule, view in zip(size["model"]["rules"], size["rules"], strict=True):
        covered = np.ones(len(scores), dtype=bool)
        for place in view["propositions"]:
            proposition = size["propositions"][place]
            missing = proposition["document"].get("missing", False)
            own = proposition["own"] or 0
            covered &= [missing if s == "?" else int(s, 36) > own for s in signs[place]]
        scores += rule["weight"] * covered
    score = scores[cells["test"]["cell"]]
    loss = ill @ np.logaddexp(0, -score) + (n - ill) @ np.logaddexp(0, score)
    assert math.isclose(size["test_risk"], loss / n.sum(), rel_tol=1e-9)


def test_without_rows_too_few_of_them_are_refused(binary):
    X, y = binary.training
    X_test, y_test = (part[:4] for part in binary.test)
    options = {"X_test": X_test, "y_test": y_test, "compare": False}
    report(binary.estimator, X, y, **options)
    with pytest.raises(ValueError, match="at least 5 of them, found 4 test rows"):
        report(binary.estimator, X, y, rows=False, **options)


def numbers_in(data):
    """All numbers of a document."""
    if isinstance(data, dict):
        return set().union(*map(numbers_in, data.values()))
    if isinstance(data, (list, tuple)):
        return set().union(*map(numbers_in, data))
    return {data} if isinstance(data, (int, float)) else set()


def subset_sums(counts):
    found = {0}
    for count in counts:
        found |= {known + count for known in found}
    return found


def test_without_rows_neither_a_gap_nor_a_category_of_few_rows_is_told():
    n = 40
    X = pd.DataFrame({"age": np.arange(n) * 1.5, "town": [f"town {k // 4}" for k in range(n)]})
    X.loc[7, "age"] = np.nan
    y = np.resize(["ill", "well"], n)
    old = Rule(Condition((Proposition(("age",), (1.0,), 30.0),)), 1.0)
    here = Rule(Condition((Membership("town", ("town 1",)),)), 1.0)
    seen = {"age": ColumnExperience(missing=True, range=(0.0, 58.5))}
    model = RuleEnsemble(0.0, (old, here), ("age", "town"), "logistic", ("ill", "well"))
    data = report(replace(model, experience=tuple(seen.items())), X, y, rows=False).data
    age, town = data["columns"]
    assert age["missing_share"] == 0
    assert not age["missing"]
    assert town["typical"] is None
    assert town["categories"] == []


def test_values_of_single_rows_are_not_on_a_page_without_rows(example):
    rng = np.random.default_rng(1)
    X, y = example.training
    marked = X.assign(weight=X.weight + rng.integers(1, 10**6, len(X)) * 1e-7)
    data = report(example.estimator, marked, y, rows=False).data
    told = numbers_in(data)
    assert not told & set(marked.weight.dropna().tolist())


@pytest.mark.parametrize("rows", [True, False])
def test_texts_of_which_rules_only_ask_whether_they_are_missing(rows):
    X = pd.DataFrame({"city": ["Rome", None, "Oslo"] * 20, "age": [40.0, 50.0, np.nan] * 20})
    gaps = (Membership(name, (), missing=True) for name in X)
    rules = [Rule(Condition((gap,)), 1.0) for gap in gaps]
    model = RuleEnsemble(0.0, rules, tuple(X), "logistic")
    data = report(model, X, [0, 1, 1] * 20, rows=rows).data
    assert {c["name"]: c["kind"] for c in data["columns"]} == {"city": "category", "age": "number"}


def test_outcomes_are_called_what_the_model_remembers(binary):
    (X, y), ensemble = binary.training, binary.estimator.ensemble_
    remembers = replace(ensemble, record=replace(ensemble.record, target="health"))
    assert report(remembers, X, y.to_numpy()).data["outcome"]["name"] == "health"
    assert report(remembers, X, y).data["outcome"]["name"] == "outcome"
