"""A user's own datasets: a CSV file, or a description of one."""

import hashlib

import numpy as np
import pytest

from sorb.lab.datasets import DatasetDamaged, DatasetUnavailable, describe, fetch, load
from sorb.tables.cells import MOST_CATEGORIES

CARS = """number,km,colour,sold
1,120.5,red,no
2,80,blue,yes
3,95,red,yes
"""


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def test_a_csv_file_needs_only_its_target(write):
    data = load(write("cars.csv", CARS), target="sold")
    assert data.name == "cars"
    assert data.columns == ("number", "km", "colour=blue", "colour=red")
    assert data.X.tolist() == [[1, 120.5, 0, 1], [2, 80, 1, 0], [3, 95, 0, 1]]
    assert (data.task, data.y.tolist()) == ("classification", [0, 1, 1])


@pytest.mark.parametrize("as_path", [True, False])
def test_a_path_may_be_text(write, as_path):
    path = write("cars.CSV", CARS)
    assert load(path if as_path else str(path), target="km").task == "regression"
    assert fetch(path) == (path,)


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


def test_what_spreadsheets_write_is_understood(write):
    text = '\ufeff,"a, b", c ,y\r\n0,"1",  x,1\r\n\r\n1,2,"x ",2\r\n2,3,"z\nz",3'
    data = load(write("toy.csv", text), target="y")
    assert data.columns == ("a, b", "c=x", "c=z\nz")
    assert data.X.tolist() == [[1, 1, 0], [2, 1, 0], [3, 0, 1]]


def test_semicolons_and_decimal_commas_are_understood(write):
    data = load(write("toy.csv", "a;b;y\n1,5;x;3\n4;z;6\n2;z;7,5\n"), target="y")
    assert data.columns == ("a", "b=x", "b=z")
    assert (data.X[:, 0].tolist(), data.y.tolist()) == ([1.5, 4, 2], [3, 6, 7.5])


def test_columns_without_a_name_are_left_out(write):
    assert load(write("toy.csv", ",x,,y\n0,1,,2\n1,3,,4\n"), target="y").columns == ("x",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,y\n1,2,3\n4,,5\n", r"toy\.csv, line 3, column 'b': the value is missing \(''\)"),
        ("a,b,y\n1, NA ,3\n4,5,6\n", r"line 2, column 'b': the value is missing \('NA'\)"),
        ("a,b,y\n1,2,3\n4,None,6\n", r"line 3, column 'b': 'None' is not a finite number"),
        ("a,b,y\n1,NA,3\n4,5,6\n", r"line 2, column 'b': the value is missing \('NA'\)"),
        ("a,b,y\n1,u,3\n\n4,?,6\n", r"line 4, column 'b': the value is missing"),
        ("a,b,y\n1,2,3\n4,5,nan\n", r"line 3, column 'y': the value is missing"),
        ("a,b,y\n1,2,3\n4,inf,6\n", r"line 3, column 'b': 'inf' is not a finite number"),
        ("a,b,y\n1,2,3\n4,x,6\n", r"line 3, column 'b': 'x' is not a number, as '2' is.*categ"),
        ("a,b,y\nx,2,3\n4,5,6\n", r"line 2, column 'a': 'x' is not a number, as '4' is"),
        ("a,b,z\n1,2,3\n4,5,6\n", r"no column 'y'; name the target, .* a, b, z"),
        ("a,a,y\n1,2,3\n4,5,6\n", r"has two columns 'a': rename one of them"),
        ("a,b,y\n1,2,3\n4,5\n", r"line 3: expected 3 cells, as in the header, found 2"),
        ("a,b,y\n", r"toy\.csv has no rows"),
        ("", r"toy\.csv is empty"),
        ("a,b,y\n1,2,3\n4,5,3\n", r"target 'y' .*'toy' is 3.0 in all rows"),
        ("y\n1\n2\n", r"'toy' has no column but its target"),
        ("a,y\n1,u\n2,v\n3,w\n", r"target 'y' .* has 3 values: 'u', 'v', 'w'. .*`positive`"),
        (b"a,y\n1,\xff\n", r"neither Parquet nor CSV in UTF-8"),
        (b"PAR1", r"toy\.csv: .*arquet"),
    ],
)
def test_a_faulty_table_is_explained(write, text, message):
    path = write("toy.csv", text)
    with pytest.raises(ValueError, match=message) as caught:
        load(path, target="y")
    assert "\n" not in str(caught.value)


