"""A dataset as a value: encoded by training rows, standardised, with logarithms."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.lab.datasets import Dataset, Description, describe, load
from sorb.lab.datasets.assembly import assemble
from sorb.lab.datasets.dataset import make_dataset

CELLS = st.tuples(
    st.sampled_from([-1.5, 0.0, 0.0, 2.0]),
    st.sampled_from(["a", "b", "c", "d"]),
    st.sampled_from(["x", "y"]),
)


def dataset_of(rows):
    numbers, letters, others = zip(*rows, strict=True)
    target = np.arange(float(len(rows)))
    table = {"n": np.array(numbers), "letter": letters, "other": others, "target": target}
    return assemble(Description("toy", "target"), table)


def slow_matrix(rows, training, wanted):
    """Learn the categories of the training rows from the raw rows themselves, cell by cell."""
    columns = [("n", None)] if any(rows[i][0] != 0 for i in training) else []
    for place, name in ((1, "letter"), (2, "other")):
        columns += [(name, value) for value in sorted({rows[i][place] for i in training})]
    cells = [dict(zip(("n", "letter", "other"), rows[i], strict=True)) for i in wanted]
    X = [[c[n] if v is None else float(c[n] == v) for n, v in columns] for c in cells]
    return [n if v is None else f"{n}={v}" for n, v in columns], X


@settings(max_examples=60)
@given(st.lists(CELLS, min_size=3, max_size=12), st.data())
def test_an_encoder_knows_only_what_its_training_rows_know(rows, data):
    numbers = st.integers(0, len(rows) - 1)
    training = data.draw(st.lists(numbers, min_size=1, max_size=8))
    wanted = data.draw(st.lists(numbers, min_size=1, max_size=8))
    encoder = dataset_of(rows).encoder(training)
    columns, X = slow_matrix(rows, training, wanted)
    assert list(encoder.columns) == columns
    assert encoder.matrix(wanted).tolist() == X
    assert encoder.matrix(wanted).dtype == np.float64


def test_an_unseen_category_is_all_zeros():
    data = dataset_of([(1.0, "a", "x"), (2.0, "b", "x"), (3.0, "c", "x")])
    encoder = data.encoder([0, 1])
    assert encoder.columns == ("n", "letter=a", "letter=b", "other=x")
    assert encoder.matrix([2]).tolist() == [[3, 0, 0, 1]]


def test_all_zero_columns_are_dropped():
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    kept = make_dataset("toy", X, np.zeros(2), "abc", "regression")
    assert kept.columns == ("a", "c")
    assert kept.X.tolist() == [[1, 2], [0, 3]]


def test_standardised_is_that_of_pandas():
    data = load("diabetes")
    X, y = pd.DataFrame(data.X), pd.Series(data.y)
    found = data.standardised()
    np.testing.assert_allclose(found.X, (X - X.mean()) / X.std(), atol=1e-12)
    np.testing.assert_allclose(found.y, (y - y.mean()) / y.std(), atol=1e-12)
    assert (found.name, found.columns, found.task) == (data.name, data.columns, data.task)
    assert found.description.units == {}


def test_standardised_leaves_categories_and_classes_alone():
    data = dataset_of([(1.0, "a", "x"), (2.0, "b", "x"), (6.0, "b", "y")])
    data = replace(data, y=np.array([0, 1, 1]), task="classification")
    found = data.standardised()
    assert found.columns == data.columns
    assert np.array_equal(found.X[:, 1:], data.X[:, 1:])
    assert found.X[:, 0].mean() == pytest.approx(0)
    assert found.y.tolist() == [0, 1, 1]


def test_standardised_drops_a_constant():
    X = np.array([[0.1, 1.0], [0.1, 2.0], [0.1, 4.0]])
    found = make_dataset("toy", X, np.arange(3.0), "ab", "regression").standardised()
    assert found.columns == ("b",)


def test_logarithms_replace_the_listed_columns():
    data = load("nhanes_standin")
    found = load("nhanes_standin+log")
    assert found.name == "nhanes_standin+log"
    assert found.columns == ("log(age)", "log(weight)", "log(height)")
    np.testing.assert_allclose(np.exp(found.X), data.X)
    assert np.array_equal(found.y, data.y)
    assert found.description.columns == found.columns
    assert found.description.units == {}


def test_logarithms_keep_the_other_columns():
    known = replace(load("iris").description, log=("sepal width (cm)",))
    data = replace(load("iris"), description=known)
    found = data.logarithms()
    assert found.columns[:2] == ("sepal length (cm)", "log(sepal width (cm))")
    assert np.array_equal(np.delete(found.X, 1, axis=1), np.delete(data.X, 1, axis=1))
    assert "sepal length (cm)" in found.description.units


def test_logarithms_must_be_described():
    with pytest.raises(ValueError, match=r"'iris' lists no columns under log"):
        load("iris+log")
    with pytest.raises(ValueError, match=r"'iris' lists no columns under log"):
        describe("iris+log")
    bare = Dataset("bare", np.ones((2, 1)), np.zeros(2), ("a",), "regression")
    with pytest.raises(ValueError, match=r"'bare' lists no columns under log"):
        bare.logarithms()


@pytest.mark.parametrize(
    ("number", "column", "message"),
    [
        (-1.0, "n", r"'n' .* is -1 in row 1"),
        (0.0, "n", r"'n' .* is 0 in row 1"),
        (1.0, "letter", r"no column 'letter'"),
    ],
)
def test_logarithms_need_positive_numbers(number, column, message):
    data = dataset_of([(2.0, "a", "x"), (number, "b", "x"), (1.0, "c", "x")])
    data = replace(data, description=replace(data.description, log=(column,)))
    with pytest.raises(ValueError, match=message):
        data.logarithms()


def test_a_dataset_can_be_sent_to_another_process():
    iris = load("iris")
    sent = pickle.loads(pickle.dumps(iris))
    assert np.array_equal(sent.X, iris.X)
    assert sent.description == iris.description
