import base64
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from synthetic_results import curve, repeated, written

from sorb.lab import report
from sorb.lab.figures.picture import Picture, new_figure
from sorb.lab.tables import TABLES

FACTS = {
    "configuration": "smoke",
    "command": "sorb lab run smoke --jobs 2",
    "machine": "a <fast> processor & more",
    "settings": {"reg_lambdas": [0.1, 1.0], "folds": 5},
    "libraries": {"numpy": "2.0"},
}
VOID = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Collects what a page refers to, and checks that its elements are closed in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.sources, self.texts = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.sources += [attributes["src"]] if "src" in attributes else []
        if tag == "img":
            assert attributes["alt"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    points = [(4, 0.7), (10, 0.4), (30, 0.2)]
    units = {
        **repeated("iris", "LLTB", [points, points]),
        **repeated("iris", "TGB", [[(9, 0.6)]]),
        ("iris", "<b>mine</b>", 0): curve("iris", points, model="if a < b & c"),
        ("iris", "EBM", 1): [{"failure": "ValueError: <script>alert(1)</script>"}],
    }
    results = written(tmp_path_factory.mktemp("run"), units)
    results.write_facts(FACTS)
    return results


@pytest.fixture(scope="module")
def text(run):
    path = report.write_report(run, run.folder / "new" / "report.html")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(text):
    reader = Reader()
    reader.feed(text)
    assert not reader.open
    return reader


def test_the_page_needs_nothing_else(text, page):
    assert all(source.startswith("data:image/") for source in page.sources)
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"<(script|link|iframe)|@import|url\(|https?://", text)


def test_contents_lead_to_sections(page):
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert {"figure-risk_cv", "table-complexity_cv", "table-wins", "failures"} <= set(page.ids)


def test_what_users_wrote_is_text(text, page):
    assert "<script>" not in text
    assert "<b>mine</b>" not in text
    whole = "".join(page.texts)
    assert "<script>alert(1)</script>" in whole
    assert "a <fast> processor & more" in whole
    assert "<b>mine</b>" in whole


def test_tables_show_our_numbers_and_the_papers(run, text):
    table = TABLES["complexity_cv"](run.table())
    cell = table.cell("50 %", "iris", "LLTB")
    assert (cell.value, cell.paper, cell.best) == ("10", "12", True)
    assert "<b>10</b><small>[10, 10]</small><small>paper 12 ▼</small>" in text


def test_facts_and_size_are_shown(page):
    whole = " ".join(" ".join(page.texts).split())
    assert "5 units: 4 methods on 1 datasets, up to 2 repetitions; 1 failed." in whole
    assert "sorb lab run smoke --jobs 2" in whole
    assert "settings: reg_lambdas 0.1, 1.0" in whole
    assert "libraries: numpy 2.0" in whole


def test_what_is_missing_is_listed(page):
    whole = "".join(page.texts)
    assert "there are no rules for synthetic" in whole
    assert "there are no results of path or bisection" in whole


def test_pictures_are_embedded_as_they_are(page):
    kind, _, data = page.sources[0].partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert b"<svg" in base64.b64decode(data)


def test_large_pictures_are_embedded_as_pixels(monkeypatch):
    monkeypatch.setattr(report, "LARGEST_SVG", 10)
    figure = new_figure(1.0, 1.0)
    kind, _, data = report._embed(Picture("p", "P", "", figure)).partition(";base64,")
    assert kind == "data:image/png"
    assert base64.b64decode(data).startswith(b"\x89PNG")


def test_a_run_without_facts_or_failures(run, monkeypatch):
    monkeypatch.setattr(report, "FIGURES", {})
    rows = run.table()
    rows = rows[rows["failure"].isna()]
    assert "<p>None.</p>" in report.page(rows[rows["method"] == "TGB"], {})


def test_without_jinja_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        report._template()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    from sorb.lab.figures.picture import settings

    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        settings()


def test_all_that_can_be_made_is_made_only_once():
    calls, told = [], []
    makers = {"a": lambda rows: calls.append(rows) or SimpleNamespace(name="a")}
    made, missing = report._make_all(makers, "rows", told.append)
    assert (len(made), missing, calls, told) == (1, [], ["rows"], [1])


def test_each_command_of_a_run_is_listed_by_itself():
    commands = [{"command": "sorb lab run a", "jobs": 1}, {"command": "sorb lab run b", "jobs": 2}]
    assert dict(report._flatten({"commands": commands})) == {
        "commands 1: command": "sorb lab run a",
        "commands 1: jobs": "1",
        "commands 2: command": "sorb lab run b",
        "commands 2: jobs": "2",
    }


def test_progress_is_reported(run, monkeypatch):
    figures = {"plain": lambda rows: Picture("plain", "A", "B", new_figure(1.0, 1.0))}
    monkeypatch.setattr(report, "FIGURES", figures)
    told = []
    report.page(run.table(), {}, lambda *news: told.append(news))
    assert told == [(k, len(TABLES) + 1) for k in range(1, len(TABLES) + 2)]
