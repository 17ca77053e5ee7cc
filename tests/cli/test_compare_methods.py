import json
import sys

import pytest
from cli.patients import patients, write_csv
from sklearn.metrics import log_loss

METHODS = ("--target", "ill", "--ignore", "patient,stay", "--with")


def compared(said, *arguments):
    code, printed, errors = said("compare", *arguments, "--json")
    assert (code, errors) == (0, "")
    return json.loads(printed)


@pytest.fixture
def gaps(folder):
    """Patients with missing ages and groups."""
    rows = [
        {**row, "age": None if k % 7 == 0 else row["age"], "group": row["group"] * (k % 5 > 0)}
        for k, row in enumerate(patients())
    ]
    return write_csv(folder / "gaps.csv", rows)


def test_sorb_is_measured_on_the_rows_that_fit_sets_aside(said, gaps):
    found = compared(said, gaps, *METHODS, "logistic,tree,hgb")
    names = [method["method"] for method in found["methods"]]
    assert names == ["sorb", "baseline", "logistic", "tree", "hgb"]
    fitted = json.loads(said("fit", gaps, *METHODS[:-1], "--json")[1])
    sorb, baseline, logistic, tree, _ = found["methods"]
    assert sorb["risk"] == pytest.approx(fitted["test"]["risk"])
    assert baseline["risk"] == pytest.approx(fitted["without_rules"]["risk"])
    for method in (logistic, tree):
        assert method["auc"] == pytest.approx(fitted["rivals"][method["method"]]["auc"])
        gain = sorb["risk"] - method["risk"]
        assert method["against_sorb"]["value"] == pytest.approx(gain)
    assert all(method["auc"]["value"] > 0.6 for method in (sorb, logistic, tree))


def test_cross_validation_measures_all_rows(said, gaps):
    found = compared(said, gaps, *METHODS, "tree", "--cv", "3")
    assert (found["cv"], found["rows"]["compared"]) == (3, 300)
    baseline = found["methods"][1]
    share = sum(row["ill"] == "yes" for row in patients()) / 300
    expected = log_loss([row["ill"] for row in patients()], [[1 - share, share]] * 300)
    assert baseline["risk"] == pytest.approx(expected, rel=0.02)
    assert baseline["auc"]["value"] == 0.5


def test_the_table_says_what_json_says(said, gaps):
    options = (gaps, *METHODS, "tree")
    found = compared(said, *options)["methods"]
    code, printed, _ = said("compare", *options)
    lines = {line.split()[0]: line.split() for line in printed.splitlines() if line}
    assert code == 0
    assert "Each method learned from the same 225 rows and was measured on 75 others." in printed
    for method in found:
        assert f"{method['auc']['value']:.3f}" == lines[method["method"]][1]
        assert f"{method['risk']:.4f}" in lines[method["method"]]


def test_a_missing_package_is_named_before_anything_is_learned(said, gaps, monkeypatch):
    monkeypatch.setitem(sys.modules, "interpret", None)
    code, printed, errors = said("compare", gaps, *METHODS, "ebm")
    assert (code, printed) == (1, "")
    assert "(ebm) need the package interpret: pip install" in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("m.json", "p.csv", "--with", "tree"), "leave out m.json, or leave out --with"),
        (("p.csv",), "name model files before p.csv"),
        (("m.json",), "TABLE is missing: on which rows should m.json be measured?"),
        (("m.json", "p.csv", "--cv", "3"), "--cv is for methods that learn, which --with names"),
        (("p.csv", "--with", "forest"), "some of logistic, linear, tree, ebm, hgb, found 'forest'"),
        (("p.csv", "--with", "tree", "--cv", "3", "--test-size", "0.5"), "leave out --test-size"),
    ],
)
def test_what_is_not_understood_is_explained(said, arguments, words):
    code, _, errors = said("compare", *arguments, "--target", "ill")
    assert code == 2
    assert words in errors


def test_a_regression_for_the_other_kind_of_outcome_is_refused(said, gaps):
    code, _, errors = said("compare", gaps, *METHODS, "linear")
    assert code == 2
    assert "--with linear: ill holds classes, so use logistic" in errors


def test_a_picture_is_drawn(said, gaps, folder):
    assert said("compare", gaps, *METHODS, "tree", "--picture", "c.png")[0] == 0
    assert (folder / "c.png").stat().st_size > 1000


def test_groups_stay_together(said, folder):
    rows = [{**row, "family": k // 5} for k, row in enumerate(patients(100)) for _ in range(2)]
    table = write_csv(folder / "families.csv", rows)
    found = compared(said, table, *METHODS, "tree", "--group", "family", "--cv", "2")
    assert len(found["methods"]) == 3
