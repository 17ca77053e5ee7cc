import json

import pytest
from cli.quick_fit import QUICK


def fitted(said, table, *options):
    code, printed, errors = said("fit", table, "--target", "ill", *QUICK, *options, "--json")
    assert (code, errors) == (0, "")
    return json.loads(printed)


def test_the_share_of_positive_rows_is_the_usual_cutoff(said, table):
    found = fitted(said, table)
    assert found["cutoff"]["reason"] == "the share of yes in the training rows"
    assert 0 < found["cutoff"]["value"] < 1
    assert found["without_rules"]["decisions"]["sensitivity"]["value"] == 0


def test_a_lower_cutoff_finds_more(said, table):
    by_cost, by_hand = (
        fitted(said, table, "--costs", "20:1"),
        fitted(said, table, "--cutoff", "0.9"),
    )
    assert by_cost["cutoff"] == {
        "value": pytest.approx(1 / 21),
        "reason": "a missed yes costs 20 times a false alarm",
    }
    assert by_hand["cutoff"] == {"value": 0.9, "reason": "as chosen"}
    sensitivity = [
        found["test"]["decisions"]["sensitivity"]["value"] for found in (by_cost, by_hand)
    ]
    assert sensitivity[0] > sensitivity[1]
    assert by_cost["model"] == by_hand["model"]


@pytest.mark.parametrize("large", [(), ("--memory", "4GB")], ids=["in memory", "large"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "ill", "--costs", "5"), "--costs needs two positive numbers"),
        (("--target", "ill", "--costs", "5:0"), "such as 10:1, found 5:0"),
        (("--target", "ill", "--cutoff", "1.5"), "--cutoff must be between 0 and 1, found 1.5"),
        (("--target", "ill", "--cutoff", "0.5", "--costs", "1:2"), "so leave out --cutoff"),
        (("--target", "stay", "--cutoff", "0.5"), "is for two classes, but stay is a number"),
        (("--target", "group", "--costs", "1:2"), "for two classes, but group holds 4 classes"),
    ],
)
def test_senseless_options_are_refused_before_anything_is_learned(
    said, table, options, words, large
):
    code, _, errors = said("fit", table, *options, *QUICK, *large)
    assert code == 2
    assert words in errors
