import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from checks.seen import ROWS, classes, plain
from scipy.sparse import csr_array

import sorb
from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV
from sorb.checks import warn_of_serious_findings


def warned(model, *data, **options):
    """The warnings of a fit about its table."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data, **options)
    return [w for w in caught if w.category is sorb.TableWarning]


@pytest.mark.parametrize("kind", [LLTBoostClassifier, LLTBoostClassifierCV])
def test_a_fit_warns_of_what_is_serious_in_the_callers_line(kind):
    y = classes()
    X = plain().assign(days=np.where(y == "ill", 5.0, np.nan), id=np.arange(ROWS), site=3)
    caught = warned(kind(max_rules=1), X, y)
    said = [str(warning.message) for warning in caught]
    assert [message.split()[0] for message in said] == ["whether", "id"]
    assert all("sorb.check(X, y)" in message and "simplefilter" in message for message in said)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("kind", [LLTBoostRegressor, LLTBoostRegressorCV])
def test_twelve_rows_warn(kind):
    X = plain(n_rows=12)[["age", "bmi"]]
    with pytest.warns(sorb.TableWarning, match="only 12 rows"):
        kind(max_rules=1).fit(X, X["age"] + X["bmi"] ** 2)


def test_each_kind_warns_once():
    X = plain().assign(a=np.arange(ROWS), b=np.arange(ROWS) * 2)
    [warning] = warned(LLTBoostClassifier(max_rules=0), X, classes())
    assert "a numbers the rows" in str(warning.message)
    assert "the same holds for b" in str(warning.message)


def test_classes_are_told_by_their_labels():
    [warning] = warned(LLTBoostClassifier(max_rules=0), plain(), ["Pos", "pos", "neg"] * 100)
    assert "'Pos', 'pos'" in str(warning.message)


def test_nothing_is_said_of_what_is_only_worth_a_look():
    assert warned(LLTBoostClassifier(max_rules=0), plain().assign(site=3), classes()) == []


def test_rows_without_weight_are_not_looked_at():
    X, y = plain(), classes()
    X.loc[:9, "age"] = -999
    weight = np.ones(ROWS)
    assert len(warned(LLTBoostClassifier(max_rules=0), X, y, sample_weight=weight)) == 1
    weight[:10] = 0
    assert warned(LLTBoostClassifier(max_rules=0), X, y, sample_weight=weight) == []


def test_sparse_matrices_are_not_looked_at():
    X = csr_array(plain(n_rows=12)[["age", "bmi"]].to_numpy())
    assert warned(LLTBoostRegressor(max_rules=0), X, np.arange(12.0)) == []


def test_a_single_class_has_no_leak():
    X = pd.DataFrame({"x": np.where(np.arange(ROWS) % 2, 1.0, np.nan)})
    assert warned(LLTBoostClassifier(), X, np.ones(ROWS, dtype=int)) == []


def test_one_filter_silences_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", sorb.TableWarning)
        LLTBoostRegressor(max_rules=0).fit(plain(n_rows=12)[["age"]], np.arange(12.0))


def test_a_large_table_is_not_copied():
    X = np.random.default_rng(0).normal(size=(200_000, 20)).astype(np.float32)
    data = LLTBoostClassifier()._training_data(X, X[:, 0] > 0, None)
    tracemalloc.start()
    try:
        with pytest.warns(sorb.TableWarning, match="x0 tells the outcome"):
            warn_of_serious_findings(data, 1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes
