import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from cli.patients import patients, write_csv
from cli.quick_fit import QUICK
from sklearn.metrics import log_loss

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, RuleEnsemble
from sorb.cli import run
from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.row_split import split_rows
from sorb.cli.task import Task
from sorb.estimators.base import VOTE_PENALTIES
from sorb.lab.datasets.generated import nhanes_standin
from sorb.losses import LOSSES


def test_the_index_of_body_mass_is_found_with_one_command(said, folder):
    columns = nhanes_standin(rows=5000, seed=2017)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    write_csv(folder / "nhanes_like.csv", rows)
    code, printed, _ = said(
        "fit", "nhanes_like.csv", "--target", "diabetes", "--log-columns", "auto", "--integer",
        "--units", "weight=kg,height=m", "--random-state", "2",
    )  # fmt: skip
    assert code == 0
    (threshold,) = re.findall(r"weight / height² [≥≤] (\S+) kg/m²", printed)
    assert float(threshold) == pytest.approx(25, rel=0.03)


def test_the_model_is_that_of_the_estimator(fitted, folder):
    found = fitted("--ignore", "stay,group", "--test-size", "0", "--out", "model.json")
    names = ("age", "weight", "height")
    X = np.array([[row[name] for name in names] for row in patients()])
    y = [row["ill"] for row in patients()]
    expected = LLTBoostClassifier(max_rules=2).fit(X, y).ensemble_
    assert len(expected) > 0
    ensemble = RuleEnsemble.load(folder / "model.json")
    assert found["model"] == json.loads((folder / "model.json").read_text())
    assert ensemble.columns == names
    assert [rule.vote for rule in ensemble] == pytest.approx([rule.vote for rule in expected])
    assert (ensemble.covers(X) == expected.covers(X)).all()


def test_test_rows_are_not_learned_from(fitted):
    """Only training rows are, and the risk is that of the others."""
    names = ["age", "weight", "height", "group"]
    rows = LabelledRows.of(pa.Table.from_pylist(patients()), "ill", None)
    training, test = split_rows(rows, Task.classification, names, {}, 0.25)
    assert sorted([*training.places, *test.places]) == list(range(300))
    expected = LLTBoostClassifier(max_rules=2).fit(training.table, np.array(training.y))
    found = fitted("--ignore", "stay")
    ensemble = RuleEnsemble.from_json(json.dumps(found["model"]))
    assert ensemble == expected.ensemble_
    assert found["test"]["risk"] == pytest.approx(
        log_loss(test.y, expected.predict_proba(test.table))
    )


@pytest.mark.parametrize(("option", "column"), [("--target", "ill"), ("--weight", "age")])
def test_a_column_of_groups_is_for_nothing_else(option, column, said, table):
    code, _, errors = said(
        "fit", table, "--target", "ill", "--weight", "age", "--group", column, *QUICK
    )
    assert code == 2
    assert f"{option} and --group both name column '{column}'" in errors


COPIES = {
    "copies": (0, "--ignore"),
    "near copies": (0.001, "--ignore"),
    "apart": (0.3, "--group"),
}


@pytest.mark.parametrize("kind", COPIES)
def test_outcomes_of_people_cannot_be_predicted(kind, said, folder):
    """Copies stood on both sides, and the error on test rows was 6.7 %."""
    jitter, option = COPIES[kind]
    rng = np.random.default_rng(0)
    person, columns = np.repeat(np.arange(120), 4), list("abcd")
    values = rng.normal(size=(120, 4))[person] + jitter * rng.normal(size=(480, 4))
    y = rng.integers(0, 2, 120)[person].tolist()
    rows = [dict(zip(columns, row, strict=True)) for row in values.tolist()]
    named = [{**row, "y": y[k], "person": f"P{person[k]}"} for k, row in enumerate(rows)]
    write_csv(folder / "t.csv", named)
    errors = []
    for seed in range(3):
        code, printed, _ = said(
            "fit", "t.csv", "--target", "y", option, "person", "--random-state", seed,
            "--selection", "none", "--max-rules", "10", "--effort", "low", "--json",
        )  # fmt: skip
        assert code == 0
        found = json.loads(printed)
        assert found["rows"]["test"] == pytest.approx(120, abs=8)
        errors.append(found["test"]["error"])
    assert 0.3 < np.mean(errors) < 0.7


def test_numbers_are_a_regression(fitted):
    found = fitted("--ignore", "ill", target="stay")
    assert (found["task"], found["model"]["loss"]) == ("regression", "squared")
    assert found["test"]["error"] is None
    assert found["test"]["r2"] > 0.5


