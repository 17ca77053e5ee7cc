"""C: the written functions are compiled, run and compared with the model."""

import shutil

import pytest
from export.corpus import Case, boundary_cases, cases_for, met_by_each_row
from export.random_models import NASTY
from export.targets.c_function import MAIN, check, run, usable

from sorb.export import to_c
from sorb.rules import Condition, Membership, Proposition, Rule, RuleEnsemble

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
THREE = RuleEnsemble((0.0, 0.5, 0.0), (Rule(OLD, 1.5, 2),), ("age",), "softmax", ("a", "b", "c"))


def test_gives_the_same_answers():
    check([*boundary_cases(), *cases_for(usable)], "-O0")


def test_gives_the_same_answers_if_the_compiler_tries_hard():
    check([*boundary_cases(), *cases_for(usable)[:40]], "-O2", "-march=native")


def test_products_and_sums_are_not_fused():
    if not can_fuse():
        pytest.skip("this processor has no fused multiply-add")
    case = Case(*met_by_each_row(40), "score")
    check([case], "-O3", "-mfma", "-ffp-contract=fast")


def can_fuse():
    try:
        with open("/proc/cpuinfo") as file:
            return " fma " in file.read()
    except OSError:
        return False


def test_missing_values():
    group = Condition((Membership("group", ("A",), missing=True),))
    rules = (Rule(OLD, 1.5), Rule(group, 0.25))
    ensemble = RuleEnsemble(0.0, rules, ("age", "group"), "squared")
    text = "#include <stdio.h>\n" + to_c(ensemble) + to_c(THREE, "score", name="three")
    calls = [
        "  double x[] = {NAN, NAN}; const char *t[] = {NULL, NULL};",
        "  show(predict(x, t)); three(x, v); show(v[2]);",
        '  x[0] = 40; t[1] = "B"; show(predict(x, t)); three(x, v); show(v[2]);',
    ]
    (found,) = run(text + MAIN.format(calls="\n".join(calls)))
    assert found == [0.25, 0.0, 1.5, 1.5]


@pytest.mark.parametrize(
    ("ensemble", "output", "summary"),
    [
        (THREE, "prediction", "Returns the index of the predicted class."),
        (THREE, "score", "Writes one score for each class into answer."),
        (RuleEnsemble(0.0, (), (), "squared"), "score", "Returns the score."),
    ],
)
def test_the_comment_says_what_is_returned(ensemble, output, summary):
    assert summary in to_c(ensemble, output)


@pytest.mark.parametrize("contributions", [False, True])
def test_a_model_without_rules_compiles(contributions):
    text = to_c(RuleEnsemble(0.25, (), ("age",), "squared"), contributions=contributions)
    call = f"  double x[] = {{40}}; show(predict(x{', c' if contributions else ''}));"
    (found,) = run("#include <stdio.h>\n" + text + MAIN.format(calls=call))
    assert found == [0.25]


@pytest.mark.parametrize("name", ["int", "main", "exp", "powf", "NAN", "isnan", "strcmp", "a b"])
def test_refuses_an_invalid_name(name):
    with pytest.raises(ValueError, match="name must"):
        to_c(THREE, name=name)


@pytest.mark.parametrize("name", [*NASTY, "??/", "%d", "a\\"])
def test_texts_are_quoted(name):
    condition = Condition((Membership(name, (name,)),))
    ensemble = RuleEnsemble(0.0, (Rule(condition, 1.0),), (name,), "logistic", (name, "no"))
    text = to_c(ensemble)
    code = text.split("*/", 1)[1]
    assert code.count('"') == 6  # of two error messages and one category
    assert "*/" not in text.split("*/", 1)[0]


@pytest.mark.parametrize(
    ("message", "categories"),
    [
        ("NUL", [("a\0b",)]),
        ("not a float64", [(2**53 + 1,)]),
        ("one type", [("a", 1)]),
        ("one type", [("a",), (True,)]),
    ],
)
def test_refuses_categories_that_c_cannot_tell(message, categories):
    rules = [Rule(Condition((Membership("key", labels),)), 1.0) for labels in categories]
    with pytest.raises(ValueError, match=message):
        to_c(RuleEnsemble(0.0, rules, ("key",), "squared"))
