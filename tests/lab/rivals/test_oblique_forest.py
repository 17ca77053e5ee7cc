"""Trees of the library obliquetree, read as conditions."""

import sys
import warnings
from math import comb

import numpy as np
import obliquetree
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.lab.rivals import oblique_forest
from sorb.lab.rivals.oblique_forest import forest_conditions, sides
from sorb.learning.rows import Rows


def smooth(rng, n, d):
    return rng.normal(size=(n, d))


def coarse(rng, n, d):
    """Many rows lie exactly on a bound that a tree chooses."""
    return rng.integers(-3, 4, size=(n, d)).astype(np.float64)


def shifted(rng, n, d):
    """The sums in the user's units lose most of their digits."""
    return 1e6 + np.arange(1, d + 1) * rng.integers(0, 6, size=(n, d))


def single(rng, n, d):
    return rng.normal(size=(n, d)).round(1).astype(np.float32)


TABLES = (smooth, coarse, shifted, single)


def rows_of(X, y, classes):
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    return Rows.from_table(X, y, np.ones(len(X)), columns, centred=not classes)


def problem(make, seed, classes, n=150, d=4):
    rng = np.random.default_rng(seed)
    X = make(rng, n, d)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    score = Z[:, 0] - Z[:, -1] + (Z[:, 0] > 0) * Z[:, d // 2] + 0.3 * rng.normal(size=n)
    return rows_of(X, (score > 0) * 1.0 if classes else score, classes)


def grow(rows, classes, size, depth, seed=0):
    kind = obliquetree.Classifier if classes else obliquetree.Regressor
    tree = kind(max_depth=depth, n_pair=size, random_state=seed)
    return tree.fit(rows.Z, rows.y, rows.weight)


def root_of(tree):
    return tree.__getstate__()["tree"]


def walk(rows, node, covered, propositions, covers):
    """Every node but the root, with its path and the rows that reach it."""
    if node["is_leaf"]:
        return
    columns = np.arange(rows.Z.shape[1])
    for name, proposition in zip(("left", "right"), sides(rows, columns, node), strict=True):
        path, reached = (*propositions, proposition), covered & covers(proposition)
        yield node[name], path, reached
        yield from walk(rows, node[name], reached, path, covers)


def predictions(rows, root, n, covers):
    values = np.full(n, np.nan)
    for node, _, covered in walk(rows, root, np.ones(n, dtype=bool), (), covers):
        if node["is_leaf"]:
            assert np.isnan(values[covered]).all()  # no row is in two leaves
            values[covered] = node["value"]
    return values


def predicted(tree, Z, classes):
    return tree.predict_proba(Z)[:, 1] if classes else tree.predict(Z)


@settings(max_examples=40)
@given(
    st.sampled_from(TABLES), st.integers(0, 999), st.booleans(), st.integers(2, 4), st.booleans()
)
def test_paths_give_the_predictions_of_the_tree_on_the_training_rows(
    make, seed, classes, size, deep
):
    rows = problem(make, seed, classes)
    tree = grow(rows, classes, size, 2 + deep)
    found = predictions(rows, root_of(tree), len(rows), rows.covered_by)
    np.testing.assert_array_equal(found, predicted(tree, rows.Z, classes))


@pytest.mark.parametrize("classes", [True, False])
def test_paths_give_the_predictions_of_the_tree_on_other_rows(classes):
    rows = problem(smooth, 1, classes)
    tree = grow(rows, classes, 3, 3)
    X = np.random.default_rng(2).normal(size=(500, 4))

    def covers(proposition):
        return proposition(X, rows.columns)

    found = predictions(rows, root_of(tree), len(X), covers)
    Z = (X[:, rows.sources] - rows.centre) / rows.scale
    np.testing.assert_array_equal(found, predicted(tree, Z, classes))


def test_the_side_of_a_row_exactly_on_the_bound_is_that_of_the_tree():
    rows = rows_of(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0]), True)
    on_the_bound = float(rows.Z[rows.X[rows.origin, 0] == 1.0, 0][0])
    node = {"is_leaf": False, "is_oblique": False, "feature_idx": 0, "threshold": on_the_bound}
    left, right = sides(rows, np.array([0]), node)
    x = np.array([[0.0], [1.0], [2.0]])
    assert left(x, ("x0",)).tolist() == [True, True, False]
    assert right(x, ("x0",)).tolist() == [False, False, True]


