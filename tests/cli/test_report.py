"""The page of a model on the command line."""

import json

import pytest
from cli.patients import patients, write_csv
from report.page_text import data_in


@pytest.fixture
def reported(said, table, model, folder):
    """Write the page of the model by hand, and give what it shows."""

    def ask(*options):
        asked = ("report", model, table, "--target", "ill", *options, "--out", "report.html")
        code, printed, errors = said(*asked)
        assert (code, errors) == (0, "")
        assert printed == "The report is in report.html.\n"
        return data_in((folder / "report.html").read_text(encoding="utf-8"))

    return ask


def test_a_saved_model_has_a_page(reported):
    data = reported("--title", "Who is ill?")
    assert data["title"] == "Who is ill?"
    assert data["outcome"]["name"] == "ill"
    assert data["n_rows"] == {"training": 300, "test": 0}
    assert [size["n_rules"] for size in data["sizes"]] == [0, 2]


def test_another_table_is_for_measuring(reported, table):
    data = reported("--test", table, "--cutoff", "0.3")
    assert data["n_rows"] == {"training": 300, "test": 300}
    assert data["outcome"]["cutoff"] == 0.3


def test_visits_of_a_patient_are_not_taken_for_independent(reported, folder):
    visits = [row for row in patients() for _ in range(4)]
    write_csv(folder / "visits.csv", visits)
    widths = []
    for group in ((), ("--group", "patient")):
        (table, _) = reported("--test", "visits.csv", *group)["evidence"]["tables"]
        (interval,) = (line[2] for line in table["lines"] if line[0] == "AUC")
        low, high = map(float, interval.split(" to "))
        widths.append(high - low)
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.003)


def test_a_page_may_hold_no_rows(reported):
    data = reported("--no-rows", "--min-rows", "7")
    assert data["rows"] is None
    assert min(data["sizes"][0]["cells"]["training"]["n"]) >= 7


def test_a_fit_writes_a_page_with_all_sizes_and_the_split(said, table, folder):
    code, _, _ = said(
        *("fit", table, "--target", "ill", "--max-rules", "2", "--effort", "low"),
        *("--selection", "none", "--report", "fit.html", "--no-compare"),
    )
    assert code == 0
    data = data_in((folder / "fit.html").read_text(encoding="utf-8"))
    assert data["n_rows"]["training"] + data["n_rows"]["test"] == 300
    numbers = data["rows"]["number"]
    assert sorted(numbers) == list(range(300))
    assert data["comparison"] is None
    assert len(data["sizes"]) == len(data["curve"]["points"]) > 1


def test_it_does_not_overwrite_what_is_read(said, table, model):
    code, _, errors = said("report", model, table, "--target", "ill", "--out", table)
    assert code == 1
    assert "would overwrite a file that is read" in errors


def test_a_saved_model_that_is_learned_again_has_the_page_of_its_fit(said, table, folder):
    fit = ("fit", table, "--target", "ill", "--ignore", "stay", "--max-rules", "2")
    assert said(*fit, "--effort", "low", "--out", "m.json", "--report", "fit.html")[0] == 0
    asked = ("report", "m.json", table, "--target", "ill", "--relearn", "--out", "again.html")
    assert said(*asked)[0] == 0
    pages = [data_in((folder / name).read_text("utf-8")) for name in ("fit.html", "again.html")]
    assert len(pages[0]["sizes"]) == len(pages[1]["sizes"]) > 1
    for key in ("chosen", "curve", "stability", "comparison", "evidence", "subtitle"):
        assert pages[0][key] == pages[1][key], key


def test_what_does_not_come_out_again_is_refused(said, table, model, folder):
    asked = ("report", model, table, "--target", "ill", "--relearn", "--out", "report.html")
    assert "--relearn needs a model that notes what learned it" in said(*asked)[2]
    fit = (
        "fit",
        table,
        "--target",
        "ill",
        "--ignore",
        "stay",
        "--max-rules",
        "1",
        "--out",
        "m.json",
    )
    assert said(*fit, "--effort", "low")[0] == 0
    fitted = json.loads((folder / "m.json").read_text("utf-8"))
    fitted["record"]["settings"]["depth"] = "3"
    (folder / "odd.json").write_text(json.dumps(fitted), "utf-8")
    asked = ("report", "odd.json", table, "--target", "ill", "--relearn", "--out", "report.html")
    code, _, errors = said(*asked)
    assert (code, "--relearn knows no setting 'depth'" in errors) == (2, True)
    other = write_csv(folder / "other.csv", patients(300, seed=8))
    asked = ("report", "m.json", other, "--target", "ill", "--relearn", "--out", "report.html")
    code, _, errors = said(*asked)
    assert (code, "--relearn gave another model" in errors) == (2, True)
