"""Editing a model on the command line."""

import json
from datetime import datetime, timezone

import pytest
from cli.patients import hand_made

from sorb import RuleEnsemble
from sorb.editing import EditLog


@pytest.fixture
def edited(said, table, model, folder):
    """Edit the model by hand, and give the new one and what was printed."""

    def ask(*options):
        asked = ("edit", model, table, "--target", "ill", *options, "--out", "edited.json")
        code, printed, errors = said(*asked)
        assert (code, errors) == (0, "")
        return RuleEnsemble.load(folder / "edited.json"), printed

    return ask


def test_a_rule_is_dropped_and_the_other_is_fitted_again(edited):
    found, printed = edited("--drop", "2", "--reason", "too few beds")
    assert [rule.condition for rule in found] == [hand_made()[0].condition]
    assert found[0].vote != hand_made()[0].vote
    assert "1. drop rule 2\n   reason: too few beds\n   predictions change by" in printed
    assert "of 300 rows get another class" in printed
    assert printed.endswith("The model is in edited.json.\n")


def test_a_vote_is_pinned(edited):
    found, _ = edited("--pin", "1=2.5")
    assert found[0].vote == 2.5
    assert found[1].vote != hand_made()[1].vote


def test_thresholds_are_moved_as_they_are_printed(edited):
    found, printed = edited("--threshold", "1.1=50", "--threshold", "1.2=27")
    assert str(found[0].condition) == "age ≥ 50  and  weight / height² ≥ 27"
    assert printed.count("change rule 1") == 1


def test_a_log_is_replayed(edited, said, table, model, folder):
    found, _ = edited("--forbid", "2", "--pin", "1=2.5", "--author", "C", "--save-log", "log.json")
    again, printed = edited("--log", "log.json")
    assert again == found
    assert "2. pin the vote of rule 1 at +2.5\n   by C, 2" in printed
    log = EditLog.from_json((folder / "log.json").read_text("utf-8"))
    assert [(c.author, datetime.fromisoformat(c.time).tzinfo) for c in log.changes] == [
        ("C", timezone.utc)
    ] * 2
    code, printed, _ = said("edit", model, "--log", "log.json", "--out", "alone.json")
    assert (code, RuleEnsemble.load(folder / "alone.json")) == (0, found)
    assert "Name the table that it was made with" in " ".join(printed.split())


def test_without_a_table_no_vote_is_fitted(said, model, folder):
    code, printed, errors = said("edit", model, "--drop", "2", "--json")
    assert (code, errors) == (0, "")
    document = json.loads(printed)
    assert document["model"]["rules"][0]["weight"] == hand_made()[0].vote
    (change,) = document["log"]["changes"]
    assert (change["change"], change["rule"]) == ("drop", 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "nothing to change"),
        (("--drop", "3"), "--drop names rule 3, but the model has rules 1 to 2"),
        (("--pin", "x=1"), "--pin counts in whole numbers from 1, found 'x'"),
        (("--pin", "1=x"), "--pin needs numbers, found 'x'"),
        (("--pin", "1=nan"), "vote must be finite"),
        (("--threshold", "1=3"), "rule 1 has 2 propositions; name one of them, as in 1.1=3"),
        (("--threshold", "1.3=3"), "rule 1 has propositions 1 to 2"),
        (("--threshold", "2.1=3"), "has no threshold"),
        (("--drop", "1", "--log", "log.json"), "--log has all changes"),
        (("--author", "C", "--log", "log.json"), "--log has all changes"),
        (("--drop", "1", "--target", "ill"), "name both, or none"),
        (("--drop", "1", "--weight", "age"), "--weight needs a TABLE"),
        (("--drop", "1", "--out", "model.json"), "model.json"),
    ],
)
def test_what_cannot_be_done_is_refused(said, model, folder, options, message):
    (folder / "log.json").write_text("{}", "utf-8")
    code, printed, errors = said("edit", model, *options)
    assert (code != 0, printed) == (True, "")
    assert message in " ".join(errors.split())


def test_a_rule_that_covers_no_row_is_told(said, model, table):
    asked = ("edit", model, table, "--target", "ill", "--threshold", "1.1=500")
    code, printed, errors = said(*asked)
    assert code == 0
    assert "age ≥ 500" in printed
    assert "rule 1, age ≥ 500" in " ".join(errors.split())
    assert "covers no row, so no vote can be fitted: drop it, or pin its vote" in errors
    assert "UserWarning" not in errors
