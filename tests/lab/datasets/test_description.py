import pytest
from lab.datasets.cars import CARS

from sorb.lab.datasets import DatasetUnavailable, describe, load


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
    ("text", "message"),
    [
        ('target = "km"', "give one of file, files and generator"),
        ('target = "km"\nfile = "cars.csv"\ngenerator = "x"', "give one of file, files and gen"),
        ('file = "cars.csv"', "name the column to predict"),
        ('target = "km"\nfile = "cars.csv"\ncolums = []', "no key 'colums'; the keys are name,"),
        (f"{'k' * 500} = 1", f"there is no key '{'k' * 99}…; the keys are name,"),
        ('target = "km"\ngenerator = ""', "generator must be a visible text, not ''"),
        ('target = 3\nfile = "cars.csv"', "target must be text in quotes, not 3"),
        (
            'target = "km"\nfile = "cars.csv"\ntask = "ranking"',
            "task must be one of class.*ranking",
        ),
        ('target = "km"\nfile = "cars.csv"\npositive = true', "positive must be text or a number"),
        ('target = "km"\nfile = "cars.csv"\ncolumns = "km"', r"columns must be a list such as"),
        ('target = "km"\nfile = "cars.csv"\nlog = [1]', r"log\[0\] must be text in quotes"),
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
        ('target = "km"\nfiles = [3]', r"files\[0\] must be a table, not 3"),
        (
            'target = "km"\nfiles = [{ file = 3 }]',
            r"files\[0\]\.file must be text in quotes",
        ),
        ('target = "km"\nfile = "cars.csv"\nname = ""', "name must be a visible text, not ''"),
        ('target = "km"\nfile = "cars.csv"\nname = "a\\u0000"', r"name must be a visible text"),
        ('target = "km"\nfile = "cars.csv"\nsha256 = "0"', "sha256 must be 64 hexadecimal digits"),
        (
            'target = "km"\nfile = "cars.csv"\nurl = "file:///etc/passwd"',
            "url must begin with http:// or https://, not 'file:///etc/passwd'",
        ),
        (
            'target = "km"\nfile = "cars.csv"\nmax_megabytes = 0',
            "max_megabytes must be finite and positive, not 0",
        ),
        (
            'target = "km"\nfile = "cars.csv"\nmax_minutes = nan',
            "max_minutes must be finite and positive, not nan",
        ),
        (f'target = "km"\nfile = "cars.csv"\nlog = {list(range(99))}', "log.* not .{0,150}$"),
    ],
)
def test_a_faulty_description_is_explained(write, text, message):
    write("cars.csv", CARS)
    with pytest.raises((ValueError, DatasetUnavailable), match=message) as caught:
        load(write("cars.toml", text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", ["../cars.csv", "/tmp/cars.csv", "data/cars.csv", r"..\\cars.csv", "C:cars.csv", ""]
)
@pytest.mark.parametrize("key", ['file = "{}"', 'files = [{{ file = "{}" }}]'])
def test_a_file_outside_the_folder_is_refused(write, key, name):
    text = f'target = "km"\n{key.format(name)}\n'
    with pytest.raises(ValueError, match=r"cars\.toml: file.* must be the name of a file in the"):
        describe(write("cars.toml", text))


@pytest.mark.parametrize("name", ["run.json", "other.toml", "my_rivals.py", "torch.so", "cars"])
def test_a_download_can_only_be_a_table(write, name):
    text = f'target = "km"\nfile = "{name}"\nurl = "http://localhost/x"\n'
    with pytest.raises(ValueError, match=rf"to download must end in \.csv, .*not '{name}'"):
        describe(write("cars.toml", text))


def test_a_name_is_not_a_path_to_a_description(write):
    path = write("cars.toml", 'target = "km"\nfile = "cars.csv"\n')
    with pytest.raises(ValueError, match="There is no dataset"):
        describe(str(path.with_suffix("")))
