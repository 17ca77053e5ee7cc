"""JavaScript: the written functions are run by Node.js and compared with the model."""

import json
import math
import shutil

import pytest
from export.corpus import boundary_cases, cases_for
from export.targets.javascript_function import check, run, usable

from sorb.export import to_javascript
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age", "unused"), "logistic", ("no", "yes"))


def test_gives_the_same_answers():
    check([*boundary_cases(), *cases_for(usable)])


def answers(ensemble, values, column):
    """Call the function for values that are written as in JavaScript."""
    calls = [
        f"console.log(JSON.stringify(predict({{{json.dumps(column)}: {value}}})));"
        for value in values
    ]
    return run("\n".join([to_javascript(ensemble), *calls]))


def test_missing_and_wrong_values():
    script = to_javascript(SIMPLE)
    for row in ("{}", "{age: null}", "{age: NaN}", "{age: undefined}", "{age: 40}", "{age: 40n}"):
        script += f"console.log(JSON.stringify(predict({row})));\n"
    script += 'try { predict({age: "40"}) } catch (e) { console.log(JSON.stringify(e.message)) }'
    *found, message = run(script)
    assert found == ["no"] * 4 + ["yes"] * 2
    assert message == "column age must hold numbers, found string"


def test_numbers_are_equal_as_in_python():
    mixed = Condition((Membership("key", ("a", 1, 2**60, 2**60 + 1, 0.5, 2**64 - 1)),))
    ensemble = RuleEnsemble(0.0, (Rule(mixed, 1.0),), ("key",), "squared")
    pairs = {"'a'": "a", "'1'": "1", "1": 1, "true": True, "1n": 1, "2**60": 2.0**60}
    pairs |= {"2n**60n": 2**60, "2n**60n+1n": 2**60 + 1, "2n**60n+2n": 2**60 + 2, "0.5": 0.5}
    pairs |= {
        "'true'": "true",
        "2n**1100n": 2**1100,
        "2n**64n-1n": 2**64 - 1,
        "2n**64n": 2**64,
        "false": False,
        "Infinity": math.inf,
    }
    expected = [float(value in mixed.propositions[0].categories) for value in pairs.values()]
    assert answers(ensemble, pairs, "key") == expected


def test_texts_do_not_end_the_script_of_a_page():
    nasty = "</script><script>alert(1)//"
    named = Condition((Membership(nasty, (nasty,)), Membership(nasty + "!", (), negated=True)))
    counted = Condition((Product((nasty + "?",), (-2.5,), 4.0, missing=True),))
    columns = (nasty, nasty + "!", nasty + "?")
    ensemble = RuleEnsemble(
        -1.0, (Rule(named, 1.0), Rule(counted, 2.0)), columns, "logistic", ("no", nasty)
    )
    script = to_javascript(ensemble)
    assert "</" not in script
    row = json.dumps({nasty: nasty, nasty + "!": 1})
    assert run(script + f"console.log(JSON.stringify(predict({row})))") == [nasty]


@pytest.mark.parametrize("name", ["class", "delete", "Math", "Object", "NaN", "a b"])
def test_refuses_an_invalid_name(name):
    with pytest.raises(ValueError, match="name must"):
        to_javascript(SIMPLE, name=name)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2**53 - 1, "9007199254740991"),
        (2**53, "9007199254740992n"),
        (1 - 2**53, "-9007199254740991"),
        (-(2**53), "-9007199254740992n"),
    ],
)
def test_integers_that_a_number_could_mistake_are_written_as_big_ones(number, text):
    ensemble = RuleEnsemble(0.0, (), (), "logistic", (number, "other"))
    assert f"[{text}, " in to_javascript(ensemble)


def test_prototypes_are_no_columns():
    inherited = Condition((Membership("toString", (), negated=True),))
    ensemble = RuleEnsemble(0.0, (Rule(inherited, 1.0),), ("toString",), "squared")
    assert run(to_javascript(ensemble) + "console.log(predict({}))") == [0]
