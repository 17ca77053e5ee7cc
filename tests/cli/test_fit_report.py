import json

import numpy as np
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK

from sorb import RuleEnsemble
from sorb.cli.fit_report import some_places


def test_what_is_printed_is_what_json_says(said, table, fitted):
    found = fitted("--ignore", "stay")
    code, printed, errors = said("fit", table, "--target", "ill", *QUICK, "--ignore", "stay")
    assert (code, errors) == (0, "")
    assert "ill is no or yes: a classification." in printed
    assert "Learned from 225 rows and 4 columns, tested on 75 others." in printed
    assert str(RuleEnsemble.from_json(json.dumps(found["model"]))) in printed
    parts = [found["test"], found["without_rules"], *found["rivals"].values(), found["training"]]
    lines = {line[:18].strip(): line[18:].split() for line in printed.splitlines()}
    first, *others = [f"{part['risk']:.4f}" for part in parts]
    low, high = found["test"]["intervals"]["risk"]
    assert lines["log loss"] == [first, f"{low:.4f}", "to", f"{high:.4f}", *others]
    low, high = found["test"]["auc"]["low"], found["test"]["auc"]["high"]
    assert lines["AUC"][1:4] == [f"{low:.3f}", "to", f"{high:.3f}"]
    sensitivity = found["test"]["decisions"]["sensitivity"]["value"]
    assert lines["sensitivity"][0] == f"{100 * sensitivity:.1f}"
    assert "complexity" in printed.splitlines()[-3]


def test_says_whether_the_model_is_kept(said, table, folder):
    def last(*options):
        printed = said("fit", table, "--target", "ill", *QUICK, "--test-size", "0", *options)[1]
        return printed.splitlines()[-1]

    assert last() == "The model is not kept: name a file for it, as in --out model.json."
    assert last("--out", "kept.json") == "The model is in kept.json."
    assert (folder / "kept.json").exists()


def test_the_model_is_on_the_curve(fitted):
    found = fitted("--ignore", "stay")
    first = found["curve"][0]
    (model,) = [p for p in found["curve"] if p["complexity"] == found["complexity"]]
    assert (first["rules"], first["complexity"]) == (0, 0)
    assert model["rules"] == found["rules"]
    assert model["test_risk"] == found["test"]["risk"]
    assert model["training_risk"] == pytest.approx(found["training"]["risk"])
    assert first["test_risk"] == found["without_rules"]["risk"]
    assert found["test"]["risk"] < found["without_rules"]["risk"]


def test_sizes_have_the_cross_validated_risk_within_their_complexity(fitted):
    found = fitted("--ignore", "ill", "--max-rules", "4", target="stay")
    validated = found["cross_validation"]
    assert len(found["curve"]) > 2
    for point in found["curve"]:
        place = min(point["complexity"], len(validated["risk"]) - 1)
        assert point["cross_validated_risk"] == validated["risk"][place]
        assert point["standard_error"] == validated["standard_error"][place]


def sizes(printed):
    """Read the lines of the table of sizes: the arrow, and the numbers of each."""
    lines = printed.splitlines()
    (start,) = [k for k, line in enumerate(lines) if line.split()[:2] == ["complexity", "rules"]]
    table = lines[start + 1 : lines.index("", start)]
    return [("→" in line, line.replace("→", " ").replace("±", " ").split()) for line in table]


def test_an_arrow_marks_the_model_among_the_sizes(said, table, fitted):
    found = fitted("--ignore", "stay")
    printed = said("fit", table, "--target", "ill", *QUICK, "--ignore", "stay")[1]
    shown = sizes(printed)
    assert [numbers[:2] for _, numbers in shown] == [
        [str(point["complexity"]), str(point["rules"])] for point in found["curve"]
    ]
    for (_, numbers), point in zip(shown, found["curve"], strict=True):
        keys = ("training_risk", "cross_validated_risk", "standard_error", "test_risk")
        assert [float(number) for number in numbers[2:]] == pytest.approx(
            [point[key] for key in keys], abs=6e-5
        )
    (marked,) = [numbers for arrow, numbers in shown if arrow]
    assert int(marked[0]) == found["complexity"]


def test_without_test_rows_the_cross_validated_risk_is_plotted(said, table):
    options = ("--target", "ill", *QUICK, "--ignore", "stay", "--test-size", "0")
    assert (
        "log loss (● cross-validated, ○ training rows, ◉ both)" in said("fit", table, *options)[1]
    )
    printed = said("fit", table, *options, "--selection", "none")[1]
    assert "log loss (○ training rows)" in printed
    assert "cross-validated" not in printed.replace("cross-validation", "")


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        ("near_best", "is about as low as the lowest, "),
        ("one_se", "is within about one standard error of the lowest, "),
        ("best", "the mean squared error is lowest there, "),
        ("none", "Without cross-validation, the largest model within the limits is used."),
    ],
)
def test_the_choice_is_explained(selection, words, said, table, fitted):
    options = ("--ignore", "ill", "--selection", selection)
    choice = fitted(*options, target="stay")["choice"]
    assert words in choice
    assert choice in said("fit", table, "--target", "stay", *QUICK, *options)[1]


def test_the_choice_of_no_rules_is_explained(said, folder):
    rng = np.random.default_rng(0)
    rows = [{"a": a, "y": y} for a, y in rng.normal(size=(60, 2)).round(3)]
    write_csv(folder / "noise.csv", rows)
    found = said("fit", "noise.csv", "--target", "y")[1]
    assert "Cross-validation chose the model without rules: no other one is better by two" in found
    assert "No better than without rules: there are none. With 45 training rows, little" in found


def test_too_few_rows_for_cross_validation_are_mentioned(said, folder):
    write_csv(folder / "few.csv", [{"a": 1, "y": 1.5}, {"a": 2, "y": 2.5}])
    options = ("--target", "y", "--test-size", "0.5")
    code, printed, _ = said("fit", "few.csv", *options)
    assert code == 0
    assert "No size could be validated, since there are too few rows" in printed
    document = json.loads(said("fit", "few.csv", *options, "--json")[1])
    assert document["cross_validation"]["risk"] == [None]


@pytest.mark.parametrize("count", [1, 2, 11, 12, 13, 100])
def test_some_sizes_are_shown_among_them_the_ends_and_the_model(count):
    for chosen in range(count):
        shown = some_places(count, chosen)
        assert {0, chosen, count - 1} <= set(shown) <= set(range(count))
        assert len(shown) <= 12
        assert shown == sorted(shown)


def test_of_many_useless_columns_a_few_are_named(said, folder):
    dates = {f"day{k}": "2020-01-01" for k in range(9)}
    write_csv(folder / "t.csv", [{**row, **dates} for row in patients(60)])
    printed = said("fit", "t.csv", "--target", "ill", *QUICK)[1]
    assert printed.count("Left out the column day") == 5
    assert "Left out 4 more columns like these." in printed


def test_thousands_of_columns_are_not_printed(said, folder):
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(40, 2000)).round(3)
    rows = [
        {**{f"gene{j}": value for j, value in enumerate(line)}, "ill": "ny"[int(line[7] > 0)]}
        for line in wide
    ]
    write_csv(folder / "wide.csv", rows)
    code, printed, errors = said("fit", "wide.csv", "--target", "ill", "--max-rules", "1")
    assert (code, errors) == (0, "")
    assert "and 2000 columns" in printed
    assert len(printed) < 3000
    code, printed, errors = said("fit", "wide.csv", "--target", "gene")
    assert (code, printed) == (1, "")
    assert len(errors) < 200
