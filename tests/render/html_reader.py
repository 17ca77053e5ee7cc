"""HTML tables, read by the parser of the standard library."""

from html.parser import HTMLParser

from sorb.render import to_html

TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td"}


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.caption = set(), [], ""
        self.inside = ""

    def handle_starttag(self, tag, attributes):
        assert {name for name, _ in attributes} <= {"style", "scope"}
        self.tags.add(tag)
        self.inside = tag
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += data
        elif self.inside == "caption":
            self.caption += data


def read(document):
    reader = Reader()
    reader.feed(document)
    reader.close()
    assert reader.tags <= TAGS
    return reader


def check(ensemble, digits=None):
    """Require that the table says what is printed."""
    page = read(to_html(ensemble, digits))
    assert page.caption == ensemble.caption()
    _, *rows = page.rows
    printed = ensemble.format(digits).split("\n")
    for row, line in zip(rows, printed, strict=True):
        assert row[0] == line.split()[0]
        assert line.endswith("  always" if row[-1] == "always" else f"  if  {row[-1]}")
