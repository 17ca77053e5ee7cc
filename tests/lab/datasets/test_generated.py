import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_friedman2

from sorb.lab.datasets import load


def test_diabetes_is_in_its_own_units():
    bunch = load_diabetes(scaled=False)
    assert np.array_equal(load("diabetes").X, bunch.data)
    assert np.array_equal(load("diabetes").y, bunch.target)


def test_friedman_is_generated_as_the_paper_did():
    X, y = make_friedman2(n_samples=5000, noise=0.1, random_state=1000)
    assert np.array_equal(load("friedman2").X, X)
    assert np.array_equal(load("friedman2").y, y)


def test_the_standin_follows_its_rule():
    data = load("nhanes_standin")
    age, weight, height = data.X.T
    at_risk = (age >= 40) & (weight / height**2 >= 25)
    for group, log_odds in ((at_risk, -2.97 + 1.82), (~at_risk, -2.97)):
        rate = 1 / (1 + np.exp(-log_odds))
        error = np.sqrt(rate * (1 - rate) / group.sum())
        assert abs(data.y[group].mean() - rate) < 3 * error


def test_the_standin_looks_like_adults():
    age, weight, height = load("nhanes_standin").X.T
    assert age.min() >= 20
    assert age.max() == 80
    assert 27 < np.median(weight / height**2) < 30
    assert 1.3 < height.min() < height.max() < 2.1
    assert 30 < weight.min() < weight.max() < 260
    assert 0.3 < np.corrcoef(weight, height)[0, 1] < 0.5


def test_a_generator_may_be_used_with_other_arguments(write):
    text = 'target = "z"\ngenerator = "sklearn.datasets.make_friedman1"\narguments = {arguments}\n'
    data = load(write("toy.toml", text.format(arguments="{ n_samples = 7, random_state = 0 }")))
    assert (data.X.shape, data.columns[-1]) == ((7, 10), "x10")
    with pytest.raises(ValueError, match=r"make_friedman1 .*'toy' does not take .*'rows'"):
        load(write("toy.toml", text.format(arguments="{ rows = 7 }")))


GENERATED = 'target = "{}"\ngenerator = "{}"\narguments = {}\n'


def test_a_target_that_a_generator_does_not_make_is_explained(write):
    text = GENERATED.format("nope", "nhanes_standin", "{ rows = 20, seed = 0 }")
    with pytest.raises(ValueError, match=r"'toy' has no column 'nope'; .* of age, .*, diabetes\.$"):
        load(write("toy.toml", text))


@pytest.mark.parametrize(
    ("generator", "arguments", "message"),
    [
        ("nhanes_standin", "{ rows = 0, seed = 0 }", "'toy' has no rows"),
        ("nhanes_standin", "{ rows = 20, seed = -1 }", "'toy' does not take .*non-negative"),
        (
            "nhanes_standin",
            "{ rows = 2_000_001, seed = 0 }",
            "toy.toml: arguments must ask for at m",
        ),
        ("sklearn.datasets.load_iris", "{ return_X_y = true }", "'toy' does not take these arg"),
    ],
)
def test_arguments_that_a_generator_cannot_use_are_explained(write, generator, arguments, message):
    with pytest.raises(ValueError, match=message):
        load(write("toy.toml", GENERATED.format("diabetes", generator, arguments)))


def test_a_generator_may_make_infinite_numbers_without_a_warning(write):
    name, arguments = "sklearn.datasets.make_friedman1", "{ noise = 1e308, random_state = 0 }"
    found = load(write("toy.toml", GENERATED.format("y", name, arguments)))
    assert np.isinf(found.y).any()


@pytest.mark.parametrize(
    "arguments",
    [
        "{ n_samples = 20_000_000 }",
        "{ n_samples = 4001, n_features = 5000 }",
        "{ n_features = 300_000 }",
    ],
)
def test_a_table_too_large_for_the_memory_is_not_generated(write, arguments):
    text = GENERATED.format("y", "sklearn.datasets.make_friedman1", arguments)
    with pytest.raises(
        ValueError, match=r"toy\.toml: arguments must ask for at most 20,000,000 cells"
    ):
        load(write("toy.toml", text))


@pytest.mark.parametrize(
    ("target", "generator"),
    [("x1", "make_friedman1"), ("petal width (cm)", "load_iris")],
)
def test_the_target_replaces_no_other_column(write, target, generator):
    text = GENERATED.format(target, f"sklearn.datasets.{generator}", "{}")
    with pytest.raises(
        ValueError, match=rf"target of the dataset 'toy' must not be '{re.escape(target)}'"
    ):
        load(write("toy.toml", text))
