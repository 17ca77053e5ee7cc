"""The page as one file, which nothing in the data can break out of."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from report.page_text import data_in

import sorb.report
from sorb.report.inline import page_html

PAGE = Path(sorb.report.__file__).parent / "page"
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>",
    "@@script@@",
    "\u2028\u2029",
    "&lt;\"'",
    "\ud800",
    "${`}",
)


class Elements(HTMLParser):
    """The scripts, styles and attributes of a page as a browser reads them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.attributes = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), []))
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag):
        self.found.append(("text", {}, []))

    def handle_data(self, data):
        if self.found:
            self.found[-1][2].append(data)

    def of(self, tag):
        return [(attrs, "".join(data)) for name, attrs, data in self.found if name == tag]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_data_stay_data(text):
    data = {"title": text, "rows": [text], text: 1}
    page = page_html(data).encode("utf-8").decode("utf-8")
    assert data_in(page) == data
    (packed, _), (script, _) = Elements(page).of("script")
    assert (packed, script) == ({"type": "text/plain", "id": "data"}, {"type": "module"})


def test_the_policy_allows_this_script_and_style_alone():
    page = Elements(page_html({"title": ""}))
    policy = next(a["content"] for a, _ in page.of("meta") if "http-equiv" in a)
    for kind, text in (("script", page.of("script")[1][1]), ("style", page.of("style")[0][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy


def test_nothing_is_loaded_and_no_attribute_holds_a_script_or_a_style():
    page = Elements(page_html({"title": ""}))
    assert not {"src", "href", "style"} & set(page.attributes)
    assert not [name for name in page.attributes if name.startswith("on")]


def test_all_modules_are_in_the_script_without_imports():
    (_, (_, script)) = Elements(page_html({"title": ""})).of("script")
    assert not re.search(r"\b(import|export)\b[ {]", script)
    for path in PAGE.rglob("*.js"):
        for text in re.findall(r'"[\w ]{12,}"', path.read_text("utf-8")):
            assert text in script, path


def test_top_level_names_are_those_of_one_module():
    names = [
        name
        for path in PAGE.rglob("*.js")
        for name in re.findall(
            r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", path.read_text(), re.M
        )
    ]
    assert sorted(names) == sorted(set(names))


def test_code_and_style_leave_room_for_data():
    page = page_html({"title": ""})
    assert len(page.encode()) < 110_000