@pytest.mark.parametrize("loss", [name for name, kind in LOSSES.items() if not kind().has_classes])
def test_the_loss_of_numbers_can_be_chosen(fitted, loss):
    found = fitted("--ignore", "ill", "--loss", loss, target="stay")
    assert (found["task"], found["model"]["loss"]) == ("regression", loss)
    assert found["test"]["risk"] < found["without_rules"]["risk"]


def test_two_numbers_are_a_regression_if_their_loss_is_named(fitted, table):
    write_csv(table, [{**row, "two": 1 + (row["ill"] == "yes")} for row in patients()])
    found = fitted("--ignore", "ill,stay", "--loss", "gamma", target="two")
    assert (found["task"], found["model"]["loss"]) == ("regression", "gamma")


def test_the_power_of_tweedie_can_be_chosen(fitted):
    found = fitted("--ignore", "ill", "--loss", "tweedie", "--power", "1.25", target="stay")
    assert found["model"]["power"] == 1.25


def test_rates_are_learned_over_an_exposure(fitted, table):
    years = [(k % 4 + 1) / 4 for k in range(len(patients()))]
    rated = [
        {**row, "years": e, "days": e * row["stay"]}
        for row, e in zip(patients(), years, strict=True)
    ]
    write_csv(table, rated)
    arguments = ("--ignore", "ill,stay", "--loss", "poisson", "--exposure", "years")
    found = fitted(*arguments, target="days")
    assert "years" not in found["model"]["columns"]
    assert found["test"]["r2"] > 0.5
    assert 0.8 < found["model"]["offset"] < 1.5  # of log(3), the days that all stay in a year


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--loss", "hinge"), "one of squared, poisson, gamma, tweedie, found hinge"),
        (("--loss", "gamma", "--task", "classification"), "--loss is for numbers"),
        (("--power", "1.5"), "--power is a parameter of the loss tweedie, not of squared"),
        (("--loss", "tweedie", "--power", "3"), "--power must be between 1 and 2"),
        (("--loss", "squared", "--exposure", "age"), "found the loss squared"),
        (
            ("--loss", "gamma", "--exposure", "group"),
            "column 'group' holds 'B' in row 0: expected a number",
        ),
    ],
)
def test_losses_and_exposures_that_do_not_fit_are_refused(refused, arguments, message):
    assert message in refused("--ignore", "ill", *arguments, target="stay")


def test_an_exposure_is_not_for_classes(refused):
    assert "--exposure is for numbers" in refused("--exposure", "age", "--ignore", "stay")


def test_a_loss_for_numbers_is_not_for_texts(refused):
    assert "a regression needs numbers, but ill is" in refused("--loss", "gamma")


def test_numbers_may_be_classes(fitted):
    found = fitted("--ignore", "ill,stay", "--task", "classification", target="group")
    assert found["model"]["classes"] == ["A", "AB", "B", "O"]


def test_cross_validation_chooses_the_penalty_and_the_size(fitted):
    found = fitted("--ignore", "ill", target="stay")
    chosen = found["cross_validation"]
    assert chosen["selection"] == "near_best"
    assert len(chosen["risk"]) == len(chosen["standard_error"]) > chosen["complexity"]
    assert 0 < found["complexity"] <= chosen["complexity"]


def test_the_estimators_that_cross_validate_growth_can_be_asked_for(fitted):
    chosen = fitted("--ignore", "ill", "--cv", "2", target="stay")["cross_validation"]
    assert chosen["selection"] == "one_se"
    assert chosen["reg_lambda"] in VOTE_PENALTIES


@pytest.mark.parametrize("cv", [(), ("--cv", "2")])
def test_cross_validation_may_choose_the_lowest_risk(fitted, cv):
    options = ("--ignore", "ill", "--max-rules", "4", "--reg-lambda", "0.5", *cv)
    best = fitted(*options, "--selection", "best", target="stay")["cross_validation"]
    simple = fitted(*options, "--selection", "one_se", target="stay")["cross_validation"]
    assert best["reg_lambda"] == simple["reg_lambda"] == 0.5
    assert best["risk"] == simple["risk"]
    assert best["risk"][best["complexity"]] == min(best["risk"])
    assert simple["complexity"] <= best["complexity"]


def test_without_cross_validation_the_largest_model_is_used(fitted):
    found = fitted("--ignore", "ill", "--selection", "none", target="stay")
    assert found["cross_validation"] is None
    assert found["complexity"] == found["curve"][-1]["complexity"]
    assert {point["cross_validated_risk"] for point in found["curve"]} == {None}


