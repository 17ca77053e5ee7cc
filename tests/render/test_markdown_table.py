"""Markdown, read by a parser that is not ours."""

import pytest
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rule_strategies import all_ensembles, column_names, for_all

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.render import to_markdown
from sorb.render.markdown_table import escape

PARSER = MarkdownIt("commonmark").enable("table")
HOSTILE = [
    "a|b",
    "a\\|b",
    "a\\\\|b",
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](y)",
    "`code`",
    "**bold** _it_ ~~gone~~",
    "&lt;&#35;",
    "# head",
    "- item",
    "1. item",
    "$x^2$",
    "a\nb\n\n| c | d |",
    "---",
    "\\",
    "\u202eleft",
]


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


@for_all(all_ensembles, st.sampled_from([2, 3, None]))
def test_the_table_says_what_is_printed(ensemble, digits):
    caption, (heads, *rows) = read(to_markdown(ensemble, digits))
    assert " ".join(caption.split()) == " ".join(f"{ensemble.caption()}:".split())
    labelled = ensemble.loss.score_per_class
    assert heads == (["vote", "class", "if"] if labelled else ["vote", "if"])
    assert tidy(rows) == tidy(expected_rows(ensemble, digits))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    rule = Rule(Condition((Proposition((name,), (1.0,), 2.0),)), 1.0)
    ensemble = RuleEnsemble(
        (0.0, 1.0), (rule,), (name,), "softmax", (name, "b"), units={name: "a\\|b"}
    )
    _, (_, *rows) = read(to_markdown(ensemble))
    assert tidy(rows) == tidy(expected_rows(ensemble, 3))


@for_all(column_names)
def test_escaped_text_is_shown_as_it_is(name):
    line = " ".join(f"x{name}x".split())
    (inline,) = PARSER.parseInline(escape(line))
    assert plain(inline) == line.replace("\0", "\ufffd")


def test_propositions_are_joined_by_a_visible_and():
    both = Condition((Proposition(("a",), (1.0,), 1.0), Proposition(("b",), (1.0,), 2.0)))
    written = to_markdown(RuleEnsemble(0.0, (Rule(both, 1.0),), ("a", "b"), "squared"))
    assert "| +1 | a ≥ 1 **and** b ≥ 2 |" in written.split("\n")
