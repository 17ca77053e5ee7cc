"""The same pages in Firefox."""

import json

import numpy as np
import pandas as pd
import pytest
from report.browser.firefox import FIREFOX, Firefox
from report.browser.pages import HOW_TO, page_data, page_file
from report.browser.predictions import check_random_models, check_test_rows, expected
from report.models import KINDS, fitted

from sorb import RuleEnsemble
from sorb.editing import EditLog

HOME, RIGHT = "\ue011", "\ue014"


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    if FIREFOX is None:
        pytest.skip(HOW_TO)
    browser = Firefox(tmp_path_factory.mktemp("firefox"))
    yield browser
    browser.close()


@pytest.fixture
def opened(firefox):
    """Open pages, none of which may cause an error."""

    def open_page(path):
        firefox.open(path)
        return firefox

    yield open_page
    assert firefox.faults() == []


@pytest.fixture
def ask(opened):
    def answer(path, function, argument):
        page = opened(path)
        found = page.evaluate(function, argument)
        assert page.faults() == []
        return found

    return answer


def test_the_guard_sees_errors_and_scripts_that_are_not_the_page_s_own(firefox, tmp_path):
    text = page_file("binary").read_text(encoding="utf-8")
    path = tmp_path / "hurt.html"
    path.write_text(text.replace("</body>", "<script>alert(1)</script></body>"), encoding="utf-8")
    firefox.open(path)
    assert "Content-Security-Policy" in " ".join(firefox.faults())
    path.write_text(text.replace('id="data">', 'id="data">A'), encoding="utf-8")
    firefox.open(path)
    assert firefox.faults()


@pytest.mark.parametrize("kind", KINDS)
def test_all_rules_are_drawn(opened, kind):
    page, data = opened(page_file(kind)), page_data(kind)
    assert page.text("h1") == "A model of outcome"
    assert page.count("#model ol.rules > li") == data["sizes"][data["chosen"]]["n_rules"]


@pytest.mark.parametrize("kind", ["binary", "classes", "squared", "poisson"])
def test_rows_are_predicted_as_in_python(ask, kind):
    check_test_rows(kind, ask)


def test_random_models_predict_as_in_python(ask):
    check_random_models(ask)


def test_a_control_sets_a_value(opened):
    page, ensemble = opened(page_file("binary")), fitted("binary").estimator.ensemble_
    values = {column["name"]: column["typical"] for column in page_data("binary")["columns"]}
    page.fill("#what-if .control[data-name=age] input[type=number]", "63")
    page.click("#what-if .control[data-name=weight] input[type=checkbox]")
    table = pd.DataFrame([values | {"age": 63, "weight": None}])
    shown = page.evaluate("() => Number(document.querySelector('#what-if .verdict data').value)")
    np.testing.assert_allclose(shown, expected(ensemble, table)[0, 1], rtol=1e-15)


def test_the_dial_follows_keys(opened):
    page, data = opened(page_file("binary")), page_data("binary")
    stops = sorted({size["complexity"]: size["n_rules"] for size in data["sizes"]}.items())
    key = HOME
    for _, n_rules in stops:
        page.press("#size input[type=range]", key)
        assert page.count("#model ol.rules > li") == n_rules
        key = RIGHT


@pytest.mark.parametrize("kind", ["binary", "squared"])
def test_a_dropped_rule_is_refitted_as_in_python(opened, kind):
    page, example = opened(page_file(kind)), fitted(kind)
    page.click("#change select option[value='1']")
    page.click("#kind-drop")
    page.fill("#change .signature div:nth-child(1) input", "C. Ode")
    page.fill("#change .signature div:nth-child(2) input", "tried")
    page.click("#change .main-action")
    assert page.text("#change .preview").startswith("Done. ")
    log, ensemble = page.download("#save-log", "changes.json"), example.estimator.ensemble_
    found = RuleEnsemble.from_json(page.download("#save-model", "edited-model.json"))
    (change,) = EditLog.from_json(log, ensemble).changes
    python = ensemble.edited([change], *example.training, reg_lambda=json.loads(log)["reg_lambda"])
    assert len(found) == len(ensemble) - 1
    np.testing.assert_allclose(
        found.offsets_and_votes, python.ensemble.offsets_and_votes, rtol=1e-6, atol=1e-6
    )
    assert ensemble.edited(EditLog.from_json(log, ensemble), *example.training).ensemble == found
