import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sorb.lab.facts import RunDamaged
from sorb.lab.results import SCHEMA, Results, Unit

IRIS = Unit(0, "iris", "LLTB")
WINE = Unit(1, "red_wine", "TGB-gs")
ROWS = [{"step": 1, "test_risk": 0.5}, {"step": 2, "test_risk": 0.25}]


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "run")


def test_what_is_written_is_read(results):
    results.write(IRIS, ROWS)
    table = results.table()
    assert list(table.columns) == SCHEMA.names
    assert table[["dataset", "method", "repetition", "step", "test_risk"]].values.tolist() == [
        ["iris", "LLTB", 0, 1, 0.5],
        ["iris", "LLTB", 0, 2, 0.25],
    ]
    assert table["complexity"].isna().all()


def test_units_are_listed_with_their_failures(results):
    results.write(IRIS, ROWS)
    results.write(WINE, [{"failure": "ValueError: no"}])
    assert results.done() == {IRIS: None, WINE: "ValueError: no"}


def test_a_unit_is_one_row_group(results):
    results.write(IRIS, ROWS)
    results.write(WINE, ROWS)
    with pq.ParquetFile(results.merge()) as file:
        assert file.num_row_groups == 2
        assert file.read_row_group(0)["dataset"].to_pylist() == ["iris", "iris"]


def test_merging_changes_nothing_but_the_files(results):
    results.write(WINE, ROWS)
    results.write(IRIS, ROWS)
    before = results.table().sort_values(["dataset", "step"], ignore_index=True)
    results.merge()
    assert not list((results.folder / "units").iterdir())
    assert results.table().sort_values(["dataset", "step"], ignore_index=True).equals(before)
    assert set(results.done()) == {IRIS, WINE}


def test_units_can_follow_after_merging(results):
    results.write(IRIS, ROWS)
    results.merge()
    results.write(WINE, ROWS)
    assert set(results.done()) == {IRIS, WINE}
    results.merge()
    assert len(results.table()) == 4


def test_a_unit_done_again_replaces_the_old_one(results):
    results.write(IRIS, [{"failure": "ValueError: no"}])
    results.merge()
    results.write(IRIS, ROWS)
    assert results.done() == {IRIS: None}
    assert len(results.table()) == 2


def test_a_run_killed_while_merging_counts_nothing_twice(results, monkeypatch):
    results.write(IRIS, ROWS)
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            results.merge()
    assert (results.folder / "results.parquet").exists()
    assert len(results.table()) == 2


def test_reading_survives_a_merge_at_the_same_moment(results, monkeypatch):
    results.write(IRIS, ROWS)
    results.merge()
    results.write(WINE, ROWS)
    opened = pq.ParquetFile

    def merged_before(path):
        monkeypatch.undo()
        results.merge()
        return opened(path)

    monkeypatch.setattr(pq, "ParquetFile", merged_before)
    assert set(results.done()) == {IRIS, WINE}


def _interrupted(*paths, **options):
    raise KeyboardInterrupt


def test_nothing_half_written_is_seen(results, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            results.write(IRIS, ROWS)
    assert results.done() == {}


def test_names_with_slashes_have_a_file_too(results):
    unit = Unit(0, "/tables/my own.csv", "LLTB")
    results.write(unit, ROWS)
    assert set(results.done()) == {unit}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Unit(0, "a", "b--c"), Unit(0, "a--b", "c")),
        (Unit(0, "a-", "b"), Unit(0, "a", "-b")),
        (Unit(0, "a---", "b"), Unit(0, "a", "---b")),
        (Unit(0, "a" * 300, "b"), Unit(0, "a" * 300, "c")),
    ],
)
def test_two_units_never_share_a_file(results, one, other):
    results.write(one, ROWS)
    results.write(other, ROWS)
    assert set(results.done()) == {one, other}


def test_a_long_name_has_a_file_too(results):
    unit = Unit(0, "数据" * 100, "package.module:Class" * 10)
    results.write(unit, ROWS)
    assert set(results.done()) == {unit}


def test_facts_are_remembered(results):
    assert results.facts() == {}
    results.write_facts({"machine": "größer"})
    assert results.facts() == {"machine": "größer"}


def test_an_empty_folder_says_what_to_do(results):
    with pytest.raises(FileNotFoundError, match="sorb lab run"):
        results.table()


def cut(content):
    return content[: len(content) // 2]


def scramble(content):
    return content[:200] + bytes(len(content) - 400) + content[-200:]


@pytest.mark.parametrize("damage", [cut, scramble, lambda _: b"", lambda _: b"PAR1"])
@pytest.mark.parametrize("name", ["units/iris--LLTB--00.parquet", "results.parquet"])
def test_a_damaged_file_is_named(results, name, damage):
    results.write(IRIS, ROWS * 100)
    if name == "results.parquet":
        results.merge()
    path = results.folder / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(RunDamaged, match=r"is damaged: .*Restore it, or remove it") as caught:
        results.table()
    assert str(caught.value).startswith(f"{path} is damaged: ")
    assert "\n" not in str(caught.value)
    assert ".. " not in str(caught.value)


NOTHING = pa.Table.from_pylist([], SCHEMA)
NO_DATASET = pa.Table.from_pylist([{"method": "LLTB", "repetition": 0, "step": 1}], SCHEMA)
NO_STEP = pa.Table.from_pylist([{"dataset": "a", "method": "b", "repetition": 0}], SCHEMA)


def taking(seconds):
    """The row of a model that took this time."""
    row = {"dataset": "a", "method": "b", "repetition": 0, "step": 1, "seconds": seconds}
    return pa.Table.from_pylist([row], SCHEMA)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (pa.table({"a": [1]}), "its columns are not those of results"),
        (NOTHING, "a unit has no rows"),
        (NO_DATASET, "a row has no dataset"),
        (NO_STEP, "a row has neither a step nor a failure"),
        (taking(float("inf")), "a model took inf seconds"),
        (taking(float("nan")), "a model took nan seconds"),
        (taking(-1.0), "a model took -1.0 seconds"),
    ],
    ids=["columns", "rows", "dataset", "step", "inf", "nan", "negative"],
)
def test_a_file_of_something_else_is_named(results, table, problem):
    path = results.folder / "results.parquet"
    path.parent.mkdir()
    pq.write_table(table, path)
    with pytest.raises(RunDamaged, match=f"results.parquet is damaged: {problem}"):
        results.table()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["units/iris--LLTB--00.parquet", "results.parquet"])
def test_a_pipe_is_not_waited_for(results, name):
    path = results.folder / name
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(RunDamaged, match="is damaged: it is not a regular file"):
        results.table()
