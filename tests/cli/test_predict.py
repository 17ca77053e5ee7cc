import csv
import io
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.patients import hand_made, patients, write_csv

from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def expected_votes(row):
    """The decision value of the hand-made model, worked out by hand."""
    heavy = row["age"] >= 45 and row["weight"] / row["height"] / row["height"] >= 26
    return -2.0 + 3.5 * heavy - 0.25 * (row["group"] in ("A", "AB"))


def test_each_row_gets_a_class_in_the_order_of_the_table(said, model, table):
    code, printed, errors = said("predict", model, table)
    expected = ["yes" if expected_votes(row) > 0 else "no" for row in patients()]
    assert (code, errors) == (0, "")
    assert [row["prediction"] for row in rows_of(printed)] == expected
    assert len(set(expected)) == 2


def test_probabilities_and_columns_to_keep(said, model, table):
    _, printed, _ = said("predict", model, table, "--proba", "--id", "patient", "--id", "age")
    assert printed.splitlines()[0] == "patient,age,prediction,probability_no,probability_yes"
    for row, given in zip(rows_of(printed), patients(), strict=True):
        ill = 1 / (1 + math.exp(-expected_votes(given)))
        assert (int(row["patient"]), int(row["age"])) == (given["patient"], given["age"])
        assert float(row["probability_yes"]) == pytest.approx(ill, abs=1e-12)
        assert float(row["probability_no"]) == pytest.approx(1 - ill, abs=1e-12)


def test_the_file_may_be_parquet(said, model, table, folder):
    assert said("predict", model, table, "--out", "out.parquet") == (0, "", "")
    _, printed, _ = said("predict", model, table)
    found = pq.read_table(folder / "out.parquet")["prediction"].to_pylist()
    assert found == [row["prediction"] for row in rows_of(printed)]


def test_missing_columns_that_no_rule_needs_do_no_harm(said, model, folder):
    needed = ("age", "weight", "height", "group")
    rows = [{name: row[name] for name in reversed(needed)} for row in patients(20)]
    write_csv(folder / "few.csv", rows)
    assert said("predict", model, "few.csv")[0] == 0


def test_ids_keep_their_zeros(said, model, folder):
    write_csv(folder / "one.csv", [{**patients(1)[0], "patient": "007"}])
    assert said("predict", model, "one.csv", "--id", "patient")[1].splitlines()[1] == "007,no"


def test_ids_that_look_missing_are_passed_on(said, model, folder):
    rows = [{**patients(1)[0], "patient": name} for name in ("NA", "?", "null", "")]
    write_csv(folder / "t.csv", rows)
    assert said("predict", model, "t.csv", "--id", "patient")[1].splitlines()[1:] == [
        "NA,no",
        "?,no",
        "null,no",
        ",no",
    ]


def test_categories_that_look_like_numbers_stay_texts(said, folder):
    west = Rule(Condition((Membership("ward", ("1", "02")),)), 5.0)
    RuleEnsemble(1.0, (west,), ("ward",), "squared").save(folder / "m.json")
    write_csv(folder / "t.csv", [{"ward": ward} for ward in ("1", "02", "2", "")])
    _, printed, _ = said("predict", "m.json", "t.csv", "--id", "ward")
    assert printed == "ward,prediction\n1,6.0\n02,6.0\n2,1.0\n,1.0\n"


@pytest.mark.parametrize("learned", ["True", "TRUE", "true"])
def test_truth_values_are_categories_however_a_table_writes_them(learned, said, folder):
    smoker = Rule(Condition((Membership("smoker", (learned,)),)), 5.0)
    RuleEnsemble(1.0, (smoker,), ("smoker",), "squared").save(folder / "m.json")
    pq.write_table(pa.table({"smoker": [True, False, None]}), folder / "t.parquet")
    assert said("predict", "m.json", "t.parquet")[1] == "prediction\n6.0\n1.0\n1.0\n"
    for yes, no in (("True", "False"), ("TRUE", "FALSE"), ("true", "false")):
        (folder / "t.csv").write_text(f"smoker,a\n{yes},1\n{no},2\n,3\n")
        assert said("predict", "m.json", "t.csv")[1] == "prediction\n6.0\n1.0\n1.0\n"


