import numpy as np
import pytest

from sorb.lab.datasets import load


@pytest.mark.parametrize(
    ("values", "task", "y"),
    [
        ("1 2 1", "classification", [0, 1, 0]),
        ("-1 1 1.0", "classification", [0, 1, 1]),
        ("no yes no", "classification", [0, 1, 0]),
        ("True False True", "classification", [1, 0, 1]),
        ("1 2 3", "regression", [1, 2, 3]),
        ("0.5 1e3 -2", "regression", [0.5, 1000, -2]),
    ],
)
def test_the_task_is_seen_from_the_target(write, values, task, y):
    rows = "".join(f"{i},{value}\n" for i, value in enumerate(values.split(), start=1))
    data = load(write("toy.csv", f"x,y\n{rows}"), target="y")
    assert (data.task, data.y.tolist()) == (task, y)
    assert data.y.dtype == (np.int64 if task == "classification" else np.float64)


@pytest.mark.parametrize(
    ("positive", "y"), [("1", [1, 0, 0]), ("2.0", [0, 1, 0]), ('"3"', [0, 0, 1])]
)
def test_one_of_several_numbers_may_be_positive(write, positive, y):
    write("toy.csv", "x,y\n5,1\n6,2\n7,3\n")
    text = f'file = "toy.csv"\ntarget = "y"\npositive = {positive}\n'
    assert load(write("toy.toml", text)).y.tolist() == y


def test_many_values_are_not_all_listed(write):
    write("toy.csv", "x,y\n" + "".join(f"{i},v{i}\n" for i in range(9)))
    with pytest.raises(ValueError, match=r"9 values: 'v0', 'v1', 'v2', 'v3', 'v4', …\."):
        load(write("toy.toml", 'file = "toy.csv"\ntarget = "y"'))


def test_equal_counts_over_different_exposures_are_different_rates(write):
    write("toy.csv", "x,years,claims\n5,1,1\n6,2,1\n7,4,1\n")
    text = 'file = "toy.csv"\ntarget = "claims"\nexposure = "years"\nloss = "poisson"\n'
    data = load(write("toy.toml", text))
    assert (data.task, data.y.tolist(), data.exposure.tolist()) == (
        "regression", [1, 1, 1], [1, 2, 4]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("claims", "more", "message"),
    [
        ("1 1 1", "", "'claims' of the dataset 'toy' is 1.0 in all rows: nothing to predict"),
        ("0 0 0", 'exposure = "years"', "by its exposure 'years', is 0.0 in all rows: nothing to"),
        ("1 2 4", 'exposure = "years"', "by its exposure 'years', is 1.0 in all rows: nothing to"),
        ("a a a", 'exposure = "years"', "is a in all rows: nothing to predict"),
    ],
)
def test_equal_rates_are_nothing_to_predict(write, claims, more, message):
    rows = zip("567", "124", claims.split(), strict=True)
    write("toy.csv", "x,years,claims\n" + "".join(",".join(row) + "\n" for row in rows))
    text = f'file = "toy.csv"\ntarget = "claims"\nloss = "poisson"\n{more}\n'
    with pytest.raises(ValueError, match=message):
        load(write("toy.toml", text))


def test_outcomes_outside_the_domain_are_named_with_the_dataset(write):
    write("toy.csv", "x,y\n5,1\n6,-2\n7,4\n")
    text = 'file = "toy.csv"\ntarget = "y"\nloss = "poisson"\n'
    with pytest.raises(ValueError, match=r"'toy': column 'y' is -2\.0 in row 1: exp"):
        load(write("toy.toml", text))


def test_two_categories_of_one_name_are_refused(write):
    path = write("toy.csv", "a,a=b,y\nb=c,c,1\nd,e,2\nd,c,3\n")
    with pytest.raises(ValueError, match="'toy' would have two columns 'a=b=c': rename one"):
        load(path, target="y")


def test_groups_are_no_column_to_learn_from(write):
    write("toy.csv", "x,patient,y\n5,A 1,1\n6,7,2\n7,A 1,3\n")
    data = load(write("toy.toml", 'file = "toy.csv"\ntarget = "y"\ngroup = "patient"\n'))
    assert data.columns == ("x",)
    assert data.group.tolist() == [1, 0, 1]
    assert data.standardised().group.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("group", "message"),
    [("person", "has no column 'person' for its groups"), ("z", "are in one group")],
)
def test_groups_must_be_known_and_several(write, group, message):
    write("toy.csv", "x,z,y\n5,1,1\n6,1,2\n7,1,3\n")
    with pytest.raises(ValueError, match=message):
        load(write("toy.toml", f'file = "toy.csv"\ntarget = "y"\ngroup = "{group}"\n'))
