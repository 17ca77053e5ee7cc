"""Markdown tables, read by a parser that is not ours."""

from markdown_it import MarkdownIt

from sorb.render import to_markdown

PARSER = MarkdownIt("commonmark").enable("table")


def plain(inline):
    """What a reader sees; nothing but text and bold words may be there."""
    assert {child.type for child in inline.children} <= {"text", "strong_open", "strong_close"}
    return "".join(child.content for child in inline.children)


def read(document):
    """The caption, and the table's cells row by row."""
    tokens = PARSER.parse(document)
    kinds = [token.type for token in tokens if token.nesting == 1 and token.level == 0]
    assert kinds == ["paragraph_open", "table_open"]
    rows, caption = [], None
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(plain(token))
        elif token.type == "inline":
            caption = plain(token)
    return caption, rows


def expected_rows(ensemble, digits):
    """The same cells, cut out of the printed lines."""
    printed = ensemble.format(digits).split("\n")
    for line, text in zip(ensemble.lines(digits), printed, strict=True):
        condition = "".join(token.text for token in line.condition)
        assert text.endswith(condition)
        yield [text.split()[0], *([line.label] if line.label else []), condition]


def tidy(rows):
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def check(ensemble, digits=None):
    """Require that the table says what is printed."""
    caption, (heads, *rows) = read(to_markdown(ensemble, digits))
    assert " ".join(caption.split()) == " ".join(f"{ensemble.caption()}:".split())
    labelled = ensemble.loss.score_per_class
    assert heads == (["vote", "class", "if"] if labelled else ["vote", "if"])
    assert tidy(rows) == tidy(expected_rows(ensemble, digits))
