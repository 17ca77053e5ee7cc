import pytest
from synthetic_results import repeated, written

from sorb.lab.curves import MissingResults
from sorb.lab.tables import TABLES


@pytest.mark.parametrize("name", TABLES)
def test_results_without_what_a_table_needs_are_reported(name, tmp_path):
    rows = written(tmp_path, {("iris", "LLTB", 0): [{"failure": "it broke"}]}).table()
    with pytest.raises(MissingResults):
        TABLES[name](rows)


def test_pictured_datasets_are_in_no_table(results):
    for name, make in TABLES.items():
        if name != "rules_housing":
            assert "synthetic" not in {row.label for row in make(results).rows}


def test_captions_say_on_how_much_they_rest(results, tmp_path):
    caption = TABLES["complexity_cv"](results).caption
    assert "probability of 93.8 %." in caption
    assert caption.endswith("Based on 5 repetitions.")
    fifteen = written(tmp_path, repeated("iris", "LLTB", [[(4, 0.4)]] * 15)).table()
    assert "of 88.2 % (the paper says 92 %)" in TABLES["complexity_cv"](fifteen).caption


def test_one_repetition_claims_no_interval(tmp_path):
    one = written(tmp_path, repeated("iris", "LLTB", [[(4, 0.4)]])).table()
    caption = TABLES["complexity_cv"](one).caption
    assert "probability" not in caption
    assert caption.endswith("Based on 1 repetition, which gives no intervals.")
    assert TABLES["risk_cv"](one).cell("test, area", "iris", "LLTB").interval == ""


def test_a_single_repetition_of_some_methods_lowers_no_coverage(tmp_path):
    units = {
        **repeated("iris", "LLTB", [[(4, 0.4)]] * 5),
        **repeated("iris", "TGB", [[(4, 0.4)]]),
    }
    caption = TABLES["complexity_cv"](written(tmp_path, units).table()).caption
    assert "probability of 93.8 %." in caption
    assert caption.endswith("1 to 5 repetitions; a single one gives no interval.")