@settings(max_examples=60)
@given(st.sampled_from(TABLES), st.integers(0, 999), st.integers(2, 4))
def test_no_row_changes_sides_by_rounding(make, seed, size):
    """Also where the bound goes right through a row."""
    rows = problem(make, seed, True)
    rng = np.random.default_rng(seed)
    features, weights = rng.choice(4, size, replace=False), rng.normal(size=size)
    projection = np.zeros(len(rows))
    for j, weight in zip(features, weights, strict=True):
        projection += weight * rows.Z[:, j].astype(np.float64)
    node = {
        "is_leaf": False,
        "is_oblique": True,
        "features": features.tolist(),
        "weights": weights.tolist(),
        "threshold": float(rng.choice(projection)),
    }
    left, right = sides(rows, np.arange(4), node)
    expected = projection <= node["threshold"]
    np.testing.assert_array_equal(rows.covered_by(left), expected)
    np.testing.assert_array_equal(rows.covered_by(right), ~expected)


def test_a_weight_of_zero_is_no_weight():
    rows = problem(smooth, 0, True)
    node = {
        "is_leaf": False, "is_oblique": True, "features": [0, 2, 3], "weights": [0.5, 0.0, -1.0],
        "threshold": 0.1,
    }  # fmt: skip
    left, right = sides(rows, np.array([0, 1, 2, 3]), node)
    used = tuple(rows.columns[rows.sources[j]] for j in (0, 3))
    assert left.columns == right.columns == used


@pytest.mark.parametrize("classes", [True, False])
def test_every_node_but_the_root_gives_a_condition(classes):
    rows = problem(smooth, 3, classes)
    root = root_of(grow(rows, classes, 2, 3))
    everywhere = np.ones(len(rows), dtype=bool)
    expected = [path for _, path, _ in walk(rows, root, everywhere, (), rows.covered_by)]
    found = [
        condition.propositions
        for condition, _ in oblique_forest._below(rows, np.arange(4), root, (), everywhere)
    ]
    assert len(found) > 4
    assert found == expected


@pytest.mark.parametrize("make", TABLES)
@pytest.mark.parametrize("classes", [True, False])
def test_the_covered_rows_are_those_of_the_condition(make, classes):
    rows = problem(make, 4, classes, n=60)
    for condition, covered in forest_conditions(rows, classes, np.random.default_rng(0)):
        np.testing.assert_array_equal(covered, rows.covered_by(condition))
        assert 0 < covered.sum() < len(rows)


@pytest.mark.parametrize("classes", [True, False])
def test_copies_of_a_row_are_one_row_of_their_weight(classes):
    rows = problem(smooth, 5, classes)
    counts = np.random.default_rng(0).integers(0, 4, len(rows)).astype(np.float64)
    found = oblique_forest._tree(rows.Z, rows.y, counts, classes, 2, 3, 7)
    copies = np.repeat(np.arange(len(rows)), counts.astype(int))
    kind = obliquetree.Classifier if classes else obliquetree.Regressor
    tree = kind(max_depth=3, n_pair=2, random_state=7).fit(rows.Z[copies], rows.y[copies])
    everywhere = np.ones(len(rows), dtype=bool)
    same = [
        [covered.tolist() for _, _, covered in walk(rows, root, everywhere, (), rows.covered_by)]
        for root in (found, root_of(tree))
    ]
    assert same[0] == same[1]


