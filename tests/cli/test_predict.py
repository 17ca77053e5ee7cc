import csv
import io
import math

import pyarrow.parquet as pq
import pytest
from cli.patients import hand_made, patients

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def expected_score(row):
    """The score of the hand-made model, worked out by hand."""
    heavy = row["age"] >= 45 and row["weight"] / row["height"] / row["height"] >= 26
    return -2.0 + 3.5 * heavy - 0.25 * (row["group"] in ("A", "AB"))


def test_each_row_gets_a_class_in_the_order_of_the_table(said, model, table):
    code, printed, errors = said("predict", model, table)
    expected = ["yes" if expected_score(row) > 0 else "no" for row in patients()]
    assert (code, errors) == (0, "")
    assert [row["prediction"] for row in rows_of(printed)] == expected
    assert len(set(expected)) == 2


def test_probabilities_and_columns_to_keep(said, model, table):
    _, printed, _ = said("predict", model, table, "--proba", "--id", "patient", "--id", "age")
    assert (
        printed.splitlines()[0]
        == "patient,age,prediction,probability_no,probability_yes,outside_training"
    )
    for row, given in zip(rows_of(printed), patients(), strict=True):
        ill = 1 / (1 + math.exp(-expected_score(given)))
        assert (int(row["patient"]), int(row["age"])) == (given["patient"], given["age"])
        assert float(row["probability_yes"]) == pytest.approx(ill, abs=1e-12)
        assert float(row["probability_no"]) == pytest.approx(1 - ill, abs=1e-12)


def test_the_file_may_be_parquet(said, model, table, folder):
    assert said("predict", model, table, "--out", "out.parquet") == (0, "", "")
    _, printed, _ = said("predict", model, table)
    found = pq.read_table(folder / "out.parquet")["prediction"].to_pylist()
    assert found == [row["prediction"] for row in rows_of(printed)]


def test_missing_values_go_the_way_the_rules_say(said, folder):
    rules = (
        Rule(Condition((Proposition(("a",), (1.0,), 5.0, missing=True),)), 1.0),
        Rule(Condition((Proposition(("a",), (1.0,), 5.0),)), 10.0),
    )
    RuleEnsemble(0.0, rules, ("a",), "squared").save(folder / "m.json")
    (folder / "t.csv").write_text("a,b\n6,x\nNA,y\n,z\n4,\n")
    assert (
        said("predict", "m.json", "t.csv")[1]
        == "prediction,outside_training\n11.0,\n1.0,\n1.0,\n0.0,\n"
    )


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
    assert set(printed.splitlines()) == {
        "prediction,probability_only,outside_training",
        "only,1.0,",
    }
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


def test_numbers_have_no_probabilities(said, folder, table):
    hand_made(loss="squared", classes=None).save(folder / "m.json")
    code, printed, errors = said("predict", "m.json", table, "--proba")
    assert (code, printed) == (2, "")
    assert "--proba needs classes" in errors


def test_classes_that_are_written_alike_have_no_column_each(said, folder, table):
    hand_made(classes=("1", 1)).save(folder / "m.json")
    code, printed, errors = said("predict", "m.json", table, "--proba")
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert "the classes '1' and 1 would share the column 'probability_1'" in errors


@pytest.mark.parametrize("text", ["1_000", "\u0661"])
def test_only_numbers_as_every_program_writes_them_are_numbers(text, said, model, folder):
    (folder / "t.csv").write_text(f"age,weight,height,group\n4,1,1,A\n{text},1,1,A\n")
    code, _, errors = said("predict", model, "t.csv")
    assert (code, errors.count("\n")) == (1, 1)
    assert f"'age', found '{text}' in row 1" in errors
