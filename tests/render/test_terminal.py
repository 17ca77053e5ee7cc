import io
import re

from rich.console import Console
from rule_strategies import all_ensembles, for_all

from sorb import Condition, Membership, Product, Proposition, Rule, RuleEnsemble
from sorb.render import show, to_rich
from sorb.render.terminal import STYLES

CODES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def old_and_tall():
    parts = (
        Proposition(("age", "years at work"), (1.0, -0.5), 41.0),
        Product(("height",), (2.0,), 3.0, missing=True),
        Membership("group", ("A", "B")),
    )
    columns = ("age", "years at work", "height", "group")
    return RuleEnsemble(
        -2.5, (Rule(Condition(parts), 12.0),), columns, "squared", units={"height": "m"}
    )


@for_all(all_ensembles)
def test_a_file_gets_the_description_as_plain_text(ensemble):
    assert to_rich(ensemble, None).plain == ensemble.describe(None)
    file = io.StringIO()
    show(ensemble, file=file)
    assert file.getvalue() == ensemble.describe() + "\n"


def test_a_terminal_gets_the_same_text_in_colour(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, ensemble = Terminal(), old_and_tall()
    show(ensemble, file=terminal)
    assert CODES.search(terminal.getvalue())
    assert CODES.sub("", terminal.getvalue()) == ensemble.describe() + "\n"


def test_a_model_too_large_to_be_read_is_not_coloured(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    codes = Membership("postcode", range(10_000))
    ensemble = RuleEnsemble(0.0, (Rule(Condition((codes,)), 1.0),), ("postcode",), "squared")
    terminal = Terminal()
    show(ensemble, file=terminal)
    assert terminal.getvalue() == ensemble.describe() + "\n"


def test_plain_text_is_written_without_rich(monkeypatch):
    # A Text of rich takes a kilobyte for each token.
    monkeypatch.delattr("sorb.render.terminal.to_rich")
    file = io.StringIO()
    show(old_and_tall(), file=file)
    assert file.getvalue() == old_and_tall().describe() + "\n"


def test_standard_output_is_the_default(capsys):
    show(old_and_tall())
    assert capsys.readouterr().out == old_and_tall().describe() + "\n"


def styled_parts(written):
    """The parts of a text, with the style of each."""
    segments = Console(width=10_000).render(written)
    return {(segment.text, str(segment.style)) for segment in segments}


def test_each_kind_of_token_has_its_style():
    parts = styled_parts(to_rich(old_and_tall()))
    condition = old_and_tall()[0].condition.tokens(3, {"height": "m"})
    kinds = {token.kind for token in condition}
    assert kinds == {"number", "name", "operator", "relation", "word", "unit", "power", "category"}
    for token in condition:
        assert (token.text, STYLES.get(token.kind, "none")) in parts


def test_names_are_told_from_words_without_colour():
    assert "bold" in STYLES["name"]
    assert "bold" not in STYLES["word"]


def test_votes_stand_out():
    assert ("+12", "bold cyan") in {
        (t.strip(), s) for t, s in styled_parts(to_rich(old_and_tall()))
    }
