import re

from explanation.models import explained, logistic, model, poisson, several, squared


def lines_of(ensemble, *covering):
    caption, *lines = str(explained(ensemble, *covering)[0]).split("\n")
    return caption, [re.split(r"\s{2,}", line.strip()) for line in lines]


def test_log_odds_and_probabilities_stand_side_by_side():
    caption, lines = lines_of(logistic, 1, 3)
    assert caption == "The log-odds of ill against well, and the probability of ill in %:"
    assert lines == [
        ["−2", "11.9", "to begin with"],
        ["+1.5", "+29.9", "rule 1: a ≥ 1"],
        ["not covered by rule 2: b ≥ 1"],
        ["+2", "+39.9", "rule 3: c ≥ 1"],
        ["not covered by rule 4: d ≥ 1"],
        ["+1.5", "81.8", "in total"],
    ]


def test_counts_are_multiplied():
    caption, lines = lines_of(poisson, 2)
    assert caption == "The logarithm of the expected count, and the expected count:"
    assert lines[0] == ["+0.5", "1.65", "to begin with"]
    assert lines[2] == ["−0.5", "× 0.607", "rule 2: b ≥ 1"]
    assert lines[-1] == ["+0", "1", "in total"]


def test_predictions_need_one_column():
    caption, lines = lines_of(squared, 3)
    assert caption == "The prediction:"
    assert [lines[0], lines[-1]] == [["+10", "to begin with"], ["+12", "in total"]]


def test_each_class_has_its_score():
    caption, lines = lines_of(several, 3)
    assert caption == "The score of each class, and the probability of ill in %:"
    assert lines[:3] == [
        ["+1", "well", "to begin with"],
        ["+0", "mild", "to begin with"],
        ["−0.5", "ill", "14.0", "to begin with"],
    ]
    assert lines[5] == ["+2", "ill", "+40.6", "rule 3: c ≥ 1"]
    assert lines[-1] == ["+1.5", "ill", "54.7", "in total"]


def test_points_are_aligned():
    _, *lines = str(explained(squared, 1, 3)[0]).split("\n")
    assert {line.index(".") for line in lines if re.match(r" *[+−][0-9]+\.", line)} == {3}


def test_nothing_is_minus_zero():
    tiny = model("logistic", 0.0, [-1e-9, 1e-9], classes=("well", "ill"))
    assert "−0.0" not in str(explained(tiny, 1, 2)[0])
