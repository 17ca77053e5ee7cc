import os
import sys

import pytest


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
    assert 'pip install "sorb[plot]"' in errors
