"""Sparse matrices: the model of one is that of the same matrix as an array, bit for bit."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.sparse import PLAIN_VALUES, dense_tables
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from sorb import LLTBoostClassifier, LLTBoostClassifierCV, LLTBoostRegressor, LLTBoostRegressorCV

CONTAINERS = [sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix]
every_container = pytest.mark.parametrize("container", CONTAINERS, ids=lambda c: c.__name__)


def counts(seed=0, n=200, d=12):
    """A table of counts, most of them zero."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, d)) < 0.25, rng.poisson(2, (n, d)) + 1, 0).astype(float)


def labels(X, n_classes=2, seed=0):
    noise = np.random.default_rng(seed).normal(size=len(X))
    return np.digitize(X[:, 0] + X[:, 1] - X[:, 2] + noise, [0.5, 1.5][: n_classes - 1])


def amounts(X, seed=0):
    return 1.0 + X[:, 0] + np.random.default_rng(seed).exponential(size=len(X))


def assert_same_model(estimator, X, y, **fit):
    """Also of all other sizes."""
    dense = estimator.fit(X, y, **fit)
    stages, predicted = [stage.ensemble for stage in dense.stages_], dense.predict(X)
    found = estimator.fit(sparse.csr_array(X), y, **fit)
    assert [stage.ensemble for stage in found.stages_] == stages
    assert np.array_equal(found.predict(sparse.csr_array(X)), predicted)
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weights", ["real", "integer"])
@pytest.mark.parametrize("search", ["oblique", "oblique_append", "axis"])
def test_each_search_finds_the_model_of_the_array(search, weights, dtype):
    X = counts().astype(dtype)
    model = LLTBoostClassifier(max_rules=3, search=search, weights=weights)
    assert len(assert_same_model(model, X, labels(X)).ensemble_) > 0


@pytest.mark.parametrize("loss", ["squared", "poisson", "gamma", "tweedie"])
def test_each_loss_gives_the_model_of_the_array(loss):
    X = counts()
    assert_same_model(LLTBoostRegressor(max_rules=3, loss=loss), X, amounts(X))


@pytest.mark.parametrize(
    "model",
    [
        LLTBoostClassifier.paper(max_rules=3),
        LLTBoostClassifier(max_rules=3, search="axis", n_quantiles=4),
        LLTBoostClassifier(max_rules=2, search_rows=30),
        LLTBoostClassifierCV(max_rules=2, cv=KFold(2)),
        LLTBoostRegressorCV(max_rules=2, cv=2),
    ],
    ids=["paper", "quantiles", "samples", "splits", "folds"],
)
def test_other_settings_give_the_model_of_the_array(model):
    X = counts()
    assert_same_model(model, X, labels(X))


@pytest.mark.parametrize("seed", range(3))
def test_samples_of_different_rows_give_the_model_of_the_array(seed):
    X = np.random.default_rng(seed).normal(size=(600, 4))
    model = LLTBoostClassifier(max_rules=3, search_rows=30, selection=None)
    assert_same_model(model, X, labels(X, seed=seed))


DAMAGE = {
    "an index beyond the columns": lambda X: X.indices.__setitem__(0, 10**6),
    "a negative index": lambda X: X.indices.__setitem__(0, -1),
    "a start beyond the values": lambda X: X.indptr.__setitem__(1, 10**7),
    "a first start that is not zero": lambda X: X.indptr.__setitem__(0, 1),
    "too few indices": lambda X: setattr(X, "indices", X.indices[:-5]),
    "too few values": lambda X: setattr(X, "data", X.data[:-5]),
}


@every_container
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_matrix_is_refused(container, damage):
    X = counts()
    model = LLTBoostClassifier(max_rules=1).fit(X, labels(X))
    damaged = container(X)
    DAMAGE[damage](damaged)
    for use in (lambda X: model.fit(X, labels(counts())), model.predict, model.ensemble_.predict):
        with pytest.raises(ValueError, match="damaged"):
            use(damaged)


def test_several_classes_and_weights_give_the_model_of_the_array():
    X = counts()
    weight = np.random.default_rng(0).integers(0, 4, len(X)) * 0.3
    assert_same_model(LLTBoostClassifier(max_rules=3), X, labels(X, 3), sample_weight=weight)


def test_missing_values_that_are_stored_are_missing():
    X = counts()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    y = np.isnan(X[:, 0]) | (X[:, 1] > 2)
    model = assert_same_model(LLTBoostClassifier(max_rules=3), X, y)
    assert "missing" in str(model.ensemble_) or "known" in str(model.ensemble_)


