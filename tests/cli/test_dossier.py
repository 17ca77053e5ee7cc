"""The command that writes a dossier."""

import hashlib
import json
from functools import partial

import pandas as pd
import pytest
from cli.quick_fit import QUICK

from sorb import RuleEnsemble
from sorb.resampling import stability as learn_again


@pytest.fixture
def written(said, table, model, folder):
    """Write a dossier about the model by hand, and give its facts."""

    def ask(*options):
        asked = ("dossier", model, table, "--target", "ill", *options, "--out", "dossier")
        code, printed, errors = said(*asked)
        assert (code, errors) == (0, "")
        assert printed.startswith("The dossier is in dossier: ")
        return json.loads((folder / "dossier" / "facts.json").read_text("utf-8"))

    return ask


def test_it_names_the_files_that_it_read(written, table, model):
    facts = written("--title", "Who is ill?")
    assert facts["title"] == "Who is ill?"
    for name, path in (("table", table), ("model", model)):
        expected = {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        assert facts["files"][name] == expected
    assert facts["data"]["split"] == "not known"


def test_options_reach_the_facts(written):
    facts = written("--training-rows", "--costs", "10:1", "--min-rows", "7", "--exports", "sqlite")
    assert facts["data"]["split"] == "training"
    assert facts["settings"]["costs"] == [10, 1]
    assert facts["settings"]["min_rows"] == 7
    assert facts["bundle"]["exports"] == {"sqlite": "model.sqlite.sql"}


def test_exports_can_be_left_out(written):
    assert written("--test-rows", "--exports", "none")["bundle"]["exports"] == {}


def test_stability_is_that_of_its_own_command(said, written, table, folder, monkeypatch):
    quick = partial(learn_again, n_resamples=2, n_jobs=1)
    monkeypatch.setattr("sorb.dossier.facts.stability", quick)
    said("fit", table, "--target", "ill", *QUICK, "--out", "model.json")
    model = RuleEnsemble.load("model.json")
    frame = pd.read_csv(table)
    expected = quick(model, frame[list(model.columns)], frame["ill"])
    facts = written("--stability", "--exports", "none")["stability"]
    assert (facts["agreement"], facts["spread"]) == (expected.agreement, expected.spread)


def test_json_names_the_files(said, table, model, folder):
    asked = ("dossier", model, table, "--target", "ill", "--json", "--out", "dossier")
    code, printed, _ = said(*asked)
    assert code == 0
    found = json.loads(printed)
    manifest = (folder / "dossier" / "manifest.json").read_bytes()
    assert found["fingerprint"] == hashlib.sha256(manifest).hexdigest()
    assert "facts.json" in found["files"]


def test_a_certificate_comes_along(said, written, table, model, folder):
    _, printed, _ = said("simplify", model, table, "--target", "ill", "--json")
    (folder / "simple.json").write_text(printed)
    written("--certificate", "simple.json")
    found = json.loads((folder / "dossier" / "certificate.json").read_text())
    assert found == json.loads(printed)["certificate"]


def test_the_log_of_an_edited_model_comes_along(said, table, model, folder):
    said("edit", model, "--pin", "1=0.5", "--author", "C. Ode", "--save-log", "log.json", "--out",
         "edited.json")  # fmt: skip
    asked = ("dossier", "edited.json", table, "--target", "ill", "--exports", "none")
    assert said(*asked, "--log", "log.json", "--out", "dossier")[0] == 0
    [change] = json.loads((folder / "dossier" / "facts.json").read_text())["changes"]["made"]
    assert (change["what"], change["author"]) == ("pin the vote of rule 1 at +0.5", "C. Ode")
    code, _, errors = said(*asked, "--log", table, "--out", "other")
    assert code == 1
    assert "is no log of changes" in errors


@pytest.mark.parametrize("option", ["--log", "--certificate"])
def test_files_that_are_nested_too_deeply_are_refused(said, table, model, folder, option):
    (folder / "deep.json").write_text("[" * 100_000)
    asked = ("dossier", model, table, "--target", "ill", "--out", "dossier")
    code, _, errors = said(*asked, option, "deep.json")
    assert code == 1
    assert errors.startswith("sorb: deep.json is no ")


def test_other_columns_divide_the_rows(written):
    facts = written("--by", "stay", "--exports", "none")
    assert "stay" in {group["column"] for group in facts["subgroups"]}
    assert "stay" not in {column["name"] for column in facts["data"]["columns"]}


def test_errors_are_one_line(said, table, model, folder):
    (folder / "full").mkdir()
    (folder / "full" / "x").touch()
    asked = ("dossier", model, table, "--target", "ill", "--out")
    code, _, errors = said(*asked, "full")
    assert (code, errors) == (1, "sorb: full is not empty: name a new folder for the dossier\n")
    code, _, errors = said(*asked, "new", "--exports", "cobol")
    assert code == 1
    assert errors.startswith("sorb: there is no export 'cobol'")
    code, _, errors = said(*asked, "new", "--certificate", table)
    assert code == 1
    assert "is no certificate" in errors
    code, _, errors = said(*asked, "new", "--by", "sex")
    assert code == 1
    assert "has no column 'sex' for --by" in errors
    assert not (folder / "new").exists()
