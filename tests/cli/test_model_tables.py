import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli.patients import patients, write_csv

from sorb.rules import Condition, Membership, Rule, RuleEnsemble


def test_missing_columns_that_no_rule_needs_do_no_harm(said, model, folder):
    needed = ("age", "weight", "height", "group")
    rows = [{name: row[name] for name in reversed(needed)} for row in patients(20)]
    write_csv(folder / "few.csv", rows)
    assert said("predict", model, "few.csv")[0] == 0


def test_ids_keep_their_zeros(said, model, folder):
    write_csv(folder / "one.csv", [{**patients(1)[0], "patient": "007"}])
    assert said("predict", model, "one.csv", "--id", "patient")[1].splitlines()[1] == "007,no,"


def test_ids_that_look_missing_are_passed_on(said, model, folder):
    rows = [{**patients(1)[0], "patient": name} for name in ("NA", "?", "null", "")]
    write_csv(folder / "t.csv", rows)
    assert said("predict", model, "t.csv", "--id", "patient")[1].splitlines()[1:] == [
        "NA,no,",
        "?,no,",
        "null,no,",
        ",no,",
    ]


def test_categories_that_look_like_numbers_stay_texts(said, folder):
    west = Rule(Condition((Membership("ward", ("1", "02")),)), 5.0)
    RuleEnsemble(1.0, (west,), ("ward",), "squared").save(folder / "m.json")
    write_csv(folder / "t.csv", [{"ward": ward} for ward in ("1", "02", "2", "")])
    _, printed, _ = said("predict", "m.json", "t.csv", "--id", "ward")
    assert printed == "ward,prediction,outside_training\n1,6.0,\n02,6.0,\n2,1.0,\n,1.0,\n"


@pytest.mark.parametrize("learned", ["True", "TRUE", "true"])
def test_truth_values_are_categories_however_a_table_writes_them(learned, said, folder):
    smoker = Rule(Condition((Membership("smoker", (learned,)),)), 5.0)
    RuleEnsemble(1.0, (smoker,), ("smoker",), "squared").save(folder / "m.json")
    pq.write_table(pa.table({"smoker": [True, False, None]}), folder / "t.parquet")
    expected = "prediction,outside_training\n6.0,\n1.0,\n1.0,\n"
    assert said("predict", "m.json", "t.parquet")[1] == expected
    for yes, no in (("True", "False"), ("TRUE", "FALSE"), ("true", "false")):
        (folder / "t.csv").write_text(f"smoker,a\n{yes},1\n{no},2\n,3\n")
        assert said("predict", "m.json", "t.csv")[1] == expected


def test_truth_values_of_which_rules_know_several_spellings_are_these(said, folder):
    rules = (
        Rule(Condition((Membership("word", ("True",)),)), 1.0),
        Rule(Condition((Membership("word", ("TRUE",)),)), 10.0),
    )
    RuleEnsemble(0.0, rules, ("word",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("word,a\nTrue,1\nTRUE,2\nuntrue,3\n")
    expected = "prediction,outside_training\n1.0,\n10.0,\n0.0,\n"
    assert said("predict", "m.json", "t.csv")[1] == expected


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
    assert found == (0, "prediction,outside_training\nyes,\n", "")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_texts_are_not_looked_for_among_numbers(name, said, folder):
    west = Rule(Condition((Membership("zip", (20095, 20097)),)), 5.0)
    RuleEnsemble(1.0, (west,), ("zip",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("zip,a\n20095,1\nABC,2\n")
    pq.write_table(pa.table({"zip": ["20095", "ABC"]}), folder / "t.parquet")
    code, printed, errors = said("predict", "m.json", name)
    assert (code, printed) == (1, "")
    assert "need numbers in column 'zip', found 'ABC' in row 1" in errors
