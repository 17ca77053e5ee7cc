import os
import sys
import warnings

import pytest

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb._extras import install_command
from sorb.cli.figure_files import tell_warnings


@pytest.mark.parametrize(("name", "start"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml")])
def test_the_file_name_says_the_format(name, start, said, model, table, folder):
    assert said("plot", model, "rules", table, "--out", name) == (0, "", "")
    assert (folder / name).read_bytes().startswith(start)


def test_a_device_is_drawn_to_as_it_is(said, model, table):
    assert said("plot", model, "rules", table, "--out", os.devnull) == (0, "", "")
    assert not os.path.exists(f"{os.devnull}.png")


def test_the_file_must_be_of_a_kind_that_can_be_drawn(said, model, table):
    code, _, errors = said("plot", model, "rules", table, "--out", "p.word")
    assert code == 1
    assert "word" in errors
    assert said("plot", model, "rules", table, "--out", "no/p.png")[0] == 1
    assert said("plot", model, "rules", table)[0] == 2


def test_what_matplotlib_cannot_draw_is_explained(said, model, table, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError("xelatex not found")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", fail)
    code, _, errors = said("plot", model, "rules", table, "--out", "p.pgf")
    assert (code, errors) == (1, "sorb: p.pgf cannot be drawn: xelatex not found\n")


def test_without_matplotlib_the_extra_is_named(said, model, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, errors = said("plot", model, "rules", table, "--out", "p.png")
    assert code == 1
    assert install_command("plot") in errors


def test_characters_that_the_font_lacks_are_told_in_one_line(said, folder):
    columns = "".join(map(chr, range(0x65E5, 0x65E5 + 12)))
    rule = Rule(Condition((Proposition((columns,), (1.0,), 2.0),)), 1.0)
    RuleEnsemble(0.0, (rule,), (columns,), "squared").save(folder / "cjk.json")
    (folder / "cjk.csv").write_text(f"{columns}\n1\n3\n", encoding="utf-8")
    code, printed, errors = said("plot", "cjk.json", "rules", "cjk.csv", "--out", "p.png")
    assert (code, printed, errors.count("\n")) == (0, "", 1)
    assert errors.startswith("sorb: the font has no 日 旦 旧 ")
    assert " and 2 more: " in errors


def test_other_warnings_are_a_line_each(capsys):
    with tell_warnings():
        for text in ("one", "two", "one"):
            warnings.warn(text, stacklevel=1)
    assert capsys.readouterr().err == "sorb: one\nsorb: two\n"


def test_a_name_of_thousands_of_letters_leaves_room_for_the_figure(said, folder):
    name = "n" * 3000
    rule = Rule(Condition((Proposition((name,), (1.0,), 2.0),)), 1.0)
    RuleEnsemble(0.0, (rule,), (name,), "logistic", ("u" * 3000, "v")).save(folder / "long.json")
    (folder / "long.csv").write_text(f"{name}\n1\n3\n", encoding="utf-8")
    for kind in (["rules"], ["regions", "--columns", name]):
        made = said("plot", "long.json", kind[0], "long.csv", *kind[1:], "--out", "p.png")
        assert made == (0, "", "")
