import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from sorb.lab import datasets
from sorb.lab.datasets import NAMES, DatasetDamaged, DatasetUnavailable, load

SHAPES = {
    "iris": (150, 4),
    "liver": (345, 6),
    "diabetes": (442, 10),
    "breast_cancer": (569, 30),
    "banknote": (1372, 4),
    "red_wine": (1599, 11),
    "car_price": (1770, 4),
    "friedman1": (2000, 10),
    "friedman2": (5000, 4),
    "friedman3": (10000, 4),
    "magic": (19020, 10),
    "adult": (30162, 46),
    "voice": (3168, 20),
    "housing": (20640, 8),
}
POSITIVES = {
    "iris": 50,
    "liver": 200,
    "breast_cancer": 357,
    "banknote": 610,
    "magic": 12332,
    "adult": 7508,
    "voice": 1584,
}


def load_or_skip(name):
    try:
        return load(name)
    except DatasetUnavailable as reason:
        pytest.skip(str(reason))


def test_there_are_fourteen_datasets():
    assert set(NAMES) == set(SHAPES)


@pytest.mark.parametrize("name", NAMES)
def test_shape_and_names(name):
    data = load_or_skip(name)
    assert (data.name, data.X.shape) == (name, SHAPES[name])
    assert data.y.shape == data.X.shape[:1]
    assert len(set(data.columns)) == data.X.shape[1]
    assert all(type(column) is str and column for column in data.columns)


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_finite_read_only_and_without_zero_columns(name):
    data = load_or_skip(name)
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.y).all()
    assert data.X.any(axis=0).all()
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable


@pytest.mark.parametrize("name", POSITIVES)
def test_positive_class(name):
    data = load_or_skip(name)
    assert data.task == "classification"
    assert np.bincount(data.y).tolist() == [len(data.y) - POSITIVES[name], POSITIVES[name]]


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(POSITIVES)))
def test_regression_targets_are_floats(name):
    data = load_or_skip(name)
    assert data.task == "regression"
    assert data.y.dtype == np.float64


def test_iris_asks_for_versicolor():
    assert set(load_iris().target[load("iris").y == 1]) == {1}


def test_breast_cancer_asks_for_benign():
    bunch = load_breast_cancer()
    assert set(bunch.target_names[bunch.target[load("breast_cancer").y == 1]]) == {"benign"}


def test_adult_has_one_column_per_category():
    data = load_or_skip("adult")
    numeric = {"age", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    one_hot = [j for j, column in enumerate(data.columns) if column not in numeric]
    assert len(one_hot) == 41
    assert {"workclass=State-gov", "sex=Male", "sex=Female"} <= set(data.columns)
    # one value of workclass, marital-status, occupation, relationship, race and sex each
    assert (data.X[:, one_hot].sum(axis=1) == 6).all()
    assert set(np.unique(data.X[:, one_hot])) == {0, 1}


def test_adult_first_row():
    data = load_or_skip("adult")
    row = dict(zip(data.columns, data.X[0], strict=True))
    assert (row["age"], row["workclass=State-gov"], row["sex=Male"]) == (39, 1, 1)
    assert not {"fnlwgt", "native-country=United-States"} & set(row)


def test_car_price_knows_no_other_price():
    assert load_or_skip("car_price").columns == ("count", "km", "year", "powerPS")


def test_housing_has_no_row_numbers():
    assert load_or_skip("housing").columns[0] == "MedInc"


def test_magic_has_its_names_back():
    names = {"fLength", "fWidth", "fM3Long", "fAlpha"}
    assert names <= set(load_or_skip("magic").columns)


def test_all_zero_columns_are_dropped():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    table = datasets._frozen("toy", X, np.zeros(2), "abc", "regression")
    kept = datasets._without_zero_columns(table)
    assert kept.columns == ("a", "c")
    assert kept.X.tolist() == [[1, 2], [0, 3]]


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"'irs'.*iris, liver"):
        load("irs")


def test_without_a_folder_the_error_names_file_and_variable(monkeypatch):
    monkeypatch.delenv("SORB_DATA", raising=False)
    with pytest.raises(DatasetUnavailable, match=r"SORB_DATA.*contains banknote\.csv"):
        load("banknote")


def test_without_the_file_the_error_names_file_and_variable(monkeypatch, tmp_path):
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    with pytest.raises(DatasetUnavailable, match=r"banknote\.csv there.*SORB_DATA"):
        load("banknote")


def test_a_changed_file_is_refused(monkeypatch, tmp_path):
    content = b"variance,skewness,curtosis,entropy,class\n1,2,3,4,1\n"
    (tmp_path / "banknote.csv").write_bytes(content)
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    with pytest.raises(DatasetDamaged, match=hashlib.sha256(content).hexdigest()):
        load("banknote")


def test_one_changed_digit_is_noticed(monkeypatch, tmp_path):
    load_or_skip("liver")
    original = Path(os.environ["SORB_DATA"]) / "liver.csv"
    copy = Path(shutil.copyfile(original, tmp_path / "liver.csv"))
    copy.write_bytes(copy.read_bytes().replace(b"85,92,45", b"85,92,46", 1))
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    with pytest.raises(DatasetDamaged, match="SHA-256"):
        load("liver")


def test_a_table_is_read_as_described(monkeypatch, tmp_path):
    content = b",size,kind,secret,label\n0,1.5,a,7,-1\n1,2.5,b,8,1\n2,3.5,a,9,1\n"
    (tmp_path / "toy.csv").write_bytes(content)
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    table = datasets._Table(
        sha256=hashlib.sha256(content).hexdigest(),
        target="label",
        task="classification",
        ignored=("", "secret"),
        categories=("kind",),
        renamed={"kind=a": "first kind"},
    )
    data = table("toy")
    assert data.columns == ("size", "first kind", "kind=b")
    assert data.X.tolist() == [[1.5, 1, 0], [2.5, 0, 1], [3.5, 1, 0]]
    assert data.y.tolist() == [0, 1, 1]
