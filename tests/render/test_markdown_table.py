"""Markdown, read by a parser that is not ours."""

import pytest
from hypothesis import strategies as st
from render.markdown_reader import PARSER, check, plain
from rule_strategies import all_ensembles, column_names, for_all

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.render import to_markdown
from sorb.render.markdown_table import escape

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


@for_all(all_ensembles, st.sampled_from([2, 3, None]))
def test_the_table_says_what_is_printed(ensemble, digits):
    check(ensemble, digits)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name):
    rule = Rule(Condition((Proposition((name,), (1.0,), 2.0),)), 1.0)
    ensemble = RuleEnsemble(
        (0.0, 1.0), (rule,), (name,), "softmax", (name, "b"), units={name: "a\\|b"}
    )
    check(ensemble, 3)


@for_all(column_names)
def test_escaped_text_is_shown_as_it_is(name):
    line = " ".join(f"x{name}x".split())
    (inline,) = PARSER.parseInline(escape(line))
    assert plain(inline) == line.replace("\0", "\ufffd")


def test_propositions_are_joined_by_a_visible_and():
    both = Condition((Proposition(("a",), (1.0,), 1.0), Proposition(("b",), (1.0,), 2.0)))
    written = to_markdown(RuleEnsemble(0.0, (Rule(both, 1.0),), ("a", "b"), "squared"))
    assert "| +1 | a ≥ 1 **and** b ≥ 2 |" in written.split("\n")
