import math

from synthetic_results import curve, written

from sorb.lab.published import paper_methods, published
from sorb.lab.tables import TABLES


def test_wins_count_ties_for_all(results):
    table = TABLES["wins"](results)
    assert table.columns == ("LLTB", "LLTB-append", "TGB", "BRS")
    section = "among all methods"
    wins = [table.cell(section, "complexity_cv, 75 %", m).value for m in table.columns[:3]]
    assert wins == ["1", "1", "2"]  # diabetes: ∞ for append; iris: LLTB ∞
    assert table.cell(section, "complexity_cv, 75 %", "TGB").best


def test_wins_among_the_papers_methods_leave_ours_out(results):
    table = TABLES["wins"](results)
    cell = table.cell("among the paper's methods", "complexity_cv, 25 %", "LLTB")
    # ours: iris alone and diabetes tied with TGB; the paper's: only diabetes, tied with RFObTr
    assert (cell.value, cell.paper, cell.mark) == ("2", "1", "▲")
    append = table.cell("among the paper's methods", "complexity_cv, 25 %", "LLTB-append")
    assert (append.value, append.paper) == ("–", "")
    labels = {r.label for r in table.rows if r.section == "among the paper's methods"}
    assert "risk_at_50, test, least" in labels
    assert "risk_at_50, test, largest model" not in labels


def test_published_wins_are_counted_anew(tmp_path):
    """On all datasets, the paper's bold numbers, which its own count of wins does not match."""
    datasets, methods = {place[2] for place in published()}, paper_methods()
    units = {(name, "LLTB", 0): curve(name, [(4, 0.1)]) for name in datasets}
    table = TABLES["wins"](written(tmp_path, units).table())
    for share in ("25 %", "50 %", "75 %"):
        expected = 0
        for dataset in datasets:
            places = {m: ("complexity_cv", share, dataset, m) for m in methods}
            values = {m: published()[p].value for m, p in places.items() if p in published()}
            least = min(values.values())
            expected += math.isfinite(least) and values["LLTB"] == least
        cell = table.cell("among the paper's methods", f"complexity_cv, {share}", "LLTB")
        assert cell.paper == str(expected)
    assert table.cell("among the paper's methods", "complexity_cv, 75 %", "LLTB").paper == "7"
