def test_figures_are_written(folder, said):
    code, printed, _ = said("lab", "figures", "--figure", "risk_cv")
    made = folder / "results" / "new" / "figures"
    assert code == 0
    assert {path.name for path in made.iterdir()} == {"risk_cv.png", "risk_cv.svg", "risk_cv.pdf"}
    assert len(printed.splitlines()) == 3
