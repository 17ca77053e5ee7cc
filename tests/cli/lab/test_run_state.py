from synthetic_results import repeated, written

from sorb.cli.lab.run_state import run_state
from sorb.lab.results import Unit


def test_state_without_a_plan_is_what_is_there(tmp_path):
    rows = written(tmp_path, repeated("nhanes", "LLTB", [[(4, 0.7)]])).table()
    (entry,) = run_state({Unit(0, "nhanes", "LLTB"): None}, {}, rows)
    assert (entry["dataset"], entry["done"], entry["missing"]) == ("nhanes", 1, 0)
