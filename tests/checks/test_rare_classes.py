import pytest
from checks.seen import ROWS, found, plain


@pytest.mark.parametrize(("count", "severity"), [(2, "serious"), (4, "serious"), (10, "look")])
def test_a_class_of_few_rows_is_found(count, severity):
    y = ["ill"] * count + ["well", "better"] * ((ROWS - count) // 2)
    assert ("rare-class", (), severity) in found(plain(), y)


def test_the_classes_of_a_large_table_are_counted_in_all_rows():
    y = ["ill"] * 10 + ["well", "better"] * 14_995
    kinds = [kind for kind, _, _ in found(plain(n_rows=30_000), y)]
    assert kinds == ["rare-class"]


def test_twenty_rows_are_enough():
    y = (["ill"] + ["well"] * 14) * (ROWS // 15)
    assert found(plain(), y) == []
