"""Python: the written functions are run and compared with the model."""

import math
import subprocess
import sys

import numpy as np
import pytest
from export.corpus import boundary_cases, cases_for
from export.targets.python_function import check, function, usable

from sorb.export import to_python
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age", "unused"), "logistic", ("no", "yes"))


def test_gives_the_same_answers():
    check([*boundary_cases(), *cases_for(usable)])


@pytest.mark.parametrize("missing", [None, math.nan])
def test_missing_values(missing):
    assert function(SIMPLE)({"age": missing}) == "no"
    assert function(SIMPLE)({"age": 50, "unused": missing}) == "yes"
    young = Rule(Condition((Proposition(("age",), (-1.0,), -40.0, missing=True),)), 2.0)
    ensemble = RuleEnsemble(-1.0, (young,), ("age",), "squared")
    assert [function(ensemble)(age=value) for value in (missing, 39, 40, 41)] == [1, 1, 1, -1]


@pytest.mark.parametrize(("weight", "height"), [(1.0, 1e-200), (5e-324, 1e-200), (1e-320, 1e-162)])
@pytest.mark.parametrize("at_most", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_divisors_that_become_zero(weight, height, at_most, missing):
    ratio = Product(("weight", "height"), (3, -2), 25.0, at_most, missing)
    ensemble = RuleEnsemble(0.0, (Rule(Condition((ratio,)), 1.0),), ratio.columns, "squared")
    wanted = ensemble(np.array([[weight, height]])).tolist()
    assert [function(ensemble)(weight=weight, height=height)] == wanted


def test_powers_that_become_infinite():
    product = Product(("a", "b"), (40.5, -0.5), 25.0)
    ensemble = RuleEnsemble(0.0, (Rule(Condition((product,)), 1.0),), product.columns, "squared")
    assert function(ensemble)(a=1e10, b=1.0) == 1.0
    assert function(ensemble)(a=1e-10, b=1.0) == 0.0


def test_categories_of_several_types():
    mixed = Condition((Membership("key", ("a", 1, 2**63), negated=True),))
    ensemble = RuleEnsemble(0.0, (Rule(mixed, 1.0),), ("key",), "squared")
    given = ["a", "1", 1, 1.0, True, 2**63, 2.0**63, 2**63 + 1, None, 0]
    assert [function(ensemble)(key=v) for v in given] == [0, 1, 0, 0, 0, 0, 0, 1, 0, 1]


def test_labels_are_written_in_ascii():
    model = RuleEnsemble(0.0, (), (), "logistic", ("größer", 1.5))
    assert r"('gr\xf6\xdfer', 1.5)" in to_python(model)


def test_needs_the_columns():
    with pytest.raises(KeyError, match="age"):
        function(SIMPLE)({})


@pytest.mark.parametrize(
    "name", ["class", "float", "max", "math", "a b", "x;import os", "", None, 3]
)
def test_refuses_an_invalid_name(name):
    with pytest.raises(ValueError, match="name must"):
        to_python(SIMPLE, name=name)


def test_refuses_unknown_and_impossible_outputs():
    with pytest.raises(ValueError, match="output must be one of"):
        to_python(SIMPLE, output="decision")
    squared = RuleEnsemble(0.0, (), ("age",), "squared")
    with pytest.raises(ValueError, match="no probabilities"):
        to_python(squared, output="probability")
    with pytest.raises(ValueError, match="single class"):
        to_python(RuleEnsemble(0.0, (), (), "logistic", ("a",)), output="probability")


def test_text_does_not_need_sorb():
    text = to_python(SIMPLE) + "print(predict(age=41))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", text], capture_output=True, check=True)
    assert done.stdout.split() == [b"yes"]