def test_truth_values_of_which_rules_know_several_spellings_are_these(said, folder):
    rules = (
        Rule(Condition((Membership("word", ("True",)),)), 1.0),
        Rule(Condition((Membership("word", ("TRUE",)),)), 10.0),
    )
    RuleEnsemble(0.0, rules, ("word",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("word,a\nTrue,1\nTRUE,2\nuntrue,3\n")
    assert said("predict", "m.json", "t.csv")[1] == "prediction\n1.0\n10.0\n0.0\n"


def test_missing_values_go_the_way_the_rules_say(said, folder):
    rules = (
        Rule(Condition((Proposition(("a",), (1.0,), 5.0, missing=True),)), 1.0),
        Rule(Condition((Proposition(("a",), (1.0,), 5.0),)), 10.0),
    )
    RuleEnsemble(0.0, rules, ("a",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("a,b\n6,x\nNA,y\n,z\n4,\n")
    assert said("predict", "m.json", "t.csv")[1] == "prediction\n11.0\n1.0\n1.0\n0.0\n"


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_a_model_without_rules_answers_for_every_row(said, name, folder, table):
    RuleEnsemble(2.0, (), ("a",), "poisson").save(folder / "m.json")
    if name == "t.parquet":
        from pyarrow.csv import read_csv

        pq.write_table(read_csv(table), name)
    code, printed, _ = said("predict", "m.json", name if name == "t.parquet" else table)
    assert code == 0
    assert [float(row["prediction"]) for row in rows_of(printed)] == [math.exp(2.0)] * 300


def test_one_class_and_unnamed_classes(said, folder, table):
    hand_made(classes=("only",)).save(folder / "one.json")
    hand_made(classes=None).save(folder / "unnamed.json")
    _, printed, _ = said("predict", "one.json", table, "--proba")
    assert set(printed.splitlines()) == {"prediction,probability_only", "only,1.0"}
    _, printed, _ = said("predict", "unnamed.json", table, "--proba")
    assert {row["prediction"] for row in rows_of(printed)} == {"0", "1"}


def test_of_several_classes_the_most_probable_is_predicted(said, folder):
    old = Condition((Proposition(("age",), (1.0,), 40.0),))
    ensemble = RuleEnsemble((0.5, 0.0, 0.2), (Rule(old, 1.0, 1),), ("age",), "softmax", (7, 8, 9))
    ensemble.save(folder / "m.json")
    (folder / "t.csv").write_text("age,b\n39,\n40,\n")
    _, printed, _ = said("predict", "m.json", "t.csv", "--proba")
    first, second = rows_of(printed)
    assert (first["prediction"], second["prediction"]) == ("7", "8")
    sizes = [math.exp(0.5), math.exp(1.0), math.exp(0.2)]
    shares = [float(second[f"probability_{label}"]) for label in (7, 8, 9)]
    assert shares == pytest.approx([size / sum(sizes) for size in sizes], abs=1e-12)


@pytest.mark.parametrize(
    ("text", "arguments", "code", "words"),
    [
        ("age,weight,height,group\nx,1,1,A\n", (), 1, "'age', found 'x' in row 0"),
        ("age,weight,height,group\n4,1,1,A\n,x,1,A\n", (), 1, "'weight', found 'x' in row 1"),
        (
            "age,weight,height,group\n2020-01-02,1,1,A\n",
            (),
            1,
            "'age', found '2020-01-02' in row 0",
        ),
        (
            'age,weight,height,group\n"4,5",1,1,A\n',
            (),
            1,
            "'age', found '4,5' in row 0: use --decimal comma",
        ),
        ("age,weight,group\n4,1,A\n", (), 1, "no column 'height' for the rules; did you mean"),
        ("age,weight,height,group\n4,1,1,A\n", ("--id", "id"), 1, "no column 'id' for --id"),
        ("age,weight,height,group\n4,1,1,A\n", ("--out", "no/where.csv"), 1, "no folder no"),
        (
            "age,weight,height,group,prediction\n4,1,1,A,7\n",
            ("--id", "prediction"),
            1,
            "has the name of a column of the result",
        ),
    ],
)
def test_errors(text, arguments, code, words, said, model, folder):
    (folder / "t.csv").write_text(text)
    found, printed, errors = said("predict", model, "t.csv", *arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors


def test_numbers_written_as_texts_are_no_numbers(said, model, folder):
    columns = {
        "age": ["50", None],
        "weight": [80.0, 80.0],
        "height": [1.7, 1.7],
        "group": ["A", "A"],
    }
    pq.write_table(pa.table(columns), folder / "t.parquet")
    code, _, errors = said("predict", model, "t.parquet")
    assert code == 1
    assert "need numbers in column 'age', found '50' in row 0\n" in errors


def test_commas_may_be_decimal_also_where_they_separate(said, model, folder):
    (folder / "t.csv").write_text('age,weight,height,group\n"50,5","80,5","1,7",A\n')
    found = said("predict", model, "t.csv", "--decimal", "comma")
    assert found == (0, "prediction\nyes\n", "")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_texts_are_not_looked_for_among_numbers(name, said, folder):
    west = Rule(Condition((Membership("zip", (20095, 20097)),)), 5.0)
    RuleEnsemble(1.0, (west,), ("zip",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("zip,a\n20095,1\nABC,2\n")
    pq.write_table(pa.table({"zip": ["20095", "ABC"]}), folder / "t.parquet")
    code, printed, errors = said("predict", "m.json", name)
    assert (code, printed) == (1, "")
    assert "need numbers in column 'zip', found 'ABC' in row 1" in errors


def test_numbers_have_no_probabilities(said, folder, table):
    hand_made(loss="squared", classes=None).save(folder / "m.json")
    code, printed, errors = said("predict", "m.json", table, "--proba")
    assert (code, printed) == (2, "")
    assert "--proba needs classes" in errors


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("no model", "model.json is not a model"),
        ('{"format": "sorb.rule-ensemble", "version": 99}', "version"),
    ],
)
def test_what_is_no_model_is_refused(content, words, said, folder, table):
    (folder / "model.json").write_text(content)
    code, _, errors = said("predict", "model.json", table)
    assert code == 1
    assert words in errors


def test_a_missing_model_is_named(said, table):
    assert said("predict", "nowhere.json", table)[::2] == (
        1,
        "sorb: nowhere.json: No such file or directory\n",
    )
