"""The datasets that come by name: what they hold, and what is known about them."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from sorb.lab.datasets import (
    NAMES,
    DatasetDamaged,
    DatasetUnavailable,
    catalogue,
    describe,
    fetch,
    is_available,
    load,
)

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


GENERATED = {
    "iris",
    "diabetes",
    "breast_cancer",
    "friedman1",
    "friedman2",
    "friedman3",
    "claims",
    "nhanes_standin",
}


ALL = [description.name for description in catalogue()]
loaded = {}


def load_or_skip(name):
    """Load once; after one download failed, try no other."""
    if name not in loaded:
        if not is_available(name) and "no network" in loaded:
            pytest.skip(loaded["no network"])
        try:
            loaded[name] = load(name)
        except DatasetUnavailable as reason:
            loaded["no network"] = str(reason)
            pytest.skip(str(reason))
    return loaded[name]


def test_there_are_fourteen_benchmarks_and_four_others():
    assert set(NAMES) == set(SHAPES)
    assert [*NAMES, "claims", "nhanes", "nhanes_standin", "synthetic"] == ALL


@pytest.mark.parametrize("name", NAMES)
def test_shape_and_names(name):
    data = load_or_skip(name)
    assert (data.name, data.X.shape) == (name, SHAPES[name])
    assert data.y.shape == data.X.shape[:1]
    assert len(set(data.columns)) == data.X.shape[1]
    assert all(type(column) is str and column for column in data.columns)


@pytest.mark.parametrize("name", ALL)
def test_tables_are_finite_read_only_and_without_zero_columns(name):
    data = load_or_skip(name)
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.y).all()
    assert data.X.any(axis=0).all()
    assert not data.X.flags.writeable
    assert not data.y.flags.writeable


@pytest.mark.parametrize("name", ALL)
def test_tables_are_as_described(name):
    data, description = load_or_skip(name), describe(name)
    assert data.description is description
    assert data.task == description.task
    assert description.size in (data.X.shape, None)
    origins = dict.fromkeys(column.split("=")[0] for column in data.columns)
    assert tuple(origins) == description.columns
    assert {column for column in origins if column not in data.columns} == set(
        description.categories
    )


@pytest.mark.parametrize("description", catalogue(), ids=ALL)
def test_descriptions_say_what_one_wants_to_know(description):
    assert description.title
    assert description.outcome
    assert description.source
    assert description.licence
    assert bool(description.positive) == (description.task == "classification")
    columns = {*description.columns, description.target, description.exposure}
    assert set(description.units) <= columns
    assert set(description.log) <= set(description.columns)
    assert set(description.categories) <= set(description.columns)
    assert description.size or description.name == "nhanes"


@pytest.mark.parametrize("description", catalogue(), ids=ALL)
def test_files_have_an_address_and_a_checksum(description):
    assert bool(description.generator) == (description.name in GENERATED)
    assert bool(description.files) != bool(description.generator)
    assert all(file.url.startswith("https://") for file in description.files)
    pinned = all(len(file.sha256) == 64 for file in description.files)
    assert pinned != ("checksum not pinned" in description.note)


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


def test_synthetic_is_divided_by_the_diagonal():
    data = load_or_skip("synthetic")
    assert np.array_equal(data.y, data.X.sum(axis=1) < 1)


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_generated_datasets_are_always_there(monkeypatch, tmp_path, name):
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    assert is_available(name)
    assert fetch(name) == ()


def test_one_changed_digit_is_noticed(monkeypatch, tmp_path):
    load_or_skip("liver")
    (original,) = fetch("liver")
    assert original.parent == Path(os.environ.get("SORB_DATA", original.parent))
    copy = Path(shutil.copyfile(original, tmp_path / "liver.csv"))
    copy.write_bytes(copy.read_bytes().replace(b"85,92,45", b"85,92,46", 1))
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    with pytest.raises(DatasetDamaged, match=r"'liver'.*SHA-256"):
        load("liver")
