"""The section What if: controls, rows of the table, and what is predicted."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from report.browser.pages import page_data, page_file, write_page
from report.browser.predictions import check_random_models, check_test_rows, expected
from report.models import fitted

from sorb import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.report import report

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


@pytest.fixture
def ask(opened):
    """Open a page for a single question."""

    def answer(path, function, argument):
        page = opened(path)
        found = page.tab.evaluate(function, argument)
        page.context.close()
        return found

    return answer


@pytest.mark.parametrize("kind", ["binary", "classes", "squared", "poisson"])
def test_rows_are_predicted_as_in_python(ask, kind):
    check_test_rows(kind, ask)


def test_random_models_predict_as_in_python(ask):
    check_random_models(ask)


@pytest.mark.parametrize("kind", ["binary", "classes", "squared"])
def test_the_votes_for_what_is_shown_add_up_as_they_are_written(opened, kind):
    page = opened(page_file(kind))
    for _ in range(12):
        page.find("#what-if button", has_text="Next").click()
        texts = page.tab.evaluate("""() =>
          [...document.querySelectorAll(".waterfall tbody tr > :nth-child(3)")]
            .map((cell) => cell.textContent.replace("−", "-")).filter((text) => text !== "")""")
        *votes, total = map(Decimal, texts)
        is_rounded = "rounded" in page.find(".waterfall .total").inner_text()
        assert (sum(votes) != total) == is_rounded
        assert len({len(text.partition(".")[2]) for text in texts}) == 1


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


def test_what_was_never_missing_can_be_set_where_it_is(opened):
    model = RuleEnsemble(
        -1.0,
        (Rule(Condition((Proposition(("x0",), (1.0,), 5.0),)), 2.0),),
        ("x0",),
        "logistic",
        ("no", "yes"),
    )
    X = np.arange(20.0)[:, None]
    data = report(model, X, ["no", "yes"] * 10, X_test=np.array([[np.nan]]), y_test=["no"]).data
    page = opened(write_page("never-missing", data))
    page.find("#what-if button", has_text="Next").click()
    page.find("#what-if", has_text="It was never missing in training.").wait_for()
    page.find("#what-if .controls input[type=number]").fill("7")
    assert page.find("#what-if .verdict data").get_attribute("value") == str(1 / (1 + np.exp(-1)))


def test_a_category_that_training_never_had_is_shown(opened):
    rule = Rule(Condition((Membership("paint", ("red",)),)), 2.0)
    model = RuleEnsemble(-1.0, (rule,), ("paint",), "logistic", ("no", "yes"))
    X, X_test = pd.DataFrame({"paint": ["red", "blue"] * 10}), pd.DataFrame({"paint": ["purple"]})
    data = report(model, X, ["no", "yes"] * 10, X_test=X_test, y_test=["no"]).data
    page = opened(write_page("never-seen", data))
    page.find("#what-if select[aria-label='Kind of row']").select_option("test")
    number = page.find("#what-if input[type=number]").first
    number.fill("0")
    number.blur()
    page.settle()
    menu, chosen = page.find("#what-if .controls select"), "option:checked"
    answer = page.find("#what-if .verdict data")
    assert menu.locator(chosen).inner_text() == "purple (never in training)"
    assert answer.get_attribute("value") == str(1 / (1 + np.exp(1)))
    menu.select_option(label="red (50 %)")
    page.settle()
    assert menu.locator("option").count() == 2
    assert answer.get_attribute("value") == str(1 / (1 + np.exp(-1)))


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