# Chance may make all outcomes equal, or leave too little to choose by.
@settings(max_examples=60)
@given(
    X=dense_tables(40, 6, PLAIN_VALUES | st.just(np.nan)),
    seed=st.integers(0, 999),
)
def test_any_table_gives_the_model_of_the_array(X, seed):
    rng = np.random.default_rng(seed)
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=len(X))
    search = ["oblique", "oblique_append", "axis"][seed % 3]
    kind = [LLTBoostClassifier, LLTBoostRegressor][seed % 2]
    model = kind(max_rules=2, search=search, selection=None, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same_model(model, X, y > 0 if seed % 2 == 0 else y)


def variants(X):
    """The same table in many forms."""
    csr = sparse.csr_array(X)
    yield "coo", sparse.coo_array(X)
    yield "lil", sparse.lil_matrix(X)
    wide = csr.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield "64-bit indices", wide
    coo = sparse.coo_array(X)
    entries = [np.concatenate((part, part)) for part in (coo.row, coo.col)]
    halves = np.concatenate((coo.data / 2, coo.data / 2))
    starts = sparse.csr_array((halves, tuple(entries)), shape=X.shape)
    yield "summed entries", starts
    rows = np.repeat(np.arange(len(X)), 2)
    order = np.tile([1, 0], len(X))
    two = X[:, :2]
    unsorted = sparse.csr_array(
        (two[rows, order], order, np.arange(0, 2 * len(X) + 1, 2)), shape=two.shape
    )
    yield "zeros that are stored, unsorted", sparse.hstack([unsorted, X[:, 2:]], format="csr")
    read_only = sparse.csc_array(X)
    for part in (read_only.data, read_only.indices, read_only.indptr):
        part.flags.writeable = False
    yield "read-only", read_only
    yield "integers", sparse.csr_array(X.astype(np.int8))


def stored_twice(X):
    """A matrix with two entries, unsorted, for each value."""
    n, d = X.shape
    columns = np.tile(np.concatenate((np.arange(d)[::-1], np.arange(d))), n)
    data = np.concatenate((X[:, ::-1] / 2, X / 2), axis=1).ravel()
    return sparse.csr_array((data, columns, np.arange(0, 2 * n * d + 1, 2 * d)), shape=X.shape)


def test_all_forms_of_a_matrix_give_the_same_model():
    X = counts()
    y, model = labels(X), LLTBoostClassifier(max_rules=2, selection=None)
    expected = model.fit(X, y).ensemble_
    for form, matrix in [*variants(X), ("stored twice", stored_twice(X))]:
        assert model.fit(matrix, y).ensemble_ == expected, form
        assert np.array_equal(model.decision_function(matrix), model.decision_function(X)), form


def test_the_matrix_of_the_user_is_not_changed():
    matrix = stored_twice(counts())
    data, indices = matrix.data.copy(), matrix.indices.copy()
    LLTBoostClassifier(max_rules=1).fit(matrix, labels(counts())).predict(matrix)
    assert np.array_equal(matrix.data, data)
    assert np.array_equal(matrix.indices, indices)


@every_container
def test_a_fitted_model_says_the_same_of_a_matrix_and_of_the_array(container):
    X = counts()
    model = LLTBoostClassifier(max_rules=3).fit(X, labels(X))
    matrix = container(X)
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        assert np.array_equal(getattr(model, method)(matrix), getattr(model, method)(X))
    assert np.array_equal(model.explain(matrix).contributions, model.explain(X).contributions)
    assert np.array_equal([*model.staged_predict(matrix)], [*model.staged_predict(X)])
    assert model.score(matrix, labels(X)) == model.score(X, labels(X))
    assert np.array_equal(model.ensemble_.predict(matrix), model.ensemble_.predict(X))


def test_many_rows_are_predicted_block_by_block():
    X = np.tile(counts(), (200, 1))
    model = LLTBoostClassifier(max_rules=3).fit(counts(), labels(counts()))
    for container in (sparse.csr_array, sparse.csc_array):
        assert np.array_equal(model.decision_function(container(X)), model.decision_function(X))


def test_a_missing_value_that_training_never_saw_is_named():
    X = counts()
    model = LLTBoostClassifier(max_rules=3).fit(sparse.csr_array(X), labels(X))
    X[3] = np.nan
    with pytest.warns(UserWarning, match="is missing in row 3"):
        model.predict(sparse.csr_array(X))


def test_no_array_of_all_values_is_made():
    rng = np.random.default_rng(0)
    matrix = sparse.random_array((2_000, 20_000), density=0.001, random_state=rng, format="csr")
    y = np.asarray(matrix[:, :200].sum(axis=1)) > 0
    tracemalloc.start()
    LLTBoostClassifier(max_rules=2, selection=None).fit(matrix, y).predict(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.1 * 8 * 2_000 * 20_000


def test_text_is_learned_from_in_a_pipeline():
    texts = ["rain and wind", "sun and heat", "wind and cold rain", "heat, sun and sand"] * 10
    model = make_pipeline(TfidfVectorizer(), LLTBoostClassifier(max_rules=1))
    assert model.fit(texts, [0, 1, 0, 1] * 10).score(texts[:4], [0, 1, 0, 1]) == 1


def test_a_fitted_model_is_pickled_without_the_matrix():
    X = counts()
    model = LLTBoostClassifier(max_rules=1).fit(sparse.csr_array(X), labels(X))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"categorical_features": [0]}, "categorical_features must be None for a sparse matrix"),
        ({"log_columns": "auto"}, "log_columns must be None for a sparse matrix"),
        ({"log_columns": [0]}, "zero has no logarithm"),
    ],
)
def test_what_needs_an_array_is_refused(parameters, message):
    X = counts()
    with pytest.raises(ValueError, match=message):
        LLTBoostClassifier(**parameters).fit(sparse.csr_array(X), labels(X))


def test_infinite_values_are_refused_in_predictions():
    X = counts()
    model = LLTBoostClassifier(max_rules=3).fit(X, labels(X))
    X[7] = np.inf
    with pytest.raises(ValueError, match=r"infinity in column 'x\d', first in row 7"):
        model.predict(sparse.csr_array(X))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_named(value):
    X = counts()
    X[[5, 9], 4] = value
    with pytest.raises(ValueError, match="infinity in column 'x4', first in row 5"):
        LLTBoostClassifier().fit(sparse.csr_array(X), labels(counts()))


@pytest.mark.parametrize("dtype", [complex, object])
def test_matrices_of_anything_but_numbers_are_refused(dtype):
    matrix = sparse.csr_array(counts().astype(complex))
    if dtype is object:
        matrix = sparse.csr_matrix(counts())
        matrix.data = matrix.data.astype(object)
    with pytest.raises((ValueError, TypeError), match=r"real numbers|sparse matrix of numbers"):
        LLTBoostClassifier().fit(matrix, labels(counts()))
