import sys

import pytest
from cli.patients import patients, write_csv
from cli.terminal import Terminal


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--cv", "2"), ("sorb learns, fold 1 of 2", "tree learns, fold 2 of 2")),
        ((), ("sorb learns ", "tree learns ")),
    ],
)
def test_methods_and_folds_are_shown_while_they_learn(options, words, said, folder, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal(True))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    write_csv(folder / "p.csv", patients(60))
    columns = ("--target", "ill", "--ignore", "patient,stay")
    assert said("compare", "p.csv", *columns, "--with", "tree", *options)[0] == 0
    shown = terminal.getvalue()
    assert [word for word in words if word not in shown] == []
    assert "0:00:00" in shown
    assert "cross-validation, fit" not in shown  # the bar of a single fit
