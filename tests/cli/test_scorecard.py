"""``sorb scorecard``: what it writes, and what it refuses."""

import json

import numpy as np
import pandas as pd
import pytest
from cli.patients import write_csv
from render.cards import ensemble, rows

from sorb.render import scorecard_latex, scorecard_markdown
from sorb.rules import RuleEnsemble


@pytest.fixture
def model(folder):
    ensemble().save(folder / "m.json")
    return "m.json"


@pytest.fixture
def table(folder):
    """A table in which the first row has no outcome."""
    known, y = rows()
    cells = known.assign(ill=y)[["age", "weight", "height", "group", "ill"]].to_dict("records")
    unknown = {**cells[0], "ill": None}
    return write_csv(folder / "t.csv", [unknown, *cells])


def card(**options):
    return ensemble().scorecard(*rows(), **options)


def test_text_is_that_of_the_card(said, model, table):
    code, printed, errors = said("scorecard", model, table, "--target", "ill", "--max-points", 5)
    assert (code, errors) == (0, "")
    lines = str(card(max_points=5)).splitlines()
    assert printed.splitlines()[: len(lines) - 4] == lines[:-4]


def test_without_a_table_the_points_are_near_the_votes(said, model):
    code, printed, errors = said("scorecard", model)
    assert (code, errors, printed) == (0, "", f"{ensemble().scorecard()}\n")


def test_scores_as_banks_write_them(said, model, table):
    options = ("--pdo", 20, "--base-score", 500, "--base-odds", 10, "--high", "no")
    code, printed, _ = said("scorecard", model, table, "--target", "ill", *options)
    made = card(pdo=20, base_score=500, base_odds=10, high="no")
    assert code == 0
    assert printed.startswith(f"Points for no against yes, starting at {made.start}:")
    assert "A score of 500 means odds of 10 to 1" in printed


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("card.html", "<!DOCTYPE html>"),
        ("card.md", "Points for yes against no:\n\n|"),
        ("card.tex", r"\noindent Points"),
        ("card.json", "{"),
        ("card.txt", "Points for yes against no:\n"),
    ],
)
def test_the_name_of_the_file_says_the_format(name, starts, said, model, table, folder):
    code, printed, _ = said("scorecard", model, table, "--target", "ill", "--out", name)
    assert (code, printed) == (0, f"The card is in {name}.\n")
    assert (folder / name).read_text("utf-8").startswith(starts)


def test_formats_are_printed(said, model):
    made = ensemble().scorecard()
    assert said("scorecard", model, "--format", "markdown")[1] == f"{scorecard_markdown(made)}\n"
    assert said("scorecard", model, "--format", "latex")[1] == f"{scorecard_latex(made)}\n"
    assert json.loads(said("scorecard", model, "--json")[1]) == json.loads(
        json.dumps(made.to_dict())
    )


def test_a_page_has_a_title_and_a_purpose(said, model):
    options = ("--format", "html", "--title", "Risk", "--about", "For <adults>")
    printed = said("scorecard", model, *options)[1]
    assert "<h1>Risk</h1>" in printed
    assert "For &lt;adults&gt;" in printed


def test_costs_are_those_of_the_test_rows_as_the_file_counts_them(said, model, table, folder):
    options = ("--max-points", 1, "--test", table, "--cutoff", 0.1, "--json")
    _, printed, errors = said("scorecard", model, table, "--target", "ill", *options)
    assert "the card leaves out 3 of 4 rules" in errors
    cost = json.loads(printed)["cost"]
    with pytest.warns(UserWarning, match="leaves out 3 of 4 rules"):
        expected = card(max_points=1, cutoff=0.1).cost
    assert cost["rows"] == "rows of t.csv"
    assert cost["changed_rows"] == [row + 1 for row in expected.changed_rows]
    assert cost["changed_rows"]


def test_the_card_as_a_model_predicts_the_same(said, model, table, folder):
    assert said("scorecard", model, table, "--target", "ill", "--model-out", "c.json")[0] == 0
    found = RuleEnsemble.load(folder / "c.json")
    X = pd.DataFrame(rows()[0])
    assert np.array_equal(found(X), card().ensemble(X))


def test_a_nomogram_is_drawn(said, model, folder):
    assert said("scorecard", model, "--nomogram", "n.svg")[0] == 0
    assert "<svg" in (folder / "n.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("t.csv",), 2, "a TABLE needs --target"),
        (("--target", "ill"), 2, "--target needs a TABLE"),
        (("--test", "t.csv"), 2, "--test needs a TABLE"),
        (("--base-score", "500"), 2, "--base-score needs --pdo"),
        (("--pdo", "20", "--max-points", "3"), 2, "--max-points has no effect with --pdo"),
        (("--pdo", "0"), 1, "pdo must be more than 0"),
        (("--title", "Risk"), 2, "--title is for a page: give --format html"),
        (("--json", "--format", "html"), 2, "--json and --format name two formats"),
        (("--out", "card.pdf"), 2, "write --out card.html, and print that page"),
        (("--out", "m.json"), 1, "would overwrite a file that is read"),
        (("--high", "perhaps"), 2, "must be a class of the model, no or yes, found 'perhaps'"),
        (("--nomogram", "n.xyz"), 1, "a figure must be one of"),
        (("t.csv", "--target", "il"), 1, "did you mean 'ill'?"),
        (("t.csv", "--target", "ill", "--cutoff", "2"), 2, "--cutoff must be between 0 and 1"),
        (("t.csv", "--target", "ill", "--costs", "2"), 2, "--costs needs two positive numbers"),
        (("--costs", "2:1"), 2, "--costs needs a TABLE"),
    ],
)
def test_errors(arguments, code, words, said, model, table):
    found, printed, errors = said("scorecard", model, *arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors


def test_other_models_have_no_card(said, folder):
    RuleEnsemble(0.0, ensemble().rules, ensemble().columns, "squared").save(folder / "n.json")
    code, _, errors = said("scorecard", "n.json")
    assert code == 1
    assert "a scorecard needs a model of two classes, found one for the squared loss" in errors
