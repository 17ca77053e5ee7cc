import numpy as np
import pytest
from synthetic_results import repeated, row, written

from sorb.lab.published import published
from sorb.lab.statistics import Estimate
from sorb.lab.tables import TABLES


def test_complexities_are_medians_with_order_statistics(results):
    cell = TABLES["complexity_cv"](results).cell("50 %", "iris", "LLTB")
    # 0.40, 0.41, … are all at most 0.5: complexities 8 … 12; 5 repetitions take the outermost
    assert cell.ours == Estimate(10, 8, 12, 5)
    assert cell.published == published()["complexity_cv", "50 %", "iris", "LLTB"]
    assert (cell.value, cell.interval, cell.paper, cell.mark) == ("10", "[8, 12]", "12", "▼")


def test_complexities_beyond_the_budget_are_infinite(results):
    table = TABLES["complexity_cv"](results)
    assert table.cell("75 %", "iris", "LLTB").value == "∞"
    assert table.cell("75 %", "iris", "TGB").value == "90"


def test_best_is_lowest_among_those_that_reach_the_target(results):
    table = TABLES["complexity_cv"](results)
    assert table.cell("25 %", "iris", "LLTB").best
    assert not table.cell("25 %", "iris", "TGB").best
    ties = [table.cell("25 %", "diabetes", method).best for method in ("LLTB", "TGB")]
    assert ties == [False, False]
    assert table.cell("25 %", "diabetes", "LLTB-append").best
    assert [c.best for c in table.rows[-1].cells] == [True, False, True]  # 90 twice, ∞ once


def test_methods_without_a_complexity_are_in_averages_only_and_do_not_compete(results):
    assert "HGB" not in TABLES["complexity_cv"](results).columns
    table = TABLES["risk_cv"](results)
    assert table.columns == ("LLTB", "LLTB-append", "TGB", "HGB")
    unsized = table.cell("test", "iris", "HGB")
    assert (unsized.value, unsized.best) == ("0.05", False)
    assert table.cell("test, area", "iris", "HGB").value == "–"


def test_averages_are_over_sizes_within_the_budget(results):
    table = TABLES["risk_cv"](results)
    cell = table.cell("test", "iris", "LLTB")
    # means over repetitions: 0.7 and 0.42
    assert cell.ours.value == pytest.approx(0.56)
    assert cell.ours.high - cell.ours.value == pytest.approx(1.96 * 0.14)
    assert cell.interval == "± 0.27"
    assert table.cell("train", "iris", "LLTB").ours.value == pytest.approx(0.504)
    areas = [(3 + r + 4 * 0.7 + (93 - r) * (0.4 + 0.01 * r)) / 100 for r in range(5)]
    assert table.cell("test, area", "iris", "LLTB").ours.value == pytest.approx(np.mean(areas))


def test_oracle_tables_choose_by_the_test_rows(tmp_path):
    rows = [
        row("iris", 1, 4, 0.6, reg_lambda=0.1, cv_risk=0.1),
        row("iris", 1, 5, 0.4, reg_lambda=1.0, cv_risk=0.2),
    ]
    table = written(tmp_path, {("iris", "LLTB", 0): rows}).table()
    assert TABLES["complexity_cv"](table).cell("50 %", "iris", "LLTB").value == "∞"
    assert TABLES["complexity_oracle"](table).cell("50 %", "iris", "LLTB").value == "5"
    assert TABLES["risk_oracle"](table).cell("test", "iris", "LLTB").value == "0.40"


@pytest.mark.parametrize("kind", ["complexity", "risk"])
def test_titles_say_how_the_penalty_is_chosen(results, kind):
    titles = [TABLES[f"{kind}_{way}"](results).title for way in ("cv", "oracle")]
    assert titles[0].endswith("penalty by cross-validation")
    assert titles[1].endswith("penalty chosen in hindsight")


def test_risk_at_fifty_as_published_and_honestly(tmp_path):
    points = [(10, 0.3), (40, 0.5), (60, 0.1)]
    table = TABLES["risk_at_50"](written(tmp_path, repeated("iris", "LLTB", [points])).table())
    assert table.cell("test, least", "iris", "LLTB").value == "0.30"
    assert table.cell("test, largest model", "iris", "LLTB").value == "0.50"
    assert table.cell("train, least", "iris", "LLTB").value == "0.27"
    assert table.cell("test, least", "iris", "LLTB").paper == "0.32"
    assert table.cell("test, largest model", "iris", "LLTB").paper == ""


def test_errors_are_of_classifications_and_of_all_methods(results):
    table = TABLES["error_at_50"](results)
    assert {row.label for row in table.rows} == {"iris"}
    assert table.cell("test, least", "iris", "BRS").ours == Estimate(0.25, 0.25, 0.25, 1)
    assert TABLES["complexity_error"](results).cell("75 %", "iris", "BRS").value == "9"
    assert TABLES["error_cv"](results).cell("test", "iris", "LLTB").value == "0.28"


def test_times_are_those_of_the_median_complexity(results):
    table = TABLES["times"](results)
    assert table.cell("", "iris", "TGB").value == "0.2"  # complexity 30, the second step
    assert table.cell("", "iris", "TGB").paper == "0.04"


def test_strategies_stand_side_by_side(results):
    table = TABLES["strategies"](results)
    assert table.columns == ("LLTB", "LLTB-append")
    assert table.cell("complexity for 50 %", "diabetes", "LLTB-append").value == "10"
    assert table.cell("average test risk", "iris", "LLTB").value == "0.56"
