"""Commands that are given the table of a fit tell its training rows and test rows apart again."""

import json

import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK
from report.page_text import data_in

from sorb import RuleEnsemble
from sorb.cli.labelled_rows import read_labelled_rows
from sorb.cli.parts_of_fit import parts_of_fit

TOLD = "of 300 rows, only the 225 that the model was learned from are used: its 75 test rows"

UNTOLD = (
    "sorb: all 300 rows are used: the fit held test rows back, but which they are cannot be told, "
    "as the table, its options (such as --group) or the numbers of the model are not those of the "
    "fit\n"
)


@pytest.fixture
def kept(fitted):
    """Keep the model of a fit."""
    fitted("--ignore", "stay", "--out", "model.json")


def edited(said, *options, table="patients.csv", model="model.json"):
    given = ("edit", model, table, "--target", "ill", "--json", *options)
    code, printed, errors = said(*given)
    assert code == 0
    return json.loads(printed), errors


def test_an_edit_leaves_test_rows_out_so_that_no_vote_changes_without_a_reason(said, kept, folder):
    model = json.loads((folder / "model.json").read_text("utf-8"))
    vote = model["rules"][0]["weight"]
    found, errors = edited(said, "--pin", f"1={vote!r}")
    effect = found["log"]["changes"][0]["effect"]
    assert TOLD in errors
    assert effect["n_rows"] == 225
    assert effect["mean_change"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("change", ["other rows", "fewer columns"])
def test_other_tables_are_used_as_a_whole_which_is_said(change, said, kept, folder):
    rows = patients(300, seed=8) if change == "other rows" else patients()
    names = ("age", "weight", "height", "ill") + ("group",) * (change == "other rows")
    write_csv(folder / "t.csv", [{name: row[name] for name in names} for row in rows])
    found, errors = edited(said, "--pin", "1=1", table="t.csv")
    assert (found["log"]["changes"][0]["effect"]["n_rows"], errors) == (300, UNTOLD)


def test_nothing_is_said_of_the_training_rows_alone(said, kept, folder):
    model = RuleEnsemble.load(folder / "model.json")
    rows = read_labelled_rows("patients.csv", [model], "ill", None, unused_if_there=True)
    training, _ = parts_of_fit(rows, model)
    write_csv(folder / "t.csv", [patients()[place] for place in training.places])
    found, errors = edited(said, "--pin", "1=1", table="t.csv")
    assert (found["log"]["changes"][0]["effect"]["n_rows"], errors) == (225, "")


def test_models_without_test_rows_say_nothing_of_them(said, fitted, folder):
    fitted("--test-size", "0", "--out", "model.json")
    assert edited(said, "--pin", "1=1")[1] == ""


def test_of_a_simplified_model_test_rows_cannot_be_told_which_is_said(said, kept):
    given = ("simplify", "model.json", "patients.csv", "--target", "ill")
    assert said(*given, "--out", "changed.json")[0] == 0
    assert edited(said, "--pin", "1=1", model="changed.json")[1] == UNTOLD


@pytest.mark.parametrize(
    "options",
    [
        ("--class-weight", "balanced"),
        ("--class-weight", "balanced", "--recalibrate"),
        ("--random-state", "3"),
        ("--test-size", "0.333"),
    ],
)
def test_the_rows_of_a_fit_are_told_whatever_its_options(options, said, table):
    assert said("fit", table, "--target", "ill", *QUICK, "--out", "model.json", *options)[0] == 0
    assert edited(said, "--pin", "1=1")[1].startswith("sorb: of 300 rows, only the ")


def test_the_rows_of_a_changed_model_are_those_of_its_fit(said, kept, folder):
    edited(said, "--pin", "1=1", "--out", "edited.json")
    asked = ("dossier", "edited.json", "patients.csv", "--target", "ill", "--exports", "none")
    assert said(*asked, "--test-rows", "--out", "dossier")[0] == 0
    facts = json.loads((folder / "dossier" / "facts.json").read_text("utf-8"))
    assert facts["data"]["rows"] == 75


def test_rows_of_a_group_are_on_the_side_where_the_fit_had_them(said, folder):
    visits = [{**row, "visit": k} for row in patients(100) for k in range(3)]
    write_csv(folder / "patients.csv", visits)
    fit = ("--max-rules", "1", "--group", "patient", "--out", "model.json")
    assert said("fit", "patients.csv", "--target", "ill", *fit)[0] == 0
    assert edited(said, "--pin", "1=1", "--group", "patient")[1].startswith("sorb: of 300 rows")
    assert edited(said, "--pin", "1=1")[1] == UNTOLD


def test_a_report_measures_on_the_test_rows_of_the_fit(said, kept, folder):
    asked = ("report", "model.json", "patients.csv", "--target", "ill", "--out", "page.html")
    code, _, errors = said(*asked)
    data = data_in((folder / "page.html").read_text("utf-8"))
    assert (code, data["n_rows"]) == (0, {"training": 225, "test": 75})
    assert "the model was learned from 225; the others, 75, are its test rows" in errors


@pytest.mark.parametrize(("option", "n_rows"), [("--test-rows", 75), ("--training-rows", 225)])
def test_a_dossier_is_about_the_rows_that_it_names(option, n_rows, said, kept, folder):
    asked = ("dossier", "model.json", "patients.csv", "--target", "ill", "--exports", "none")
    assert said(*asked, option, "--out", "dossier")[0] == 0
    facts = json.loads((folder / "dossier" / "facts.json").read_text("utf-8"))
    assert facts["data"]["rows"] == n_rows


def test_resamples_are_drawn_from_the_rows_that_were_learned_from(said, kept):
    asked = ("stability", "model.json", "patients.csv", "--target", "ill", "--resamples", "2")
    code, printed, errors = said(*asked)
    assert (code, TOLD in errors) == (0, True)
    assert "resamples of 225 rows" in printed
