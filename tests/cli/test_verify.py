"""The command that verifies a dossier."""

import json
import re

import pytest


@pytest.fixture
def dossier(said, table, model, folder):
    """A dossier of the model by hand; gives its fingerprint."""
    asked = ("dossier", model, table, "--target", "ill", "--exports", "python,sqlite")
    code, printed, _ = said(*asked, "--json", "--out", "dossier")
    assert code == 0
    return json.loads(printed)["fingerprint"]


def test_it_prints_what_agrees(said, dossier):
    code, printed, errors = said("verify", "dossier", "--fingerprint", dossier)
    assert (code, errors) == (0, "")
    lines = printed.splitlines()
    assert all(line.startswith("agrees  ") for line in lines[:-3])
    assert lines[-1] == f"Fingerprint: {dossier}"
    assert re.search(r"predictions +Python gives the same on 300 rows", printed)


def test_the_exit_code_is_1_if_something_disagrees(said, dossier, folder):
    (folder / "dossier" / "rows.csv").unlink()
    code, printed, errors = said("verify", "dossier")
    assert (code, errors) == (1, "")
    assert "DISAGREES  rows.csv" in printed


def test_json_lists_the_checks(said, dossier, folder):
    code, printed, _ = said("verify", "dossier", "--json")
    found = json.loads(printed)
    assert (code, found["agrees"], found["fingerprint"]) == (0, True, dossier)
    assert {check["outcome"] for check in found["checks"]} == {"agrees"}
    (folder / "dossier" / "model.py").write_text("")
    code, printed, _ = said("verify", "dossier", "--json")
    assert code == 1
    assert "disagrees" in {check["outcome"] for check in json.loads(printed)["checks"]}


def test_other_folders_are_refused_in_one_line(said, folder):
    code, printed, errors = said("verify", ".")
    assert (code, printed) == (1, "")
    assert errors == (
        "sorb: . is no dossier of sorb: it has no manifest.json, which 'sorb dossier' writes\n"
    )
