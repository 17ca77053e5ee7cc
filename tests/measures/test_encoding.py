import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sorb.measures.encoding import Columns, Design

TABLE = pd.DataFrame(
    {
        "age": [40.0, None, 60.0, 20.0],
        "group": ["B", "A", None, "B"],
        "height": [1.7, 1.8, 1.6, 1.7],
    }
)
COLUMNS = Columns(("age", "group", "height"), {"group": ("A", "B")})


@pytest.mark.parametrize("convert", [lambda t: t, pa.Table.from_pandas], ids=["pandas", "pyarrow"])
def test_tables_of_any_kind_give_the_same_numbers(convert):
    found = COLUMNS.read(convert(TABLE))
    expected = [[40, 1, 1.7], [np.nan, 0, 1.8], [60, np.nan, 1.6], [20, 1, 1.7]]
    np.testing.assert_array_equal(found, expected)


def test_a_design_is_what_scikit_learn_makes():
    matrix = COLUMNS.read(TABLE)
    found = Design.of(matrix, (0, 2, 0), np.ones(4))(matrix)
    numbers = make_pipeline(StandardScaler(), SimpleImputer(strategy="mean"))
    transformer = make_column_transformer(
        (numbers, ["age", "height"]),
        (OneHotEncoder(categories=[["A", "B"]], handle_unknown="ignore"), ["group"]),
    )
    age, height, *group = np.asarray(transformer.fit_transform(TABLE)).T
    gaps = TABLE.isna()
    expected = np.column_stack([age, gaps["age"], *group, gaps["group"], height])
    assert found == pytest.approx(expected)


def test_a_weight_is_so_many_copies():
    matrix = COLUMNS.read(TABLE)
    weight = np.array([1, 3, 2, 0])
    weighted = Design.of(matrix, (0, 2, 0), weight.astype(float))
    copied = Design.of(np.repeat(matrix, weight, axis=0), (0, 2, 0), np.ones(6))
    assert weighted(matrix) == pytest.approx(copied(matrix))


def test_unseen_categories_and_constant_columns_become_zeros():
    design = Design.of(np.array([[0.0, 5.0], [1.0, 5.0]]), (2, 0), np.ones(2))
    assert design(np.array([[-1.0, 7.0]])).tolist() == [[0.0, 0.0, 0.0]]
