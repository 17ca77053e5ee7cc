"""JavaScript: the written functions are run by Node.js and compared with the model."""

import json
import math
import shutil
import struct
import subprocess

import pytest
from export.corpus import boundary_cases, cases_for, finite_scores

from sorb.export import to_javascript
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age", "unused"), "logistic", ("no", "yes"))

# Numbers travel as their bits, so that none is rounded on the way.
START = """
const bits = (v) => { const b = Buffer.alloc(8); b.writeDoubleBE(v); return b.toString("hex"); };
const out = (v) => typeof v === "bigint" ? {n: String(v)} : typeof v === "number" ? {b: bits(v)}
  : Array.isArray(v) ? v.map(out) : v;
const cell = (v) => v !== null && typeof v === "object"
  ? Buffer.from(v.b, "hex").readDoubleBE(0) : v;
"""

CALL = """
console.log(JSON.stringify({table}.map((cells) => {{
  const row = Object.create(null);
  {columns}.forEach((name, j) => {{ if (cells[j] !== null) row[name] = cell(cells[j]); }});
  const r = f{i}(row);
  return [out(r.answer), out(r.contributions)];
}})));
"""


def run(script):
    done = subprocess.run(["node"], input=script.encode(), capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def to_node(value):
    if isinstance(value, float):
        return {"b": struct.pack(">d", value).hex()}
    return value


def from_node(value):
    if isinstance(value, list):
        return [from_node(item) for item in value]
    if isinstance(value, dict):
        return int(value["n"]) if "n" in value else bits(value["b"])
    return value


def bits(text):
    return struct.unpack(">d", bytes.fromhex(text))[0]


def usable(case):
    return case.output == "score" or finite_scores(case)


def test_gives_the_same_answers():
    cases, script = [*boundary_cases(), *cases_for(usable)], [START]
    for i, case in enumerate(cases):
        script.append(to_javascript(case.ensemble, case.output, contributions=True, name=f"f{i}"))
        table = json.dumps([[to_node(value) for value in row] for row in case.rows])
        script.append(CALL.format(table=table, columns=json.dumps(case.ensemble.columns), i=i))
    for case, found in zip(cases, run("\n".join(script)), strict=True):
        answers, noted = map(list, zip(*map(from_node, found), strict=True))
        case.check(case.restored(answers), noted)


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
    mixed = Condition((Membership("key", ("a", 1, 2**60, 2**60 + 1, 0.5, 10**400)),))
    ensemble = RuleEnsemble(0.0, (Rule(mixed, 1.0),), ("key",), "squared")
    pairs = {"'a'": "a", "'1'": "1", "1": 1, "true": True, "1n": 1, "2**60": 2.0**60}
    pairs |= {"2n**60n": 2**60, "2n**60n+1n": 2**60 + 1, "2n**60n+2n": 2**60 + 2, "0.5": 0.5}
    pairs |= {
        "'true'": "true",
        "2n**1100n": 2**1100,
        "10n**400n": 10**400,
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


def test_prototypes_are_no_columns():
    inherited = Condition((Membership("toString", (), negated=True),))
    ensemble = RuleEnsemble(0.0, (Rule(inherited, 1.0),), ("toString",), "squared")
    assert run(to_javascript(ensemble) + "console.log(predict({}))") == [0]