@pytest.mark.parametrize(("d", "sizes"), [(1, {1}), (2, {2}), (3, {2, 3}), (4, {2, 3, 4})])
def test_few_columns_give_smaller_combinations(d, sizes):
    rows = problem(smooth, 6, True, d=d)
    lengths = set()
    for condition, _ in forest_conditions(rows, True, np.random.default_rng(0)):
        lengths |= {len(p.columns) for p in condition.propositions}
        assert len(condition.propositions) <= 3
    assert sizes <= lengths <= sizes | {1}


@pytest.mark.parametrize(("d", "trees"), [(1, 10), (2, 10), (3, 20), (4, 30), (5, 40), (30, 40)])
def test_five_trees_for_each_size_and_depth(d, trees, monkeypatch):
    asked = []

    def tree(Z, y, counts, classes, size, depth, seed):
        assert comb(Z.shape[1], size) < 1000
        assert counts.sum() == 105
        asked.append((size, depth))
        return {"is_leaf": True}

    monkeypatch.setattr(oblique_forest, "_tree", tree)
    rows = problem(smooth, 0, False, d=d)
    assert not list(forest_conditions(rows, False, np.random.default_rng(0)))
    assert len(asked) == trees
    assert {asked.count(kind) for kind in asked} == {5}


@pytest.mark.parametrize(
    ("d", "size", "width"), [(10, 5, 10), (46, 2, 36), (46, 3, 17), (30, 4, 12), (20, 5, 12)]
)
def test_columns_are_left_out_a_fifth_at_a_time(d, size, width):
    columns = 10 * np.arange(d)
    found = oblique_forest._drop_columns(columns, size, np.random.default_rng(0))
    assert len(set(found.tolist())) == width
    assert set(found.tolist()) <= set(columns.tolist())


def test_rows_are_drawn_as_often_as_they_are_there():
    weight = np.array([1.0, 2.0, 7.0])
    rng = np.random.default_rng(0)
    counts = np.array([oblique_forest._draw(weight, rng) for _ in range(2000)])
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 0.7 * weight, atol=0.1)


def test_constant_columns_are_not_used():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[:, 1] = 5.0
    rows = rows_of(X, X[:, 0] + X[:, 2], False)
    found = forest_conditions(rows, False, np.random.default_rng(0))
    assert {name for condition, _ in found for name in condition.columns} == {"x0", "x2"}


@pytest.mark.parametrize("y", [np.zeros(20), np.full(20, 0.1)])
def test_constant_outcomes_give_no_condition(y):
    rows = rows_of(np.random.default_rng(0).normal(size=(20, 2)), y, False)
    assert list(forest_conditions(rows, False, np.random.default_rng(0))) == []


def test_a_draw_without_the_rare_class_gives_no_tree():
    x = np.arange(30.0)
    rows = rows_of(np.column_stack([x, -x]), (x == 29) * 1.0, True)
    conditions = [str(c) for c, _ in forest_conditions(rows, True, np.random.default_rng(0))]
    assert 0 < len(conditions) < 2 * 10


def test_one_row_gives_no_tree():
    counts = oblique_forest._draw(np.ones(1), np.random.default_rng(0))
    assert oblique_forest._tree(np.ones((1, 2)), np.ones(1), counts, False, 2, 2, 0)["is_leaf"]


def test_the_way_warnings_are_printed_stays(monkeypatch):
    for name in ("obliquetree", "obliquetree._pywrap"):
        monkeypatch.delitem(sys.modules, name)

    def printed(*args, **kwargs):
        return ""

    monkeypatch.setattr(warnings, "formatwarning", printed)
    oblique_forest._library()
    assert warnings.formatwarning is printed


def test_without_the_library_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "obliquetree", None)
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        oblique_forest._library()


@pytest.mark.parametrize("version", ["1.0.3", "1.0.6", "1.1.1"])
def test_another_version_of_the_library_is_refused(version, monkeypatch):
    monkeypatch.setattr(obliquetree, "__version__", version)
    with pytest.raises(ImportError, match=f"found {version}"):
        oblique_forest._library()
