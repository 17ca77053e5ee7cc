import json

import pandas as pd


def test_datasets_are_listed(said, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    code, printed, _ = said("lab", "datasets")
    (line,) = (line for line in printed.splitlines() if line.split()[:1] == ["iris"])
    assert code == 0
    assert all(word in line for word in ("classification", "150 × 4", "at hand", "Licence"))


def test_datasets_as_json(said):
    code, printed, _ = said("lab", "datasets", "--json")
    entries = {entry["name"]: entry for entry in json.loads(printed)}
    assert code == 0
    assert len(entries) >= 14
    iris = entries["iris"]
    assert (iris["task"], iris["rows"], iris["columns"]) == ("classification", 150, 4)
    assert iris["at_hand"] is True


def test_a_dataset_is_saved_as_a_table(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, printed, _ = said("lab", "datasets", "--save", "iris")
    table = pd.read_csv("iris.csv")
    assert (code, table.shape) == (0, (150, 5))
    assert printed.startswith("iris.csv: 150 rows, 5 columns, the target is ")
    assert printed.split()[-1] == table.columns[-1]


def test_a_saved_dataset_has_its_exposure(folder, said):
    assert said("lab", "datasets", "--save", "claims", "--out", "claims.csv")[0] == 0
    header = (folder / "claims.csv").read_text().splitlines()[0]
    assert header == "driver,power,weight,car,claims,years"
