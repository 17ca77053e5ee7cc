from checks.seen import ROWS, classes, found, plain

import sorb


def test_classes_that_differ_by_case_or_spaces_are_serious():
    y = ["Pos", "neg ", "NEG", "pos"] * 75
    [finding] = sorb.check(plain(), y)
    assert finding.kind == "spelling"
    assert finding.severity is sorb.checks.Severity.serious
    assert finding.what == "classes differ only by case or spaces: 'Pos', 'pos'; 'NEG', 'neg '"
    assert set(finding.classes) == {"Pos", "pos", "NEG", "neg "}


def test_categories_are_worth_a_look():
    X = plain()
    X.loc[X.index % 4 == 0, "group"] = "ab"
    assert found(X, classes()) == [("spelling", ("group",), "look")]


def test_other_classes_are_left_alone():
    assert found(plain(), ["a b", "ab", "a-b"] * (ROWS // 3)) == []


def test_numbers_have_one_spelling():
    assert found(plain(), [1, 2, 3] * (ROWS // 3)) == []