def test_names_and_dates_are_no_categories(write):
    rows = "".join(f"person {i},{i}\n" for i in range(MOST_CATEGORIES + 1))
    with pytest.raises(ValueError, match=r"column 'who': 256 different texts.*`ignored`"):
        load(write("toy.csv", f"who,y\n{rows}"), target="y")


def test_a_csv_file_without_target_lists_its_columns(write):
    with pytest.raises(ValueError, match=r"no target given.*number, km, colour, sold"):
        load(write("cars.csv", CARS))


def test_a_csv_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DatasetUnavailable, match=r"'cars' needs the file .*cars\.csv"):
        load(tmp_path / "cars.csv", target="y")


def test_a_description_beside_the_table(write):
    write("table.csv", CARS)
    text = """
        title = "Cars on sale"
        file = "table.csv"
        target = "colour"
        positive = "red"
        ignored = ["number"]
        log = ["km"]
        units = { km = "1000 km" }
    """
    path = write("cars.toml", text)
    data = load(path)
    assert (data.name, data.task) == ("cars", "classification")
    assert data.columns == ("km", "sold=no", "sold=yes")
    assert data.y.tolist() == [1, 0, 1]
    assert data.description == describe(str(path))
    assert (data.description.title, data.description.units) == ("Cars on sale", {"km": "1000 km"})
    assert load(f"{path}+log").columns[0] == "log(km)"


def test_a_description_may_choose_rename_and_order_columns(write):
    write("toy.csv", ",size,kind,sex,secret,label\n0,1.5,1,1,7,-1\n1,2.5,2,-1,8,1\n2,3.5,1,1,9,1\n")
    text = """
        name = "mine"
        file = "toy.csv"
        task = "regression"
        target = "label"
        columns = ["sex", "kind", "length"]
        categories = ["kind", "sex"]
        header = { size = "length" }
        values = { sex = { 1 = "Male", -1 = "Female" } }
    """
    data = load(write("toy.toml", text))
    assert data.name == "mine"
    assert data.columns == ("sex=Female", "sex=Male", "kind=1", "kind=2", "length")
    assert data.X.tolist() == [[0, 1, 1, 0, 1.5], [1, 0, 0, 1, 2.5], [0, 1, 1, 0, 3.5]]
    assert (data.task, data.y.tolist()) == ("regression", [-1, 1, 1])


@pytest.mark.parametrize(
    ("positive", "y"), [("1", [1, 0, 0]), ("2.0", [0, 1, 0]), ('"3"', [0, 0, 1])]
)
def test_one_of_several_numbers_may_be_positive(write, positive, y):
    write("toy.csv", "x,y\n5,1\n6,2\n7,3\n")
    text = f'file = "toy.csv"\ntarget = "y"\npositive = {positive}\n'
    assert load(write("toy.toml", text)).y.tolist() == y


def test_a_table_may_be_pinned(write):
    write("cars.csv", CARS)
    text = 'file = "cars.csv"\ntarget = "km"\nsha256 = "{}"\n'
    good = hashlib.sha256(CARS.encode()).hexdigest()
    assert load(write("good.toml", text.format(good.upper()))).X.shape == (3, 5)
    with pytest.raises(DatasetDamaged, match=f"SHA-256 is {good}.*correct its sha256"):
        load(write("bad.toml", text.format("0" * 64)))


