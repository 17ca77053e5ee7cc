import json
import math
from dataclasses import replace

import pytest
from cli.patients import SEEN, hand_made, patients

from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble


def first(of):
    """The number of the first patient of whom something is true."""
    return next(row for row, patient in enumerate(patients()) if of(patient))


def is_heavy(row):
    return row["age"] >= 45 and row["weight"] / row["height"] ** 2 >= 26


def test_votes_lead_from_the_offset_to_the_total(said, model, table):
    row = first(lambda patient: is_heavy(patient) and patient["group"] == "A")
    found = json.loads(said("explain", model, table, "--row", row, "--json")[1])
    votes = [rule["score"] for rule in found["rules"]]
    assert votes == [3.5, -0.25]
    assert found["score"] == found["offset"]["score"] + sum(votes) == 1.25
    assert found["expected"] == pytest.approx(1 / (1 + math.exp(-1.25)))
    added = sum(rule["expected"] for rule in found["rules"])
    assert found["offset"]["expected"] + added == pytest.approx(found["expected"])
    assert (found["row"], found["prediction"]) == (row, "yes")
    assert found["values"] == {
        name: patients()[row][name] for name in ("age", "weight", "height", "group")
    }


def test_people_get_the_values_the_votes_and_words(said, model, table):
    row = first(lambda patient: is_heavy(patient) and patient["group"] == "O")
    code, printed, errors = said("explain", model, table, "--row", row)
    patient = patients()[row]
    assert (code, errors) == (0, "")
    assert f"age {patient['age']}, weight {patient['weight']} kg" in printed
    assert "rule 1: age ≥ 45  and  weight / height² ≥ 26 kg/m²" in printed
    assert "not covered by rule 2" in printed
    assert "The model says yes." in printed


def test_missing_values_are_called_so(said, model, folder):
    (folder / "t.csv").write_text("age,weight,height,group\n50,NA,1.7,A\n")
    assert "weight missing, height 1.7 m," in said("explain", model, "t.csv", "--row", 0)[1]
    found = json.loads(said("explain", model, "t.csv", "--row", 0, "--json")[1])
    assert found["values"]["weight"] is None


def test_values_that_json_has_no_word_for_are_texts_or_null(said, folder):
    rules = (
        Rule(Condition((Membership("born", (), missing=True),)), 1.0),
        Rule(Condition((Proposition(("a",), (1.0,), 2.0),)), 1.0),
    )
    RuleEnsemble(1000.0, rules, ("born", "a"), "poisson").save(folder / "m.json")
    (folder / "t.csv").write_text("born,a\n1970-05-06,\n")
    found = json.loads(said("explain", "m.json", "t.csv", "--row", 0, "--json")[1])
    assert found["values"] == {"born": "1970-05-06", "a": None}
    assert found["prediction"] is None


def test_an_infinite_number_is_refused(said, model, folder):
    (folder / "t.csv").write_text("age,weight,height,group\ninf,80,1.7,A\n")
    code, printed, errors = said("explain", model, "t.csv", "--row", 0)
    assert (code, printed) == (1, "")
    assert "infinity in column 'age'" in errors


def test_what_is_unlike_the_training_is_said(said, folder):
    replace(hand_made(), experience=SEEN).save(folder / "m.json")
    (folder / "t.csv").write_text("age,weight,height,group\n50,80,1.7,A\n7,80,1.7,Oh\n")
    _, printed, errors = said("explain", "m.json", "t.csv", "--row", 1)
    assert errors == ""
    assert "column 'age' is 7, outside of 18 to 84 in training\n" in printed
    assert "column 'group' holds 'Oh', never seen in training\n" in printed
    assert "training" not in said("explain", "m.json", "t.csv", "--row", 0)[1]
    found = json.loads(said("explain", "m.json", "t.csv", "--row", 1, "--json")[1])
    assert found["outside_training"] == ["age", "group"]


def test_several_classes_have_several_numbers(said, folder):
    old = Condition((Proposition(("age",), (1.0,), 40.0),))
    rules = (Rule(old, 1.0, 1),)
    RuleEnsemble((0.5, 0.0, 0.2), rules, ("age",), "softmax", ("a", "b", "c")).save("m.json")
    (folder / "t.csv").write_text("age,n\n50,1\n")
    found = json.loads(said("explain", "m.json", "t.csv", "--row", 0, "--json")[1])
    assert found["score"] == [0.5, 1.0, 0.2]
    assert sum(found["expected"]) == pytest.approx(1)
    assert (found["prediction"], found["rules"][0]["output"]) == ("b", 1)


def test_a_model_without_rules_looks_at_nothing(said, folder, table):
    hand_made(rules=()).save(folder / "m.json")
    code, printed, _ = said("explain", "m.json", table, "--row", 0)
    assert code == 0
    assert printed.startswith("The log-odds")


@pytest.mark.parametrize(
    ("row", "code", "words"), [(300, 1, "the last of"), (-1, 2, "row"), ("x", 2, "row")]
)
def test_rows_that_are_not_there(row, code, words, said, model, table):
    found, printed, errors = said("explain", model, table, "--row", row)
    assert (found, printed) == (code, "")
    assert words in errors


def test_what_no_float_can_hold_is_null(said, folder, table):
    hand_made(offset=1000.0, loss="poisson", classes=None).save(folder / "m.json")
    code, printed, errors = said("explain", "m.json", table, "--row", 0, "--json")
    assert (code, errors) == (0, "")
    found = json.loads(printed)
    assert (found["expected"], found["offset"]["expected"], found["prediction"]) == (None,) * 3
