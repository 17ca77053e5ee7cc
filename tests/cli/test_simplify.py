import json

import pandas as pd
import pytest
from cli.patients import hand_made, heavy, patients

from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


@pytest.fixture
def long(folder):
    """A model with more digits than it needs."""
    old = Proposition(("age",), (1.0,), 44.738291)
    rules = (Rule(Condition((old, heavy(25.91837))), 3.48291),)
    hand_made(rules=rules).save(folder / "long.json")
    return folder / "long.json"


def test_no_row_changes_side_and_digits_get_fewer(said, long, table, folder):
    code, printed, errors = said("simplify", long, table, "--target", "ill", "--out", "short.json")
    assert (code, errors) == (0, "")
    before, after = RuleEnsemble.load(long), RuleEnsemble.load(folder / "short.json")
    rows = pd.DataFrame(patients())
    assert (before.covers(rows) == after.covers(rows)).all()
    assert len(after.format(None)) < len(before.format(None))
    assert after.describe(None) in printed
    assert (
        "Rounding the numbers changes whether a condition is met for none of the 300 rows."
        in printed
    )
    assert "The log loss was" in printed
    assert printed.endswith("The model is in short.json.\n")


def test_json_has_the_model_and_the_certificate(said, long, table):
    code, printed, _ = said("simplify", long, table, "--json")
    found = json.loads(printed)
    assert code == 0
    assert list(found) == ["model", "certificate", "out"]
    assert found["out"] is None
    assert RuleEnsemble.from_json(json.dumps(found["model"])) != RuleEnsemble.load(long)
    changes = found["certificate"]["propositions"]
    assert all(change["digits_after"] <= change["digits_before"] for change in changes)


def test_votes_stay_if_nothing_may_be_lost(said, long, table):
    found = json.loads(said("simplify", long, table, "--json", "--vote-loss", "0")[1])
    assert [rule["weight"] for rule in found["model"]["rules"]] == [3.48291]


def test_rows_may_be_allowed_to_change_side(said, folder):
    RuleEnsemble(
        0.0, (Rule(Condition((Proposition(("a",), (1.0,), 1.2345),)), 1.0),), ("a",), "squared"
    ).save("m.json")
    (folder / "t.csv").write_text("a,b\n1.2344,1\n1.2346,1\n9,1\n-9,1\n")
    digits = {}
    for rows in (0, 1):
        arguments = ("simplify", "m.json", "t.csv", "--json", "--changed-rows", rows)
        (change,) = json.loads(said(*arguments)[1])["certificate"]["propositions"]
        digits[rows] = change["digits_after"]
        assert len(change["changed_rows"]) <= rows
    assert digits[1] < digits[0]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--weight", "age"), 2, "--weight needs --target"),
        (("--target", "il"), 1, "did you mean 'ill'?"),
        (("--target", ""), 1, "no column '' for --target"),
        (("--target", "group"), 1, "must hold the classes of the model, 'no', 'yes'; found"),
        (("--out", "no/where.json"), 1, "no folder no"),
        (("--out", "."), 1, ". is a folder"),
        (("--changed-rows", "-1"), 2, "changed-rows"),
    ],
)
def test_errors(arguments, code, words, said, model, table):
    found, printed, errors = said("simplify", model, table, *arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors
