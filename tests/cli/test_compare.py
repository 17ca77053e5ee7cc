import json

import numpy as np
import pandas as pd
import pytest
from cli.patients import hand_made, patients, write_csv
from sklearn.metrics import log_loss, r2_score

from sorb import performance
from sorb.rules import RuleEnsemble
from sorb.simplify import scorecard


@pytest.fixture
def models(model, folder):
    hand_made(rules=()).save(folder / "empty.json")
    return str(model), "empty.json"


def compared(said, *arguments):
    code, printed, errors = said("compare", *arguments, "--json")
    assert (code, errors) == (0, "")
    return json.loads(printed)


@pytest.mark.filterwarnings("ignore:the card leaves out")
def test_each_model_is_measured_by_known_measures(said, models, table):
    found = compared(said, *models, table, "--target", "ill")
    assert found["rows"] == {"compared": 300, "without_target": 0}
    first, second = found["models"]
    assert (first["model"], second["model"]) == models
    assert (first["rules"], first["complexity"], second["rules"]) == (2, 10, 0)
    rows = pd.DataFrame(patients())
    p = 1 / (1 + np.exp(-hand_made()(rows)))
    assert first["risk"] == pytest.approx(log_loss(rows["ill"], p))
    assert first["error"] == pytest.approx(((p > 0.5) != (rows["ill"] == "yes")).mean())
    assert second["error"] == pytest.approx((rows["ill"] == "yes").mean())
    card = scorecard(hand_made(), rows, rows["ill"])
    assert first["calibration_error"] == pytest.approx(card.cost.exact.calibration_error)
    assert (first["r2"], first["loss"]) == (None, "logistic")


def test_the_table_says_what_json_says(said, models, table):
    found = compared(said, *models, table, "--target", "ill")
    code, printed, _ = said("compare", *models, table, "--target", "ill")
    lines = {line[:17].strip(): line[17:].split() for line in printed.splitlines()}
    assert code == 0
    risks = [entry["risk"] for entry in found["models"]]
    low, high = found["models"][0]["intervals"]["risk"]
    assert lines["log loss"][:4] == [f"{risks[0]:.4f}", f"({low:.4f}", "to", f"{high:.4f})"]
    assert float(lines["log loss"][4]) == pytest.approx(risks[1], rel=1e-3)
    assert lines["rules"] == ["2", "0"]
    assert "On 300 rows, with 95 % intervals." in printed


def test_rows_that_belong_together_widen_the_intervals(said, models, folder):
    five = [{**row, "patient": k} for k, row in enumerate(patients(100)) for _ in range(5)]
    write_csv(folder / "five.csv", five)
    widths = []
    for grouped in ((), ("--group", "patient")):
        first = compared(said, *models, "five.csv", "--target", "ill", *grouped)["models"][0]
        ends = [*first["intervals"].values(), [first["auc"]["low"], first["auc"]["high"]]]
        widths.append(np.array([high - low for low, high in ends]))
    apart, together = widths
    assert (together > 1.5 * apart).all()


def test_many_models_stand_below_each_other(said, models, table):
    printed = said("compare", *models * 3, table, "--target", "ill")[1]
    heads, *rest = printed.splitlines()
    names = "AUC  log loss  Brier score  accuracy  calibration error  sensitivity  specificity  "
    names += "predictive value +  predictive value −  rules  complexity"
    assert heads.split() == names.split()
    assert sum(line.startswith("empty.json") for line in rest) == 3


def test_decisions_are_measured_as_by_performance(said, models, table):
    rows = pd.DataFrame(patients())
    known = performance(hand_made(), rows, rows["ill"])
    found = compared(said, *models, table, "--target", "ill")
    assert found["cutoff"] == known.to_dict()["cutoff"]
    assert found["models"][0]["decisions"] == known.measures["sorb"].to_dict()["decisions"]
    found = compared(said, *models, table, "--target", "ill", "--costs", "9:1")
    assert found["cutoff"]["value"] == pytest.approx(0.1)
    hand_made().about("no").save("turned.json")
    both = compared(said, models[0], "turned.json", table, "--target", "ill")["models"]
    assert both[0]["decisions"] == both[1]["decisions"]


def test_cutoffs_are_for_saved_models_of_two_classes(said, table):
    asked = ("compare", table, "--target", "ill", "--with", "tree", "--cutoff", "0.2")
    code, _, errors = said(*asked)
    assert code == 2
    assert "--cutoff is for saved models" in errors


def test_rows_without_outcome_are_left_out(said, models, folder):
    rows = patients()
    some = [{**row, "ill": None if k < 100 else row["ill"]} for k, row in enumerate(rows)]
    write_csv(folder / "some.csv", some)
    write_csv(folder / "others.csv", rows[100:])
    found = compared(said, *models, "some.csv", "--target", "ill")
    assert found["rows"] == {"compared": 200, "without_target": 100}
    assert found["models"] == compared(said, *models, "others.csv", "--target", "ill")["models"]
    assert (
        "Left out 100 rows without ill."
        in said("compare", *models, "some.csv", "--target", "ill")[1]
    )


