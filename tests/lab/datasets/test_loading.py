import pytest
from lab.datasets.cars import CARS

from sorb.lab.datasets import DatasetUnavailable, fetch, is_available, load


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"'irs'.*iris, liver.*synthetic"):
        load("irs")


def test_a_named_dataset_has_its_own_target():
    with pytest.raises(ValueError, match=r"leave out target='y'"):
        load("iris", target="y")


def test_a_dataset_with_a_file_is_there_when_the_file_is(monkeypatch, tmp_path):
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    assert not is_available("banknote")
    (tmp_path / "banknote.csv").touch()
    assert is_available("banknote")


def test_a_csv_file_needs_only_its_target(write):
    data = load(write("cars.csv", CARS), target="sold")
    assert data.name == "cars"
    assert data.columns == ("number", "km", "colour=blue", "colour=red")
    assert data.X.tolist() == [[1, 120.5, 0, 1], [2, 80, 1, 0], [3, 95, 0, 1]]
    assert (data.task, data.y.tolist()) == ("classification", [0, 1, 1])


@pytest.mark.parametrize("as_path", [True, False])
def test_a_path_may_be_text(write, as_path):
    path = write("cars.CSV", CARS)
    assert load(path if as_path else str(path), target="km").task == "regression"
    assert fetch(path) == (path,)


def test_a_csv_file_without_target_lists_its_columns(write):
    with pytest.raises(ValueError, match=r"no target given.*number, km, colour, sold"):
        load(write("cars.csv", CARS))


def test_a_csv_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DatasetUnavailable, match=r"'cars' needs the file .*cars\.csv"):
        load(tmp_path / "cars.csv", target="y")


def test_the_target_may_be_named_with_the_table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,0\n2,1\n3,1\n", encoding="utf-8")
    data = load(f"{path}:y")
    assert (data.columns, data.y.tolist()) == (("a",), [0, 1, 1])
