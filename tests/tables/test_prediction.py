from collections import Counter

import numpy as np
import pandas as pd
import pytest

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.rules import columns

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) + 10
Y = X[:, 0] - X[:, 1] + 2 * (X[:, 2] > 10)


@pytest.fixture(scope="module")
def model():
    model = LLTBoostRegressor(max_rules=6, selection=None, random_state=0).fit(X, Y)
    assert model.ensemble_.used_columns == ("x0", "x1", "x2")
    return model


@pytest.fixture(params=[7, 1000], ids="{} rows".format)
def block(request, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK_ROWS", request.param)


def spoilt(cells):
    table = X.copy()
    for row, column, value in cells:
        table[row, column] = value
    return table


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, pd.DataFrame, np.float32])
class TestCheckedByBlocks:
    def test_infinity_is_named_in_the_first_column_that_holds_it(self, model, form):
        table = form(spoilt([(3, 2, np.inf), (250, 0, -np.inf), (260, 0, np.inf), (9, 1, np.nan)]))
        with pytest.raises(ValueError, match="infinity in column 'x0', first in row 250"):
            model.predict(table)

    def test_missing_values_are_counted_in_all_blocks(self, model, form):
        table = form(spoilt([(5, 1, np.nan), (100, 1, np.nan), (299, 1, np.nan), (50, 0, np.nan)]))
        with pytest.warns(UserWarning, match="is missing") as caught:
            model.predict(table)
        found = [str(warning.message).split(", but")[0] for warning in caught]
        assert found == [
            "column 'x0' is missing in row 50 (1 in all)",
            "column 'x1' is missing in row 5 (3 in all)",
        ]

    def test_values_that_may_be_missing_are_not_reported(self, form):
        holes = spoilt([(row, 0, np.nan) for row in range(0, 300, 3)])
        model = LLTBoostRegressor(max_rules=6, selection=None).fit(holes, Y)
        assert "x0" in model.ensemble_.used_columns
        expected = model.ensemble_(np.asarray(form(holes), dtype=float))
        assert model.predict(form(holes)).tolist() == expected.tolist()


@pytest.mark.usefixtures("block")
def test_infinity_is_named_before_a_text_in_a_later_column(model):
    table = spoilt([(20, 0, np.inf)]).astype(object)
    table[0, 2] = "many"
    with pytest.raises(ValueError, match="infinity in column 'x0', first in row 20"):
        model.predict(pd.DataFrame(table))


@pytest.mark.usefixtures("block")
def test_a_text_is_named_in_its_own_row(model):
    table = pd.DataFrame(X.astype(object))
    table.iloc[123, 1] = "many"
    with pytest.raises(TypeError, match="column 'x1' must hold numbers, found 'many' in row 123"):
        model.predict(table)


@pytest.mark.usefixtures("block")
def test_products_warn_of_numbers_that_are_not_positive():
    outcome = X[:, 0] / X[:, 1] > 1
    model = LLTBoostClassifier(max_rules=3, selection=None, log_columns=[0, 1]).fit(X, outcome)
    with pytest.warns(UserWarning, match="'x0' is -1 in row 90 .2 in all are not positive"):
        model.predict(spoilt([(90, 0, -1), (200, 0, 0)]))


@pytest.mark.usefixtures("block")
def test_labels_of_another_type_are_quoted_from_all_rows():
    groups = pd.DataFrame({"g": pd.Categorical(["a", "b", "c"] * 100)})
    model = LLTBoostClassifier(max_rules=2, selection=None).fit(groups, groups["g"] == "a")
    numbers = pd.DataFrame({"g": np.repeat([3, 1, 2], 100)})
    with pytest.warns(UserWarning, match="column 'g' holds numbers .1, 2, 3., but held texts"):
        model.predict(numbers)


@pytest.mark.parametrize("ask", ["predict", "transform", "explain"])
def test_a_prediction_reads_each_column_once(ask, monkeypatch):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "unused"])
    y = (table["a"] > 0) & (table["b"] > 0)
    model = LLTBoostClassifier(max_rules=4, selection=None).fit(table[["a", "b", "unused"]], y)
    used, read = model.ensemble_.used_columns, Counter()
    numbers = columns.frame_numbers

    def counted(column):
        read[column.name] += 1
        return numbers(column)

    monkeypatch.setattr(columns, "frame_numbers", counted)
    getattr(model, ask)(table)
    assert len(used) >= 2
    assert read == dict.fromkeys(used, 1)
