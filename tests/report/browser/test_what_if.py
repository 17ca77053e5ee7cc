"""The section What if: controls, rows of the table, and what is predicted."""

import os
import re

import numpy as np
import pandas as pd
import pytest
from export.corpus import finite_scores, random_cases
from report.browser.pages import page_data, page_file, write_page
from report.models import fitted

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.report import report
from sorb.rules.prediction import class_probabilities, predicted_labels

# `make test-page` tries 200; the usual tests fewer.
N_MODELS = int(os.environ.get("SORB_PAGE_MODELS", "12"))
N_ROWS = 8

# Types the number of each row, and reads what is shown with all its digits.
SHOWN_FOR = """(rows) => {
  const part = document.querySelector("#what-if");
  part.querySelector(".controls").scrollIntoView({ behavior: "instant" });
  const number = part.querySelector("input[type=number]");
  const kinds = part.querySelector(".actions select");
  return rows.map(([row, split]) => {
    if (kinds) kinds.value = split;
    number.value = row;
    number.dispatchEvent(new Event("change"));
    const shown = [...part.querySelectorAll(".verdict data")].map(({ value }) => Number(value));
    return { shown, decided: part.querySelector(".verdict p b")?.textContent };
  });
}"""

# Every change of one variable that is shown for a row: the button to try it, and its text.
CHANGES_FOR = """async (row) => {
  const part = document.querySelector("#what-if");
  const number = part.querySelector("input[type=number]");
  number.value = row;
  number.dispatchEvent(new Event("change"));
  await new Promise((done) => setTimeout(done, 200));
  return [...part.querySelectorAll(".flips li")].map((line) =>
    [line.querySelector("button").id, line.querySelector("span").textContent]);
}"""
CHANGE = re.compile(r"(\w+): \S+ → (\S+) turns")


def expected(ensemble, table):
    """What Python predicts: for each row one number, or a probability for each class."""
    scores = ensemble(table)
    if not ensemble.loss.has_classes:
        return np.reshape(ensemble.loss.mean(scores), (-1, 1))
    return class_probabilities(ensemble.loss, ensemble.classes, scores)


def compare(found, wanted, labels):
    for answer, row, label in zip(found, wanted.tolist(), labels, strict=True):
        first, *every = answer["shown"]
        if len(row) > 2:
            np.testing.assert_allclose(every, row, rtol=1e-15)
            assert first == max(every)
            assert answer["decided"] == str(label)
        else:
            np.testing.assert_allclose(first, row[-1], rtol=1e-15)


@pytest.mark.parametrize("kind", ["binary", "classes", "squared", "poisson"])
def test_rows_are_predicted_as_in_python(opened, kind):
    page, example = opened(page_file(kind)), fitted(kind)
    table = example.test[0].reset_index(drop=True)
    found = page.tab.evaluate(SHOWN_FOR, [[number, "test"] for number in range(len(table))])
    ensemble = example.estimator.ensemble_
    compare(found, expected(ensemble, table), example.estimator.predict(table))


def outcomes_for(ensemble, n):
    """Some outcomes that suit the model."""
    if ensemble.loss.has_classes:
        return np.resize(np.array(ensemble.classes or (0, 1), dtype=object), n)
    return np.resize([1.0, 2.0, 3.0], n)


def random_pages():
    """Random models with pages of a few rows, among which there are different outcomes."""
    for k, case in enumerate(filter(finite_scores, random_cases())):
        table = case.table.head(N_ROWS)
        y = outcomes_for(case.ensemble, len(table))
        if len(set(y)) > 1:
            yield case, table, write_page(f"random-{k}", report(case.ensemble, table, y).data)


def test_random_models_predict_as_in_python(opened):
    tried = 0
    for case, table, path in random_pages():
        page = opened(path)
        sure = [i for i in case.sure if i < len(table)]
        found = page.tab.evaluate(SHOWN_FOR, [[i, "training"] for i in sure])
        labels = [None] * len(table)
        if case.ensemble.loss.has_classes:
            labels = predicted_labels(case.ensemble.classes, case.ensemble(table))
        compare(found, expected(case.ensemble, table)[sure], [labels[i] for i in sure])
        page.context.close()
        tried += 1
        if tried == N_MODELS:
            break
    assert tried == N_MODELS


def test_controls_set_values_and_missing(opened):
    page, ensemble = opened(page_file("binary")), fitted("binary").estimator.ensemble_
    columns = {column["name"]: column for column in page_data("binary")["columns"]}
    values = {"age": 63, "weight": None, "height": 1.8, "group": "AB"}
    for name, value in values.items():
        control = page.find(f"#what-if .control[data-name={name}]")
        if control.count() == 0:
            values[name] = columns[name]["typical"]
        elif value is None:
            control.locator("input[type=checkbox]").check()
        elif isinstance(value, str):
            label = control.locator("option", has_text=f"{value} (").first.inner_text()
            control.locator("select").select_option(label=label)
        else:
            control.locator("input[type=number]").fill(str(value))
    table = pd.DataFrame([values])
    shown = page.find("#what-if .verdict data").first.get_attribute("value")
    np.testing.assert_allclose(float(shown), expected(ensemble, table)[0, 1], rtol=1e-15)


def test_smallest_changes_change_what_python_predicts(opened):
    """Also where values are far from zero beside their range, or their range is wide."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "near": 1e6 + rng.normal(size=200).round(3),
            "time": 1.72e12 + rng.integers(0, 10**9, 200),
            "skewed": rng.lognormal(1, 3, 200),
        }
    )
    rules = [
        Rule(Condition((Proposition((name,), (1.0,), float(table[name].iloc[0])),)), vote)
        for name, vote in (("near", 1.0), ("time", 0.9), ("skewed", 0.8))
    ]
    ensemble = RuleEnsemble(-1.35, rules, tuple(table.columns), "logistic", ("no", "yes"))
    page = opened(write_page("far", report(ensemble, table, ["no", "yes"] * 100, cutoff=0.5).data))
    decisions = 0
    for number in range(1, 13):
        before = table.iloc[[number]]
        changes = page.tab.evaluate(CHANGES_FOR, number)
        assert len(changes) == 3
        for place, text in changes:
            name, value = CHANGE.match(text).groups()
            after = before.assign(**{name: float(value)})
            turned = [rule.condition(before)[0] != rule.condition(after)[0] for rule in ensemble]
            assert any(turned), text
            decides = ensemble.predict(before)[0] != ensemble.predict(after)[0]
            assert decides == place.endswith("decision"), text
            decisions += decides
    assert decisions > 12
