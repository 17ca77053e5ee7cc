"""A folder with runs, and the command line that reads them."""

import os

import pytest
from synthetic_results import repeated, written

from sorb.cli import run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with two runs, of which the second is newer."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for age, (name, risk) in enumerate({"old": 0.9, "new": 0.4}.items()):
        units = {
            **repeated("iris", "LLTB", [[(4, 0.7), (10, risk)]] * 2),
            ("iris", "EBM", 0): [{"failure": "ValueError: it broke"}],
        }
        results = written(tmp_path / "results" / name, units)
        part = {"datasets": ["iris"], "methods": ["LLTB", "EBM"], "repetitions": 3}
        results.write_facts({"configuration": name, "parts": [part]})
        os.utime(results.folder / "run.json", (1000.0 + age, 1000.0 + age))
    return tmp_path


@pytest.fixture
def said(capsys):
    """Run a command line and give its exit code, what it printed, and its errors."""

    def ask(*arguments):
        code = run(arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ask
