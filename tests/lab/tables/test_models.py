from synthetic_results import curve, written

from sorb.lab.tables import TABLES


def test_models_are_the_smallest_that_halve_the_risk(results):
    table = TABLES["rules_iris"](results)
    lltb = table.cell("", "LLTB", "model")
    assert lltb.value == "−1  always\n+2  if  a − 0.5 b ≥ 2"
    assert table.cell("", "LLTB", "complexity").value == "8"
    assert table.cell("", "TGB", "test risk").value == "0.50"
    assert table.cell("", "TGB", "model").value == "a <tree>\nwith | 2"


def test_models_that_halve_nothing_are_said_to_be_missing(tmp_path):
    units = {("housing", "LLTB", 0): curve("housing", [(4, 0.9)], model="words")}
    table = TABLES["rules_housing"](written(tmp_path, units).table())
    assert table.cell("", "LLTB", "model").value == "no model up to this complexity does"
