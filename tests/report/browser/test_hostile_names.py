"""Names of columns, categories, classes and titles that try to be markup or script."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hostile_names import NAMES
from report.browser.pages import write_page

from sorb import Condition, Membership, Proposition, Rule, RuleEnsemble
from sorb.report import report

TITLE = '</title><script>alert(1)</script><img src=x onerror="alert(2)">'
CLASSES = ("</script><script>alert(3)</script>", "<img src=x onerror=alert(4)>")
CATEGORIES = tuple(name for name in NAMES if name.strip() and len(name) < 50)
KIND = "<svg onload=alert(5)>"
WITHIN = 3

MISSING = """(names) => {
  const text = document.querySelector("main").textContent;
  return names.filter((name) => !text.includes(name));
}"""
STARTS = """() => [...document.querySelectorAll("#model .axis-label")]
  .map((label) => label.getBBox().x)"""


@cache
def hostile_page():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, len(NAMES))), columns=NAMES)
    X[KIND] = np.resize(np.array(CATEGORIES, dtype=object), len(X))
    rules = [
        Rule(Condition((Proposition(chosen, (1.0,) * len(chosen), 0.0),)), 0.1)
        for start in range(0, len(NAMES), WITHIN)
        for chosen in [tuple(NAMES[start : start + WITHIN])]
    ]
    rules.append(Rule(Condition((Membership(KIND, CATEGORIES[:40]),)), 0.5))
    ensemble = RuleEnsemble(-1.0, rules, tuple(X.columns), "logistic", CLASSES)
    y = rng.choice(np.array(CLASSES, dtype=object), len(X))
    return write_page("hostile", report(ensemble, X, y, title=TITLE, target="<b>y</b>").data)


@cache
def wide_page():
    names = ("W" * 60, "M" * 60)
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=names)
    rule = Rule(Condition((Proposition(names, (1.0, 1.0), 0.0),)), 1.0)
    ensemble = RuleEnsemble(0.0, [rule], names, "squared")
    return write_page("wide", report(ensemble, X, X[names[0]]).data)


def test_names_stay_text(opened):
    page = opened(hostile_page())
    assert page.find("h1").text_content() == TITLE
    assert page.tab.title() == TITLE
    assert page.find("script").count() == 2
    assert page.find("img, iframe, object, embed, b b, svg[onload]").count() == 0
    assert page.tab.evaluate(MISSING, [*NAMES, *CLASSES, KIND]) == []
    labels = page.tab.evaluate(MISSING, list(CATEGORIES))
    assert labels == []


def test_names_stay_text_while_the_page_is_used(opened):
    page = opened(hostile_page())
    page.find("#what-if button", has_text="Next").click()
    page.settle()
    assert page.change("drop", 0, author=TITLE, reason=CLASSES[0]).startswith("Done.")
    for summary in page.find("#change summary, #record summary").all():
        summary.click()
    assert TITLE in page.find("#change .log").text_content()
    assert page.find("script").count() == 2
    assert page.find("img").count() == 0


@pytest.mark.parametrize("width", [360, 1280])
def test_long_categories_are_broken(opened, width):
    kinds = np.array(["x" * 300, "y" * 300], dtype=object)
    X = pd.DataFrame({"kind": np.resize(kinds, 40)})
    first = Rule(Condition((Membership("kind", (kinds[0],)),)), 1.0)
    ensemble = RuleEnsemble(-0.5, (first,), ("kind",), "logistic", ("no", "yes"))
    page = opened(write_page("long", report(ensemble, X, ["no", "yes"] * 20).data), width=width)
    page.find("#what-if button", has_text="Next").click()
    page.find("#what-if .flips li").first.wait_for()
    assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("made", "n_labels"), [(hostile_page, 60), (wide_page, 1)])
def test_long_names_stay_within_their_pictures(opened, made, n_labels):
    page = opened(made(), width=360)
    for button in page.find("#all-rules").all():
        button.click()
    page.tab.evaluate("() => document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.settle()
    found = page.tab.evaluate(STARTS)
    assert len(found) > n_labels
    assert min(found) >= -2
