import pytest
from lab.run_files import TWO

from sorb.lab.configuration import ConfigurationError
from sorb.lab.protocol import REG_LAMBDAS
from sorb.lab.results import Unit
from sorb.lab.run_file import configurations, load_configuration


def test_defaults_are_those_of_the_paper(load):
    run = load('[[parts]]\ndatasets = ["iris"]\nmethods = ["LLTB"]\n')
    assert len(run.units()) == 15
    assert run.protocol.reg_lambdas == REG_LAMBDAS
    assert run.protocol.folds == 5
    assert not run.protocol.as_published


def test_yaml_says_the_same(load):
    text = "parts:\n- datasets: [iris, diabetes]\n  methods: [LLTB, TGB]\n  repetitions: 2\n"
    assert load(text, "mine.yaml").units() == load(TWO).units()


OWN = """
[[parts]]
datasets = ["iris", "my.csv:y", "clinic.toml+log"]
methods = ["TGB"]
repetitions = 1
"""


@pytest.fixture
def own(tmp_path):
    """A table, and a description of it under another name."""
    (tmp_path / "my.csv").write_text("a,y\n1,0\n2,1\n3,1\n", encoding="utf-8")
    text = 'name = "ward"\nfile = "my.csv"\ntarget = "y"\nlog = ["a"]\n'
    (tmp_path / "clinic.toml").write_text(text, encoding="utf-8")


def test_datasets_of_ones_own_are_called_by_their_names(load, own, tmp_path):
    run = load(OWN)
    assert run.parts[0].datasets == ("iris", "my", "ward+log")
    locations = [run.location_of(name) for name in run.parts[0].datasets]
    assert locations == ["iris", str(tmp_path / "my.csv:y"), str(tmp_path / "clinic.toml+log")]


@pytest.mark.parametrize(
    ("asked", "name"),
    [("my", "my"), ("my.csv:y", "my"), ("ward+log", "ward+log"), ("clinic.toml+log", "ward+log")],
)
def test_a_dataset_is_chosen_by_its_name_or_as_it_is_written(load, own, asked, name):
    assert load(OWN).narrow([asked]).units() == [Unit(0, name, "TGB")]


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ('"irris"', r"parts\[0\].datasets: There is no dataset 'irris'; choose one of iris"),
        ('"iris+log"', "'iris' lists no columns under log"),
        ('"my.csv"', "no target given; name the target, one of the columns a, y"),
        ('"my.csv:z"', "no column 'z'"),
        ('"mine.csv:y"', "needs the file .*mine.csv, which does not exist"),
        ('"none.toml"', "There is no file .*none.toml"),
        (r'"a\u0000.toml"', r"datasets: 'a\\x00\.toml' cannot be the path of a file"),
        ('"my.csv:y", "my.csv:a"', "my.csv:y and my.csv:a are both called 'my'"),
    ],
)
def test_a_dataset_that_cannot_be_had_is_refused_at_once(load, own, datasets, message):
    with pytest.raises(ConfigurationError, match=message):
        load(f'[[parts]]\ndatasets = [{datasets}]\nmethods = ["TGB"]\n')


def test_a_table_may_not_be_called_like_one_that_comes_with_sorb(load, own, tmp_path):
    (tmp_path / "my.csv").rename(tmp_path / "iris.csv")
    with pytest.raises(ConfigurationError, match="called 'iris' comes with sorb"):
        load('[[parts]]\ndatasets = ["iris.csv:y"]\nmethods = ["TGB"]\n')


def test_a_circle_of_links_is_explained(load, tmp_path):
    (tmp_path / "a.toml").symlink_to(tmp_path / "b.toml")
    (tmp_path / "b.toml").symlink_to(tmp_path / "a.toml")
    with pytest.raises(ConfigurationError, match=r"mine\.toml: parts\[0\]\.datasets: .*a\.toml"):
        load('[[parts]]\ndatasets = ["a.toml"]\nmethods = ["TGB"]\n')


def test_a_mistake_in_a_description_names_it_once(load, own, tmp_path):
    text = 'file = "my.csv"\ntarget = "y"\nloss = "huber"\n'
    (tmp_path / "clinic.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"loss must be one of .*, not 'huber'") as caught:
        load('[[parts]]\ndatasets = ["clinic.toml"]\nmethods = ["TGB"]\n')
    assert str(caught.value).count("clinic.toml") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "parts must be a non-empty list"),
        ("parts = [3]", r"parts\[0\] must hold datasets and methods"),
        (
            '[[parts]]\ndatasets = []\nmethods = ["LLTB"]',
            r"datasets must be a non-empty list",
        ),
        ('[[parts]]\ndatasets = ["iris"]\nmethods = ["LTB"]', "no method 'LTB'; choose from"),
        (TWO + "seed = 3", "unknown entry 'seed'; it may have datasets, methods, repetitions"),
        (TWO.replace("= 2", "= 0"), "repetitions must be a whole number from 1 to 10,000, found 0"),
        (TWO + "[protocol]\nfolds = 1", "folds must be a whole number ≥ 2"),
        (TWO + "[protocol]\nfold = 3", "protocol has an unknown entry 'fold'"),
        (TWO + '[protocol]\nreg_lambdas = ["a"]', "must hold finite numbers ≥ 0, found 'a'"),
        (TWO.replace("= 2", "= true"), "repetitions must be a whole number from 1 .* found True"),
        (TWO.replace("= 2", "= 1_000_000_000"), "repetitions must be .*, found 1000000000"),
        (TWO.replace("= 2", "= 10_000") * 26, "at most 1,000,000 units, found 1,040,000"),
        (TWO + '[protocol]\nas_published = "no"', "as_published must be true or false, found 'no'"),
        (TWO + "[protocol]\nfolds = 2.5", "folds must be a whole number ≥ 2, found 2.5"),
        (TWO + "[protocol]\nreg_lambdas = [inf]", "must hold finite numbers ≥ 0, found inf"),
        (TWO.replace('"diabetes"', "3"), r"parts\[0\].datasets must hold texts, found 3"),
        (TWO.replace('"TGB"', "{ a = 1 }"), r"there is no method \{'a': 1\}; choose from"),
        (TWO + '[methods.""]\nclassifier = "a:B"', "methods: a name must be visible, found ''"),
        (TWO + "[penalties]\nTGB = [-1]", "penalties.TGB must hold finite numbers ≥ 0"),
    ],
)
def test_a_mistake_is_named_with_its_file(load, text, message):
    with pytest.raises(ConfigurationError, match=message) as caught:
        load(text)
    assert "mine.toml" in str(caught.value)


def test_an_unknown_run_names_the_known_ones():
    with pytest.raises(ConfigurationError, match=r"or one of .*smoke"):
        load_configuration("smok")


@pytest.mark.parametrize("name", configurations())
def test_runs_that_come_with_sorb_can_be_read(name):
    assert load_configuration(name).units()
