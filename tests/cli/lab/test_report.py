def test_a_report_is_written(folder, said, monkeypatch):
    monkeypatch.setattr("sorb.lab.report.FIGURES", {})
    assert said("lab", "report")[0] == 0
    assert "results of new" in (folder / "results/new/report.html").read_text(encoding="utf-8")
    assert said("lab", "report", "results/old", "--out", "x/old.html")[0] == 0
    assert "results of old" in (folder / "x" / "old.html").read_text(encoding="utf-8")