def test_effort_is_passed_on(fitted, monkeypatch):
    seen = []
    really = LLTBoostClassifier.fit
    monkeypatch.setattr(
        LLTBoostClassifier,
        "fit",
        lambda self, *a, **b: [seen.append(self.effort), really(self, *a, **b)][1],
    )
    for effort in ("low", "high"):
        fitted("--ignore", "stay", "--effort", effort, "--selection", "none")
    assert seen == ["low", "high"]


def test_rare_classes_may_count_as_much_as_others(said, folder):
    write_csv(folder / "t.csv", [{"a": k, "y": "yes" if k % 10 else "no"} for k in range(100)])
    options = ("--max-rules", "0", "--test-size", "0", "--json")
    found = json.loads(
        said("fit", "t.csv", "--target", "y", *options, "--class-weight", "balanced")[1]
    )
    assert found["model"]["offset"] == pytest.approx(0, abs=1e-6)


def test_rules_are_no_larger_than_asked(fitted):
    found = fitted("--ignore", "stay", "--max-rule-complexity", "1")
    assert found["complexity"] <= 3 * found["rules"]


@pytest.mark.parametrize("seed", range(4))
def test_one_rare_outcome_may_leave_no_variance_to_explain(said, folder, seed):
    rows = [{"a": k % 7, "y": 2 if k == 7 else 1} for k in range(12)]
    table = write_csv(folder / "rare.csv", rows)
    arguments = ("--target", "y", "--task", "regression", "--random-state", str(seed))
    code, printed, errors = said("fit", table, *arguments)
    (line,) = [line for line in printed.splitlines() if line.startswith("R²")]
    assert (code, errors) == (0, "")
    assert "–" in line.split()


def test_weights_of_rows_count_like_copies(said, folder):
    once = patients(120)
    weighted = [{**row, "copies": 1 + k % 2} for k, row in enumerate(once)]
    copied = [row for k, row in enumerate(once) for _ in range(1 + k % 2)]
    write_csv(folder / "copied.csv", copied)
    options = ("--target", "stay", *QUICK, "--ignore", "ill", "--test-size", "0", "--json")
    weighted.append({**once[0], "stay": 99.0, "copies": 0})
    write_csv(folder / "weighted.csv", weighted)
    first = json.loads(said("fit", "weighted.csv", *options, "--weight", "copies")[1])
    second = json.loads(said("fit", "copied.csv", *options)[1])
    rows = [fit["model"]["record"].pop("n_rows") for fit in (first, second)]
    assert rows == [120, 180]
    assert first["model"] == second["model"]
    assert first["training"]["risk"] == pytest.approx(second["training"]["risk"])


def test_limits_of_size_and_the_seed_are_obeyed(fitted):
    small = fitted("--ignore", "stay", "--max-complexity", "3")
    assert small["complexity"] <= 3
    others = [fitted("--ignore", "stay", "--random-state", str(seed)) for seed in (1, 1, 2)]
    assert others[0] == others[1]
    assert others[0]["test"] != others[2]["test"]


def test_rows_without_outcome_and_useless_columns_are_left_out_and_named(said, folder):
    rows = [
        {**row, "name": f"somebody {k}", "born": f"19{k % 90 + 10}-01-01"}
        for k, row in enumerate(patients())
    ]
    for row in rows[:5]:
        row["ill"] = None
    write_csv(folder / "t.csv", rows)
    code, printed, _ = said("fit", "t.csv", "--target", "ill", *QUICK, "--ignore", "stay")
    assert code == 0
    assert "Left out 5 rows without ill." in printed
    assert (
        "Left out the column name: 295 different texts in 295 rows, such as 'somebody 10', are "
        "taken for names or identifiers; if they are categories, use --categories name." in printed
    )
    assert "Left out the column born: dates and times, such as 1910-01-01, have no un" in printed