def test_weights_count_like_copies(said, models, folder):
    rows = patients(50)
    write_csv(folder / "weighted.csv", [{**row, "w": k % 3} for k, row in enumerate(rows)])
    write_csv(folder / "copied.csv", [row for k, row in enumerate(rows) for _ in range(k % 3)])
    weighted = compared(said, *models, "weighted.csv", "--target", "ill", "--weight", "w")
    copied = compared(said, *models, "copied.csv", "--target", "ill")
    for one, other in zip(weighted["models"], copied["models"], strict=True):
        for name in ("risk", "error", "brier", "calibration_error", "auc"):
            assert one[name] == pytest.approx(other[name])


def test_numbers_are_measured_by_the_variance_they_explain(said, table, folder):
    hand_made(loss="squared", classes=None, offset=3.0).save(folder / "squared.json")
    hand_made(loss="poisson", classes=None, offset=1.0).save(folder / "poisson.json")
    found = compared(said, "squared.json", "poisson.json", table, "--target", "stay")
    rows = pd.DataFrame(patients())
    y, f = rows["stay"], hand_made(loss="squared", classes=None, offset=3.0)(rows)
    first, second = found["models"]
    assert first["r2"] == pytest.approx(r2_score(y, f))
    assert first["risk"] == pytest.approx(((y - f) ** 2).mean() / 2)
    assert second["r2"] == pytest.approx(
        r2_score(y, np.exp(hand_made(loss="squared", classes=None, offset=1.0)(rows)))
    )
    assert first["error"] is None
    printed = said("compare", "squared.json", "poisson.json", table, "--target", "stay")[1]
    assert "The Poisson deviance and the mean squared error cannot be compared." in printed


def test_numbers_can_be_classes(said, folder):
    RuleEnsemble(1.0, (), ("a",), "logistic", (0, 1)).save(folder / "m.json")
    (folder / "t.csv").write_text("a,y\n1,0\n2,1\n3,1\n4,\n")
    (entry,) = compared(said, "m.json", "t.csv", "--target", "y")["models"]
    assert entry["error"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("changes", "arguments", "words"),
    [
        ({"classes": ("no", "maybe")}, (), "one predicts the classes 'no', 'yes', the other"),
        ({"classes": None, "loss": "squared"}, (), "the other numbers"),
        ({}, ("--weight", "height2"), "no column 'height2' for --weight"),
        ({}, ("--weight", ""), "no column '' for --weight"),
        ({}, ("--target", ""), "no column '' for --target"),
        ({}, ("--target", "age"), "must hold the classes of the model, 'no', 'yes'; found 76"),
        (
            {},
            ("--weight", "group"),
            "'group' holds 'B' in row 0: expected a number",
        ),
    ],
)
def test_errors(changes, arguments, words, said, model, table, folder):
    hand_made(**changes).save(folder / "other.json")
    command = ("compare", model, "other.json", table, "--target", "ill", *arguments)
    code, printed, errors = said(*command)
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert words in errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y\n1\nx\n", "column 'y' holds 'x' in row 1: expected a number"),
        ("y\n\n", "has no rows"),
        ("y,b\n,1\n", "'y' is empty in all rows"),
    ],
)
def test_outcomes_that_are_no_numbers(text, words, said, folder):
    RuleEnsemble(1.0, (), ("a",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text(text)
    code, _, errors = said("compare", "m.json", "t.csv", "--target", "y")
    assert code == 1
    assert words in errors


def test_weights_must_be_there(said, model, folder):
    rows = [{**row, "w": None if k == 3 else 1} for k, row in enumerate(patients(9))]
    write_csv(folder / "t.csv", rows)
    errors = said("compare", model, "t.csv", "--target", "ill", "--weight", "w")[2]
    assert "'w' must be finite and non-negative, found nan in row 3" in errors


@pytest.mark.parametrize(
    ("loss", "offset", "calibration"), [("poisson", 800.0, None), ("squared", 1e299, 1e299)]
)
def test_predictions_too_large_to_measure_are_infinitely_bad(
    loss, offset, calibration, said, folder
):
    RuleEnsemble(offset, (), ("a",), loss).save(folder / "m.json")
    (folder / "t.csv").write_text("a,y\n1,0\n2,5\n", encoding="utf-8")
    (found,) = compared(said, "m.json", "t.csv", "--target", "y")["models"]
    assert (found["risk"], found["r2"], found["calibration_error"]) == (None, None, calibration)
    code, printed, errors = said("compare", "m.json", "t.csv", "--target", "y")
    assert (code, errors) == (0, "")
    assert ["root", "mean", "squared", "error", "infinite"] in [
        line.split() for line in printed.splitlines()
    ]
