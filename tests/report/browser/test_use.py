"""Reading by keyboard, by screen reader, on small screens and on paper."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report.browser.pages import HOW_TO, page_data, page_file, write_page
from report.models import large_page
from report.page_text import data_in

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.report import report

AXE = Path(__file__).parents[1] / "javascript" / "node_modules" / "axe-core" / "axe.min.js"
OPEN = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"
RUN_AXE = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await axe.run({ runOnly: tags });
  return violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html)]);
}"""
# What the Tab key must reach; of some radio buttons, the one that is chosen.
UNREACHED = """() => [...document.querySelectorAll(
  "a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((part) =>
  !part.disabled && part.checkVisibility({ visibilityProperty: true }) &&
  !(part.type === "radio" && !part.checked) && !("reached" in part.dataset))
  .map((part) => part.outerHTML.slice(0, 200))"""
REACHED = """() => {
  const part = document.activeElement;
  part.dataset.reached = "";
  const { width, height } = part.getBoundingClientRect();
  const isSeen = getComputedStyle(part).outlineStyle !== "none" && width > 0 && height > 0;
  return isSeen || part === document.body ? null : part.outerHTML.slice(0, 200);
}"""


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_violation(opened, width, colours):
    if not AXE.is_file():
        pytest.skip(HOW_TO)
    page = opened(page_file("binary"), width=width, color_scheme=colours)
    page.change("pin", 0, part=0.5)
    page.tab.evaluate(OPEN)
    page.settle()
    page.tab.evaluate(AXE.read_text(encoding="utf-8"))
    assert page.tab.evaluate(RUN_AXE) == []


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_is_wider_than_the_screen(opened, width):
    page = opened(page_file("classes"), width=width)
    page.tab.evaluate(OPEN)
    page.settle()
    assert page.tab.evaluate("() => document.documentElement.scrollWidth") <= width


def test_all_controls_are_reached_by_the_keyboard(opened):
    page = opened(page_file("binary"))
    page.change("drop", 0)
    page.settle()
    page.tab.evaluate("() => document.activeElement.blur()")
    controls = page.tab.evaluate(UNREACHED)
    assert len(controls) > 40
    unseen = []
    for _ in range(len(controls) + 5):
        page.tab.keyboard.press("Tab")
        unseen.append(page.tab.evaluate(REACHED))
    assert list(filter(None, unseen)) == []
    assert page.tab.evaluate(UNREACHED) == []


def test_the_ring_of_the_focus_is_not_on_a_button_of_its_colour(opened):
    page = opened(page_file("binary"))
    page.find("#change .signature input").last.focus()
    page.tab.keyboard.press("Tab")
    style = "(button) => getComputedStyle(button).outlineOffset"
    assert page.find("#change .main-action:focus-visible").evaluate(style) == "2px"


def test_the_dial_follows_keys_and_the_mouse(opened):
    page, data = opened(page_file("binary")), page_data("binary")
    stops = sorted({size["complexity"]: size["n_rules"] for size in data["sizes"]}.items())
    dial = page.find("#size input[type=range]")
    dial.focus()
    page.settle()
    place = dial.bounding_box()["y"]
    page.tab.keyboard.press("Home")
    for _, n_rules in stops:
        page.settle()
        assert page.find("#model ol.rules > li").count() == n_rules
        assert page.find("#size .dial-words b").first.inner_text().startswith(str(n_rules))
        assert f"{n_rules} rule" in dial.get_attribute("aria-valuetext")
        # However many rules there are above it, the dial stays below the hand.
        assert abs(dial.bounding_box()["y"] - place) < 50
        page.tab.keyboard.press("ArrowRight")
    page.settle()
    box = dial.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.tab.mouse.move(box["x"] + box["width"] - 8, middle)
    page.tab.mouse.down()
    page.tab.mouse.move(box["x"] + 2, middle, steps=5)
    page.tab.mouse.up()
    page.settle()
    assert page.find("#model ol.rules > li").count() == stops[0][1]


def test_nothing_moves_by_itself_for_who_dislikes_it(opened):
    scrolling = "() => getComputedStyle(document.documentElement).scrollBehavior"
    page = opened(page_file("binary"), reduced_motion="reduce")
    other = opened(page_file("binary"), reduced_motion="no-preference")
    for each, wanted in ((page, "auto"), (other, "smooth")):
        each.find("nav a").first.focus()
        assert each.tab.evaluate(scrolling) == wanted
    page.find("#size input[type=range]").press("ArrowLeft")
    assert page.tab.evaluate("() => document.getAnimations().length") == 0


@pytest.mark.parametrize("kind", ["binary", "classes", "squared"])
def test_two_pages_are_printed(opened, kind):
    page = opened(page_file(kind))
    page.change("drop", 0)
    page.settle()
    printed = page.tab.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) == 2


def test_eight_long_rules_and_their_evidence_are_printed_on_three_pages(opened):
    rng = np.random.default_rng(0)
    names = [
        f"a_very_long_name_of_a_measurement_of_a_laboratory_{k}_in_millimoles" for k in range(8)
    ]
    X = pd.DataFrame(rng.normal(size=(500, 8)).round(3), columns=names)
    conditions = [
        Condition(
            (
                Proposition((names[k], names[k - 1]), (1.0, -0.5), 0.1),
                Proposition((names[k - 3],), (1.0,), -0.4),
            )
        )
        for k in range(8)
    ]
    rules = tuple(Rule(each, 0.4 + 0.1 * k) for k, each in enumerate(conditions))
    model = RuleEnsemble(-1.2, rules, tuple(names), "logistic", ("no", "yes"))
    y = np.where(rng.logistic(size=500) < model(X), "yes", "no")
    data = report(model, X[:350], y[:350], X_test=X[350:], y_test=y[350:]).data
    page = opened(write_page("long-rules", data))
    page.settle()
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", page.tab.pdf(format="A4"))) == 3


def test_a_page_without_rows_can_be_used(opened):
    page = opened(page_file("binary", rows=False))
    assert page.find("#what-if button", has_text="Next").count() == 0
    assert page.change("drop", 0).startswith("Done.")
    assert data_in(page_file("binary", rows=False).read_text(encoding="utf-8"))["rows"] is None


def test_forty_rules_and_a_hundred_columns_can_be_used(opened):
    page = opened(write_page("large", large_page().data))
    assert page.find("#model ol.rules > li").count() == 40
    page.find("#all-rules").click()
    assert page.find("#model ol.rules > li:visible").count() == 40
    shown = page.find("#what-if .control:visible")
    assert shown.count() < 20
    page.find("#what-if input[type=search]").fill("x37")
    assert shown.count() == 1
    page.find("#what-if .control:visible input[type=number]").fill("2.5")
    assert page.change("drop", 7).startswith("Done.")
    page.settle()
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", page.tab.pdf(prefer_css_page_size=True))) >= 2