def test_tables_come_from_standard_input(table, said, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
    assert said("fit", "-", "--target", "ill", *QUICK, "--max-rules", "0")[0] == 0


def test_a_picture_of_the_curve(said, table, folder):
    options = ("fit", table, "--target", "ill", *QUICK, "--ignore", "stay", "--curve")
    assert said(*options, "curve.png", "--selection", "none")[0] == 0
    assert said(*options, "cv.svg", "--test-size", "0")[0] == 0
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "cv.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--target", "il"), 1, "no column 'il' for --target; did you mean 'ill'?"),
        (("--target", ""), 1, "no column '' for --target; it has the columns 'patient'"),
        (("--target", "ill", "--weight", "w"), 1, "no column 'w' for --weight"),
        (("--target", "ill", "--weight", ""), 1, "no column '' for --weight"),
        (("--target", "stay", "--exposure", ""), 1, "no column '' for --exposure"),
        (("--target", "ill", "--jobs", "99999999999"), 2, "'--jobs': must be from 1 to 1000"),
        (("--target", "ill", "--random-state", "4294967296"), 2, "'--random-state'"),
        (("--target", "ill", "--max-seconds", "inf"), 2, "'--max-seconds': must be above 0 and"),
        (("--target", "ill", "--weight", "group"), 1, "holds 'B' in row 0: expected a number"),
        (("--target", "ill", "--ignore", "x"), 1, "no column 'x' for --ignore"),
        (("--target", "ill", "--categories", "x"), 1, "no column 'x' for --categories"),
        (("--target", "ill", "--log-columns", "x"), 1, "no column 'x' for --log-columns"),
        (("--target", "ill", "--log-columns", "group"), 1, "holds texts"),
        (("--target", "ill", "--units", "x=kg"), 1, "no column 'x' for --units"),
        (("--target", "ill", "--units", "kg"), 2, "weight=kg"),
        (("--target", "ill", "--task", "regression"), 1, "needs numbers"),
        (("--target", "ill", "--task", "magic"), 2, "magic"),
        (("--target", "ill", "--test-size", "1"), 2, "test-size"),
        (("--target", "ill", "--cv", "1"), 2, "cv"),
        (("--target", "ill", "--cv", "226"), 1, "--cv 226 is more than the 225 rows to learn from"),
        (("--target", "ill", "--selection", "few"), 2, "few"),
        (("--target", "ill", "--selection", "none", "--cv", "3"), 2, "so leave out --cv"),
        (("--target", "ill", "--effort", "huge"), 2, "huge"),
        (("--target", "ill", "--reg-lambda", "-1"), 2, "must be auto or a number ≥ 0, found -1"),
        (("--target", "ill", "--reg-lambda", "nan"), 2, "must be auto or a number ≥ 0, found nan"),
        (("--target", "ill", "--reg-lambda", "x"), 2, "must be auto or a number ≥ 0, found x"),
        (("--target", "stay", "--class-weight", "balanced"), 2, "--class-weight is for classes"),
        (("--target", "stay", "--positive", "3"), 2, "--positive is for classes"),
        (("--target", "stay", "--recalibrate"), 2, "--recalibrate is for classes"),
        (("--target", "ill", "--positive", "Yes"), 1, "positive must be one of two classes, found"),
        (("--target", "ill", "--max-rule-complexity", "0"), 2, "--max-rule-complexity"),
        (("--target", "ill", "--out", "."), 1, ". is a folder: name a file"),
        (("--target", "ill", "--curve", "c.xyz"), 1, "c.xyz: a figure must be one of"),
        (("--target", "ill", "--out", "no/where.json"), 1, "no folder no"),
        (
            ("--target", "ill", "--curve", "c.png", "--test-size", "0", "--selection", "none"),
            2,
            "--curve needs test rows or cross-validation",
        ),
        (
            ("--target", "ill", "--ignore", "patient,age,weight,height,group,stay"),
            1,
            "no column to learn from besides ill",
        ),
        ((), 2, "target"),
    ],
)
def test_errors_are_one_line(arguments, code, words, said, table):
    found, printed, errors = said("fit", table, *arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,y\n1,x\n2,x\n", "y is 'x' in all rows"),
        ("a,y\n1,\n2,\n", "'y' is empty in all rows"),
        ("a,y\n1,2020-01-01\n2,2020-01-02\n", "numbers or classes, found 2020-01-01: turn it"),
        (
            'a,y\n1,"2,5"\n2,"3,5"\n',
            "'y' holds numbers with a decimal comma, such as '2,5'",
        ),
        ("a,y\n" + "".join(f"{k},t{k}\n" for k in range(50)), "50 different texts"),
        ("a,y\n1,0\n2,1\n>3,0\n4,1\n", "holds numbers, but '>3' in row 2"),
        ("a,y\n1,0\ninf,1\n3,0\n", "'a' is infinite in row 1"),
        (f"a,y\n1,{10**20}\n2,{10**20 + 1}\n", f"y is {10**20} in some row: whole numbers beyond"),
    ],
)
def test_tables_from_which_nothing_can_be_learned(text, words, said, folder):
    (folder / "t.csv").write_text(text)
    code, printed, errors = said("fit", "t.csv", "--target", "y")
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert words in errors


def test_logarithms_want_positive_numbers(said, folder):
    (folder / "t.csv").write_text("a,y\n1,0\n0,1\n3,0\n")
    errors = said("fit", "t.csv", "--target", "y", "--log-columns", "a")[2]
    assert "'a', named in --log-columns, is 0 in row 1" in errors


