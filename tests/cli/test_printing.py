"""What files of others contain is printed without a terminal obeying it."""

import csv
import io
import json
from xml.etree import ElementTree

import pytest
from cli.patients import write_csv
from cli.quick_fit import QUICK

from sorb.cli.printing import print_json, print_message
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

# It clears the screen, sets the title of the window, rings, and turns the direction of writing.
HOSTILE = "a\x1b[2J\x1b]0;title\x07\x9b31m\x7f\u202eb\u2066\r"
NAME, TARGET, LABEL = f"{HOSTILE}1", f"{HOSTILE}2", f"{HOSTILE}3"


@pytest.fixture
def hostile_files(folder):
    """A table and a model whose names, units, labels and categories are hostile."""
    rows = [
        {NAME: k % 7, "group": HOSTILE if k % 3 else "x", "name": HOSTILE + str(k), TARGET: label}
        for k, label in enumerate([LABEL, "fine"] * 30)
    ]
    for row in rows[:2]:
        row[TARGET] = None
    write_csv(folder / "table.csv", rows)
    rules = (
        Rule(Condition((Proposition((NAME,), (1.0,), 3.0, missing=True),)), 1.5),
        Rule(Condition((Membership("group", (HOSTILE,)),)), -0.5),
    )
    ensemble = RuleEnsemble(0.25, rules, (NAME, "group"), "logistic", (LABEL, "fine"))
    ensemble.save(folder / "model.json")
    return folder


def is_harmless(text):
    return text.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "table.csv", "--target", TARGET, *QUICK[:2]),
        ("fit", "table.csv", "--target", TARGET, *QUICK[:2], "--json"),
        ("show", "model.json"),
        ("show", "model.json", "--format", "markdown"),
        ("show", "model.json", "--format", "latex"),
        ("show", "model.json", "--format", "html"),
        ("show", "model.json", "--format", "json"),
        ("explain", "model.json", "table.csv", "--row", "1"),
        ("explain", "model.json", "table.csv", "--row", "1", "--json"),
        ("simplify", "model.json", "table.csv", "--target", TARGET),
        ("simplify", "model.json", "table.csv", "--target", TARGET, "--json"),
        ("compare", "model.json", "table.csv", "--target", TARGET),
        ("compare", "model.json", "table.csv", "--target", TARGET, "--json"),
    ],
)
def test_names_and_labels_are_harmless(arguments, said, hostile_files):
    code, printed, errors = said(*arguments)
    assert code == 0
    assert "2J" in printed
    assert is_harmless(printed + errors)


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", HOSTILE),
        ("show", "model.json", "--format", HOSTILE),
        (HOSTILE,),
        ("predict", "model.json", "other.csv"),
        ("fit", "table.csv", "--target", HOSTILE),
        ("fit", "table.csv", "--target", "name", "--task", "regression"),
        ("export", "model.json", "--to", "excel", "--cells", f"{HOSTILE}=A2"),
        ("lab", "status", HOSTILE),
    ],
)
def test_messages_are_harmless(arguments, said, hostile_files):
    (hostile_files / "other.csv").write_text(f"{NAME},groop\nx,1\n")
    code, printed, errors = said(*arguments)
    assert code in (1, 2)
    assert errors.count("\n") == 1
    assert is_harmless(printed + errors)


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "model.json", "table.csv", "--id", "name"),
        ("export", "model.json", "--to", "sql"),
    ],
)
def test_data_are_harmless_on_a_terminal_only(arguments, said, hostile_files, monkeypatch):
    _, raw, _ = said(*arguments)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    _, printed, _ = said(*arguments)
    assert HOSTILE in raw
    assert is_harmless(printed.replace("\t", ""))


def test_data_for_programs_are_unchanged(said, hostile_files):
    _, printed, _ = said("predict", "model.json", "table.csv", "--id", "name")
    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    assert [row["name"] for row in rows] == [HOSTILE + str(k) for k in range(60)]
    assert {row["prediction"] for row in rows} == {LABEL, "fine"}


def test_json_is_read_as_what_it_was(capsys):
    print_json({HOSTILE: [HOSTILE, "größer 😀"]})
    printed = capsys.readouterr().out
    assert is_harmless(printed)
    assert "größer 😀" in printed
    assert json.loads(printed) == {HOSTILE: [HOSTILE, "größer 😀"]}


def test_a_message_has_an_end(capsys):
    print_message("x" * 100_000)
    assert 2000 < len(capsys.readouterr().err) < 2100


def test_half_a_character_can_be_printed(capsys):
    print_message("a file called \udcff")
    assert capsys.readouterr().err == "sorb: a file called \\udcff\n"


@pytest.mark.parametrize("kind", ["rules", "contributions", "regions", "projection", "calibration"])
def test_pictures_are_valid(kind, said, hostile_files):
    options = {
        "contributions": ("--row", "1"),
        "regions": ("--columns", NAME),
        "projection": ("--target", TARGET),
        "calibration": ("--target", TARGET),
    }
    out = hostile_files / "picture.svg"
    code, _, errors = said(
        "plot", "model.json", kind, "table.csv", *options.get(kind, ()), "--out", out
    )
    assert (code, errors) == (0, "")
    ElementTree.parse(out)