def test_a_generator_may_be_used_with_other_arguments(write):
    text = 'target = "z"\ngenerator = "sklearn.datasets.make_friedman1"\narguments = {arguments}\n'
    data = load(write("toy.toml", text.format(arguments="{ n_samples = 7, random_state = 0 }")))
    assert (data.X.shape, data.columns[-1]) == ((7, 10), "x10")
    with pytest.raises(ValueError, match=r"make_friedman1 .*'toy' does not take .*'rows'"):
        load(write("toy.toml", text.format(arguments="{ rows = 7 }")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('target = "km"', "give one of file, files and generator"),
        ('target = "km"\nfile = "cars.csv"\ngenerator = "x"', "give one of file, files and gen"),
        ('file = "cars.csv"', "name the column to predict"),
        ('target = "km"\nfile = "cars.csv"\ncolums = []', "no key 'colums'; the keys are name,"),
        ('target = 3\nfile = "cars.csv"', "target must be text in quotes, not 3"),
        (
            'target = "km"\nfile = "cars.csv"\ntask = "ranking"',
            "task must be one of class.*ranking",
        ),
        ('target = "km"\nfile = "cars.csv"\npositive = true', "positive must be text or a number"),
        ('target = "km"\nfile = "cars.csv"\ncolumns = "km"', r"columns must be a list such as"),
        ('target = "km"\nfile = "cars.csv"\nlog = [1]', "each of .*log must be text in quotes"),
        ('target = "km"\nfile = "cars.csv"\nsize = [3]', "size must be two numbers, of rows and"),
        ('target = "km"\nfile = "cars.csv"\nunits = "km"', "units must be a table"),
        ('target = "km"\nfile = "cars.csv"\nunits = { km = 1 }', r"units\.km must be text"),
        ('target = "km"\nfile = "cars.csv"\nvalues = { a = 1 }', r"values\.a must be a table"),
        ('target = "km"\nfiles = []', "files must be a list of tables"),
        ('target = "km"\nfiles = [{ url = "x" }]', "must have file and may have url and sha256"),
        ('target = "km"\nfiles = [{ file = "a" }, { file = "b" }]', r"'csv' takes 1 file"),
        ('target = "km"\nfile = "cars.csv"\nreader = "nhanes"', r"'nhanes' takes 3 file"),
        ('target = "km"\ngenerator = "x"\nurl = "y"', "url and sha256 belong to a file"),
        (
            'target = "km"\ngenerator = "os.system"',
            "names the unknown generator 'os.system'; .*load_iris",
        ),
        (
            'target = "km"\nfile = "cars.csv"\ncolumns = ["kn"]',
            "no column 'kn'; the columns are nu",
        ),
        (
            'target = "km"\nfile = "cars.csv"\nignored = ["kn"]',
            "no column 'kn'; the columns are nu",
        ),
        ('target = "sold"\nfile = "cars.csv"\ntask = "regression"', "'sold' .*number.*'no', 'yes'"),
        (
            'target = "sold"\nfile = "cars.csv"\npositive = "si"',
            "never has the value 'si'.*'no', 'y",
        ),
        ('target = "km"\nfile = "no.csv"', r"'cars' needs the file .*no\.csv.*does not exist"),
        ('target = "km"\nfile = ', r"cars\.toml, line 2: "),
    ],
)
def test_a_faulty_description_is_explained(write, text, message):
    write("cars.csv", CARS)
    with pytest.raises((ValueError, DatasetUnavailable), match=message) as caught:
        load(write("cars.toml", text))
    assert "\n" not in str(caught.value)


def test_many_values_are_not_all_listed(write):
    write("toy.csv", "x,y\n" + "".join(f"{i},v{i}\n" for i in range(9)))
    with pytest.raises(ValueError, match=r"9 values: 'v0', 'v1', 'v2', 'v3', 'v4', …\."):
        load(write("toy.toml", 'file = "toy.csv"\ntarget = "y"'))


def test_the_target_may_be_named_with_the_table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,y\n1,0\n2,1\n3,1\n", encoding="utf-8")
    data = load(f"{path}:y")
    assert (data.columns, data.y.tolist()) == (("a",), [0, 1, 1])
