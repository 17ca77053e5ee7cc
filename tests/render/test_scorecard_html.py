"""The page to print: it says what the card says, loads nothing, and fits on a sheet."""

import datetime
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from hostile_names import HTML, NAMES
from render.cards import bank_card, card, ensemble, named

from sorb.render import scorecard_page
from sorb.rules.notation import printable

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
VOID = {"meta", "br"}


class Page(HTMLParser):
    """The tags with their attributes, and the text of each cell; tags must be balanced."""

    def __init__(self, document):
        super().__init__()
        self.tags, self.open, self.cells, self.text = [], [], [], ""
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        elif tag in ("td", "th"):
            self.cells[-1].append("")
        elif tag == "br":
            self.handle_data(" ")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            return
        self.text += data
        if {"td", "th"} & set(self.open):
            self.cells[-1][-1] += data

    def count(self, name):
        return sum(attributes.get("class") == name for _, attributes in self.tags)


def test_each_line_has_a_box_its_points_and_room_to_write():
    made = card()
    page = Page(scorecard_page(made))
    assert page.count("box") == len(made.lines) == 4
    assert page.count("write") == 5
    assert [row[1:3] for row in page.cells[1:5]] == [
        ["age ≥ 45 and weight / height² ≥ 26 kg/m²", "4"],
        ["group not in {A, AB} *", "1"],
        ["weight < 60 kg *", "1"],
        ["age > 30 or height > 1.8 m *", "1"],
    ]


def test_each_total_has_its_probability_and_what_was_observed():
    made = card()
    cells = [row for row in Page(scorecard_page(made)).cells if len(row) in (3, 4)]
    for line in made.total_lines():
        expected = [line.total, line.probability, "", *([line.observed] if line.lines else [])]
        assert expected in cells


def test_page_says_what_it_is_about():
    page = scorecard_page(card(), "Risk", "For adults & others.", datetime.date(2026, 2, 3))
    text = Page(page).text
    assert "<h1>Risk</h1>" in page
    assert "For adults & others." in text
    assert "the more likely yes rather than no" in text
    assert re.search(r"Made from 300 rows, \d+ of them yes. 2026-02-03.", text)
    assert all(note in text for note in card().notes())
    assert card().cost.decisions() in text
    assert "<caption>On " in page
    assert "without rows" in Page(scorecard_page(ensemble().scorecard())).text


def test_scores_start_where_everyone_starts():
    made = bank_card()
    page = Page(scorecard_page(made))
    assert ["", "Everyone starts with", str(made.start), ""] in page.cells
    assert "odds of 50 to 1 for no against yes" in page.text


def test_nothing_is_loaded():
    page = scorecard_page(card())
    tags = Page(page).tags
    names = {name for _, attributes in tags for name in attributes}
    assert names <= {
        "class", "style", "rowspan", "colspan", "charset", "name", "content", "http-equiv", "lang",
    }  # fmt: skip
    assert {tag for tag, _ in tags}.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("name", [*HTML, *NAMES[::5]])
def test_hostile_names_stay_text(name):
    made = named(name)
    page = Page(scorecard_page(made, name or None, name))
    assert printable(name) in page.text
    plain = Page(scorecard_page(card()))
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags} | {"br"}


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser: apt-get install chromium")
@pytest.mark.parametrize("made", [card, bank_card])
def test_a_browser_prints_it_on_one_sheet(made, tmp_path):
    page, pdf = tmp_path / "card.html", tmp_path / "card.pdf"
    page.write_text(scorecard_page(made()), "utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    profile = [f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={pdf}", page.as_uri()]
    subprocess.run([*command, *profile], check=True, capture_output=True, timeout=60)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes())) == 1
