import numpy as np
import pyarrow as pa
import pytest

from sorb.cli.labelled_rows import LabelledRows
from sorb.cli.row_split import split_rows
from sorb.cli.task import Task

PARAMETERS = {"random_state": 3, "near_duplicates": "together"}


def coarse(n=200, seed=0):
    """Few different rows, each of which is several observations."""
    rng = np.random.default_rng(seed)
    return {"a": rng.integers(0, 2, n), "b": rng.integers(0, 2, n), "y": rng.integers(0, 2, n)}


def split(columns, share=0.25, weight=None, group=None, exposure=None, task=Task.classification):
    rows = LabelledRows.of(pa.table(columns), "y", weight, exposure, group)
    names = [name for name in columns if name not in ("y", weight, group, exposure)]
    loss = {"loss": "poisson"} if exposure else {}
    return split_rows(rows, task, names, PARAMETERS | loss, share)


def held(rows):
    """The different rows and their total weights."""
    found = {}
    values = zip(*(rows.table[name].to_pylist() for name in rows.table.column_names), strict=True)
    for row, y, weight in zip(values, rows.y, rows.weight, strict=True):
        found[row, y] = found.get((row, y), 0) + weight
    return found


def test_without_a_share_all_rows_are_learned_from():
    training, test = split(coarse(), 0.0)
    assert (len(training.y), test) == (200, None)


def test_weights_of_k_are_k_copies_also_where_they_are_divided():
    columns = coarse()
    count = np.random.default_rng(1).integers(0, 4, 200)
    weighted = split({**columns, "w": count}, weight="w")
    copies = split({name: np.repeat(values, count) for name, values in columns.items()})
    for ours, theirs in zip(weighted, copies, strict=True):
        assert held(ours) == held(theirs)
    assert {row for row, _ in held(weighted[0])} == {row for row, _ in held(weighted[1])}


def test_exposures_stay_with_their_rows():
    rng = np.random.default_rng(2)
    columns = {"a": rng.normal(size=80), "y": rng.integers(0, 3, 80), "e": rng.uniform(1, 2, 80)}
    sides = split(columns, exposure="e", task=Task.regression)
    for side in sides:
        assert side.exposure.tolist() == columns["e"][side.places].tolist()
    assert sum(len(side.y) for side in sides) == 80


@pytest.mark.parametrize("labels", [list("abcdefghij"), range(10)])
def test_groups_are_on_one_side(labels):
    person = np.repeat(np.arange(10), 20)
    columns = {**coarse(), "person": [labels[k] for k in person]}
    training, test = split(columns, group="person")
    assert training.n_groups + test.n_groups == 10
    assert not set(person[training.places]) & set(person[test.places])
    assert 40 <= len(test.y) <= 60
