"""NHANES, on small transport files that the tests write themselves."""

import sys

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from sorb.lab.datasets import DatasetDamaged, fetch, is_available, load

NAN = np.nan
AGES = {1: 19, 2: 20, 3: 45, 4: 80, 5: 61, 6: 50, 7: 33, 8: 70, 9: 44}
BODIES = {1: (60, 165), 2: (70.5, 172.5), 3: (90, 180), 4: (55, 150), 5: (NAN, 160), 6: (80, NAN)}
BODIES |= {7: (66, 166), 8: (77, 177), 10: (80, 180)}
ANSWERS = {1: 2, 2: 2, 3: 1, 4: 2, 5: 1, 6: 1, 7: 3, 8: 9, 9: 1, 10: 1}


def write(path, **columns):
    table = pd.DataFrame({name: np.asarray(values) for name, values in columns.items()})
    pyreadstat.write_xport(table, str(path), file_format_version=5)


def write_demographics(path, ages=AGES):
    write(path, SEQN=[*map(float, ages)], RIAGENDR=[1.0] * len(ages), RIDAGEYR=[*ages.values()])


def write_body(path, bodies=BODIES):
    weights, heights = zip(*bodies.values(), strict=True)
    write(path, SEQN=[*map(float, bodies)], BMXWT=weights, BMXHT=heights)


def write_diabetes(path, answers=ANSWERS):
    write(path, SEQN=[*map(float, answers)], DIQ010=[*map(float, answers.values())])


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("SORB_DATA", str(tmp_path))
    write_demographics(tmp_path / "DEMO_J.XPT")
    write_body(tmp_path / "bmx_j.xpt")
    write_diabetes(tmp_path / "DIQ_J.xpt")
    return tmp_path


def test_adults_with_an_answer_and_all_measures_are_kept(folder):
    data = load("nhanes")
    assert data.columns == ("age", "weight", "height")
    np.testing.assert_allclose(data.X, [[20, 70.5, 1.725], [45, 90, 1.80], [80, 55, 1.50]])
    assert data.y.tolist() == [0, 1, 0]
    assert data.task == "classification"


def test_logarithms_make_a_ratio_linear(folder):
    data, logs = load("nhanes"), load("nhanes+log")
    assert (logs.name, logs.columns[0]) == ("nhanes+log", "log(age)")
    bmi = data.X[:, 1] / data.X[:, 2] ** 2
    np.testing.assert_allclose(np.exp(logs.X @ [0, 1, -2]), bmi)


def test_files_are_found_in_capitals_or_not(folder):
    assert is_available("nhanes")
    assert is_available("nhanes+log")
    assert [path.name for path in fetch("nhanes")] == ["DEMO_J.XPT", "bmx_j.xpt", "DIQ_J.xpt"]


def test_the_join_is_that_of_a_slow_one(folder):
    rng = np.random.default_rng(0)
    people = range(1, 200)
    ages = {p: int(rng.integers(0, 81)) for p in rng.permutation(people)[:150]}
    measures = [(rng.normal(80, 20), rng.normal(165, 10)) for _ in people]
    measures = [m if rng.random() < 0.9 else (NAN, m[1]) for m in measures]
    bodies = {p: measures[p - 1] for p in people if rng.random() < 0.8}
    answers = {p: int(rng.choice([1, 2, 3, 7, 9])) for p in people if rng.random() < 0.8}
    write_demographics(folder / "DEMO_J.XPT", ages)
    write_body(folder / "bmx_j.xpt", bodies)
    write_diabetes(folder / "DIQ_J.xpt", answers)
    expected = [
        (ages[p], bodies[p][0], bodies[p][1] / 100, answers[p] == 1)
        for p in ages
        if p in bodies and p in answers and ages[p] >= 20
        if answers[p] in (1, 2) and not np.isnan(bodies[p]).any()
    ]
    data = load("nhanes")
    assert len(expected) > 20
    np.testing.assert_allclose(np.column_stack([data.X, data.y]), expected, rtol=1e-12)


def test_a_missing_column_is_named(folder):
    write(folder / "bmx_j.xpt", SEQN=[2.0, 3.0], BMXWT=[70.0, 80.0])
    with pytest.raises(DatasetDamaged, match=r"bmx_j\.xpt .*no column BMXHT, only SEQN, BMXWT"):
        load("nhanes")


def test_a_person_must_not_come_twice(folder):
    write(folder / "DIQ_J.xpt", SEQN=[2.0, 3.0, 2.0], DIQ010=[1.0, 2.0, 2.0])
    with pytest.raises(DatasetDamaged, match=r"DIQ_J\.xpt .*person 2 is in it twice"):
        load("nhanes")


def test_texts_are_no_measures(folder):
    write(folder / "bmx_j.xpt", SEQN=[2.0, 3.0], BMXWT=["70", "80"], BMXHT=[170.0, 180.0])
    with pytest.raises(DatasetDamaged, match=r"bmx_j\.xpt .*BMXWT.* contains text"):
        load("nhanes")


def test_files_of_different_people_are_refused(folder):
    write_diabetes(folder / "DIQ_J.xpt", {100: 1, 101: 2})
    with pytest.raises(DatasetDamaged, match="No adult is in all of the files DEMO_J"):
        load("nhanes")


@pytest.mark.parametrize("columns", [3, 12])  # rows of less and of more than one block
def test_a_file_cut_off_anywhere_is_refused(folder, columns):
    path = folder / "DEMO_J.XPT"
    people = np.arange(1.0, 41.0)
    others = {f"OTHER{j}": people for j in range(columns - 2)}
    write(path, SEQN=people, RIDAGEYR=people + 19, **others)
    load("nhanes")
    content = path.read_bytes()
    # A transport file does not say how many rows it has: a cut that falls on the end of a row and
    # of a block of 80 bytes leaves a complete, shorter file, which nobody can tell.
    start = content.index(b"HEADER RECORD*******OBS") + 80
    whole_rows = np.lcm(8 * columns, 80)
    complete = range(start + whole_rows, len(content), whole_rows)
    for size in range(0, len(content), 40):
        path.write_bytes(content[:size])
        if size not in complete:
            with pytest.raises(DatasetDamaged, match=r"DEMO_J\.XPT .*delete it"):
                load("nhanes")


@pytest.mark.parametrize("content", [b"", b"<html>Page not found</html>" * 10, b"\xff" * 500])
def test_another_file_is_refused(folder, content):
    (folder / "DIQ_J.xpt").write_bytes(content)
    with pytest.raises(DatasetDamaged, match=r"DIQ_J\.xpt is not the expected file .*'nhanes'"):
        load("nhanes")


def test_without_pandas_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install .*\[lab\]"'):
        load("nhanes")
