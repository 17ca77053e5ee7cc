"""What the tests of the command line share."""

import json

import pytest
from cli.patients import hand_made, patients, write_csv
from cli.quick_fit import QUICK

from sorb.cli import run


@pytest.fixture
def said(capfd):
    """Run a command line and give its exit code, what it printed, and its errors."""

    def ask(*arguments):
        code = run([str(argument) for argument in arguments])
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return ask


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(folder):
    """A table of patients, in the folder to work in."""
    return write_csv(folder / "patients.csv", patients())


@pytest.fixture
def model(folder):
    """A model file in the folder to work in."""
    path = folder / "model.json"
    hand_made().save(path)
    return path


@pytest.fixture
def fitted(said, table):
    """Fit the table of patients and give the document that is printed."""

    def ask(*arguments, target="ill"):
        code, printed, errors = said("fit", table, "--target", target, "--json", *QUICK, *arguments)
        assert (code, errors) == (0, "")
        return json.loads(printed)

    return ask


@pytest.fixture
def refused(said, table):
    """Ask for a fit that is refused, and give the message in one line."""

    def ask(*arguments, target="ill"):
        code, printed, errors = said("fit", table, "--target", target, *QUICK, *arguments)
        assert code != 0
        assert printed == ""
        return " ".join(errors.replace("│", " ").split())

    return ask