@pytest.mark.parametrize("step", ["_grow", "_cross_validate"])
def test_an_interruption_keeps_the_rules_so_far(step, said, table, monkeypatch, folder):
    really = getattr(LLTBoostClassifier, step)

    def interrupted(self, *arguments):
        really(self, *arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(LLTBoostClassifier, step, interrupted)
    code, printed, errors = said("fit", table, "--target", "ill", *QUICK, "--out", "model.json")
    assert (code, errors) == (130, "sorb: interrupted: kept the rules learned so far\n")
    assert len(RuleEnsemble.load(folder / "model.json")) == 2
    assert "2 rules," in printed


def test_an_interruption_before_there_is_a_model_says_that_nothing_was_written(
    said, table, monkeypatch, folder
):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(LLTBoostClassifierCV, "_cross_validate", interrupted)
    found = said("fit", table, "--target", "ill", *QUICK, "--cv", "2", "--out", "m.json")
    words = "sorb: interrupted: nothing was written\n"
    assert found == (130, "", words)
    assert not (folder / "m.json").exists()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("sorb.tables.csv_file.CsvFile.read", "nothing was written"),
        ("sorb.cli.fit_report.FitReport.print_text", "m.json was written"),
    ],
)
def test_an_interruption_at_any_time_says_what_was_written(step, words, said, table, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupted)
    found = said("fit", table, "--target", "ill", *QUICK, "--out", "m.json")
    assert found == (130, "", f"sorb: interrupted: {words}\n")


def test_other_warnings_are_printed(said, table, monkeypatch):
    import warnings

    really = LLTBoostClassifier.fit

    def warning(self, *arguments, **options):
        warnings.warn("a thing to know", stacklevel=2)
        return really(self, *arguments, **options)

    monkeypatch.setattr(LLTBoostClassifier, "fit", warning)
    code, _, errors = said("fit", table, "--target", "ill", *QUICK)
    assert (code, errors) == (0, "sorb: a thing to know\n")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals to pretend")
def test_progress_is_shown_on_stderr_if_that_is_a_terminal(table):
    master, slave = os.openpty()
    command = [sys.executable, "-c", "from sorb.cli import main; main()"]
    arguments = ["fit", str(table), "--target", "ill", *QUICK, "--json"]
    subprocess.run(
        command + arguments, stdout=subprocess.PIPE, stderr=slave, timeout=100, check=True
    )
    os.close(slave)
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert "cross-validation, fit" in shown
    assert "2/2" in shown


def test_nothing_is_shown_on_stderr_else(table, capfd):
    assert run(["fit", str(table), "--target", "ill", *QUICK]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "column 'y' is 1e+90 in row 17: expected at most 1e+70 in size"),
        (("--loss", "gamma"), "column 'y' is 1e+90 in row 17: expected at most 1e+70 in size"),
        (("--loss", "gamma", "--exposure", "e"), "column 'y' / column 'e' is 1e+90 in row 17: "),
    ],
)
def test_an_outcome_of_impossible_size_is_named_by_its_row_in_the_file(
    options, words, said, folder
):
    outcomes = {3: "", 17: 1e90}
    rows = [{"a": k % 7, "e": 1, "y": outcomes.get(k, k + 1)} for k in range(40)]
    write_csv(folder / "t.csv", rows)
    code, _, errors = said("fit", "t.csv", "--target", "y", *options)
    assert code == 1
    assert words in errors


def test_an_infinite_outcome_is_named_by_its_row_in_the_file(said, folder):
    rows = [{"a": k % 7, "y": {3: "", 17: "inf"}.get(k, k + 1)} for k in range(40)]
    write_csv(folder / "t.csv", rows)
    code, _, errors = said("fit", "t.csv", "--target", "y")
    assert code == 1
    assert "column 'y' is inf in row 17: expected a finite number" in errors


def test_a_fit_begins_with_given_rules(said, table, folder):
    options = ("--target", "ill", "--ignore", "patient,stay", "--max-rules", "2")
    asked = ("fit", table, *options, "--out", "first.json")
    assert said(*asked)[0] == 0
    (rule, *_) = RuleEnsemble.load(folder / "first.json")
    for way in ((), ("--memory", "4GB")):
        begun = ("fit", table, *options, "--init", "first.json", "--out", "model.json")
        code, _, errors = said(*begun, *way)
        assert (code, errors) == (0, "")
        assert RuleEnsemble.load(folder / "model.json")[0].condition == rule.condition
    code, _, errors = said(*asked, "--init", "first.json")
    assert code != 0
    assert "first.json" in errors
