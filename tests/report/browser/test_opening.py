"""Pages are opened from a file, without a network, and draw themselves."""

import numpy as np
import pytest
from report.browser.pages import OpenPage, page_data, page_file, write_page
from report.models import KINDS

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.report import report

SECTIONS = ["model", "size", "what-if", "change", "evidence", "comparison", "record"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_sections_are_drawn(opened, kind):
    page, data = opened(page_file(kind)), page_data(kind)
    assert [each.get_attribute("id") for each in page.find("main > section").all()] == SECTIONS
    assert page.find("h1").inner_text() == "A model of outcome"
    assert page.find("#model ol.rules > li").count() == data["sizes"][data["chosen"]]["n_rules"]


@pytest.mark.parametrize(("width", "columns"), [(390, 1), (1280, 2), (1920, 2)])
def test_four_charts_fill_their_lines(opened, width, columns):
    charts = opened(page_file("binary"), width=width).find("#evidence .charts > figure").all()
    assert len(charts) == 4
    assert len({chart.bounding_box()["x"] for chart in charts}) == columns


def test_a_class_may_be_rare_or_not_occur_in_test_rows(opened):
    X = np.arange(400.0)[:, None]
    high = Rule(Condition((Proposition(("x0",), (1.0,), 200.0),)), 0.3)
    model = RuleEnsemble(-5.0, (high,), ("x0",), "logistic", ("well", "ill"))
    rare = np.where(np.arange(400) % 200 == 7, "ill", "well")
    for name, test in {"rare": rare, "absent": ["well"] * 400}.items():
        data = report(model, X, rare, X_test=X, y_test=test).data
        page = opened(write_page(name, data))
        assert [each.get_attribute("id") for each in page.find("main > section").all()] == [
            each for each in SECTIONS if each != "comparison"
        ]
        assert page.change("drop", 0).startswith("Done.")


@pytest.mark.parametrize("scale", [1e300, 1e60, 1e-60, 1e-300])
def test_numbers_may_be_huge_or_tiny(opened, scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * [scale, 5e-323]
    X[0, 1] = 1e300
    X[1, 1] = -1e300
    votes = min(1e60, max(1e-60, scale))
    rules = [
        Rule(Condition((Proposition((name,), (1.0,), 0.0),)), vote)
        for name, vote in (("x0", votes), ("x1", votes / 2))
    ]
    model = RuleEnsemble(votes, rules, ("x0", "x1"), "squared")
    for number, table in enumerate((X, X[2:])):
        y = votes * rng.normal(size=len(table))
        page = opened(write_page(f"scale-{scale}-{number}", report(model, table, y).data))
        page.find("#what-if button", has_text="Next").click()
        assert page.change("drop", 0).startswith("Done.")
        page.settle()


def test_the_guard_sees_requests_errors_and_scripts_that_are_not_the_page_s_own(browser, tmp_path):
    text = page_file("binary").read_text(encoding="utf-8")
    hurt = "<img src='http://localhost/x.png'><script>alert(1)</script></body>"
    path = tmp_path / "hurt.html"
    path.write_text(text.replace("</body>", hurt), encoding="utf-8")
    page = OpenPage(browser, path)
    with pytest.raises(AssertionError, match="Content Security Policy"):
        page.close()


def test_pages_are_small():
    for kind in KINDS:
        assert page_file(kind).stat().st_size < 300_000
