import json
import math
import pickle
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from rule_strategies import all_ensembles, all_ensembles_with_rows, as_array, for_all

from sorb.losses import Tweedie
from sorb.rules import Condition, Membership, ModelFormatError, Proposition, Rule, RuleEnsemble

SCHEMA = json.loads(files("sorb.rules").joinpath("ensemble.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
GUIDE = Path(__file__).parents[2] / "docs" / "model-format.md"
FIRST = Path(__file__).with_name("first_version.json")


def proposition(**changes):
    linear = {"kind": "linear", "columns": ["a", "b"], "weights": [1.0, -0.5], "threshold": 2.0}
    return {**linear, **changes}


def rule(*propositions, **changes):
    return {"weight": 1.5, "output": 0, "condition": list(propositions), **changes}


def model(*rules, **changes):
    top = {"format": "sorb.rule-ensemble", "version": 1, "loss": "squared", "classes": None}
    return {**top, "columns": ["a", "b"], "offset": 0.5, "rules": list(rules), **changes}


def softmax(*rules, **changes):
    changed = {"loss": "softmax", "classes": ["x", "y"], "offset": [0.0, 1.0], **changes}
    return model(*rules, **changed)


def without(key, mapping):
    return {other: value for other, value in mapping.items() if other != key}


def linear(**changes):
    """A model whose second rule holds one changed proposition."""
    return model(rule(), rule(proposition(**changes)))


def product(**changes):
    part = {"kind": "product", "columns": ["a", "b"], "powers": [1.0, -2.0], "threshold": 25.0}
    return {**part, "at_most": False, **changes}


def membership(**changes):
    part = {"kind": "membership", "column": "a", "categories": ["A", 1, 2.5], "negated": False}
    return {**part, **changes}


def products(**changes):
    return model(rule(product(**changes)))


def memberships(**changes):
    return model(rule(membership(**changes)))


def remembering(**seen):
    """A model that remembers what its column a held."""
    return model(rule(proposition()), experience={"a": {"missing": False, **seen}})


def all_labels(ensemble):
    """The labels of classes and categories."""
    asked = [p for rule in ensemble for p in rule.condition.propositions]
    categories = (c for p in asked if isinstance(p, Membership) for c in p.categories)
    seen = (label for _, column in ensemble.experience for label in column.categories or ())
    return [*(ensemble.classes or ()), *categories, *seen]


class TestRoundTrip:
    @for_all(all_ensembles)
    def test_equal(self, ensemble):
        assert RuleEnsemble.from_json(ensemble.to_json()) == ensemble

    @for_all(all_ensembles)
    def test_labels_keep_their_type(self, ensemble):
        read = RuleEnsemble.from_json(ensemble.to_json())
        assert list(map(type, all_labels(read))) == list(map(type, all_labels(ensemble)))

    @for_all(all_ensembles_with_rows())
    def test_predicts_the_same(self, drawn):
        ensemble, table = drawn
        read = RuleEnsemble.from_json(ensemble.to_json(indent=None))
        np.testing.assert_array_equal(read(as_array(table)), ensemble(as_array(table)))

    @for_all(all_ensembles, examples=80)
    def test_validates(self, ensemble):
        VALIDATOR.validate(json.loads(ensemble.to_json()))

    @pytest.mark.parametrize(
        "document",
        [
            model(),
            softmax(rule(proposition())),
            linear(),
            linear(missing=True),
            model(rule(product()), rule(product(at_most=True, missing=True))),
            model(rule(membership()), rule(membership(negated=True, missing=True))),
            model(rule(membership(categories=[], missing=True))),
            model(rule(membership(categories=[], negated=True))),
            model(units={"a": "kg", "b": "m/s"}),
            model(loss="poisson", per_exposure=True),
            remembering(),
            remembering(missing=True, range=[-1.5, 2.0]),
            remembering(categories=["A", 1, 2.5, False]),
        ],
    )
    def test_is_what_was_read(self, document):
        assert json.loads(RuleEnsemble.from_json(json.dumps(document)).to_json()) == document

    def test_boundary_survives(self):
        third = Condition((Proposition(("a",), (1.0,), 1 / 3),))
        ensemble = RuleEnsemble(0.0, (Rule(third, 1.0),), ("a",), "squared")
        table = np.array([[1 / 3], [math.nextafter(1 / 3, 0)]])
        assert RuleEnsemble.from_json(ensemble.to_json())(table).tolist() == [1.0, 0.0]


# What the schema refuses as well.
MALFORMED = [
    ([], "top level: expected an object, found an array"),
    (None, "top level: expected an object, found null"),
    ({}, 'top level: the key "format" is missing'),
    (model(format="other"), 'format: expected "sorb.rule-ensemble", found "other"'),
    (model(version=2), "version: this version of sorb reads version 1, found 2"),
    (model(version=True), "version: expected an integer, found true"),
    (model(version="1"), 'version: expected an integer, found "1"'),
    (without("version", model()), 'top level: the key "version" is missing'),
    (without("rules", model()), 'top level: the key "rules" is missing'),
    (without("classes", model()), 'top level: the key "classes" is missing'),
    (model(author="me"), 'top level: the key "author" is not known; expected only classes, '),
    (model(loss="hinge"), "top level: loss must be one of squared, logistic, softmax, poisson"),
    (model(loss="tweedy", power=1.5), "top level: loss must be one of squared, logistic, softmax"),
    (model(loss=1), "loss: expected a string, found 1"),
    (model(columns="ab"), 'columns: expected an array of strings, found "ab"'),
    (model(columns=["a", 3]), "columns[1]: expected a string, found 3"),
    (model(columns=["a", "a"]), "top level: columns must be distinct, found 'a' twice"),
    (model(columns=["a", ""]), "top level: columns[1] must not be empty"),
    (model(offset="0"), 'offset: expected a number, found "0"'),
    (model(offset=True), "offset: expected a number, found true"),
    (model(offset=[0.0, 1.0]), "top level: offset must be a number"),
    (model(classes=["x", "y"]), "top level: classes must be None if the loss is squared"),
    (model(classes="xy"), 'classes: expected an array of labels, or null, found "xy"'),
    (model(rules={}), "rules: expected an array of objects, found an object"),
    (model("age ≥ 40"), 'rules[0]: expected an object, found "age ≥ 40"'),
    (model(rule(), rule(weight="1")), 'rules[1].weight: expected a number, found "1"'),
    (model(rule(weight=None)), "rules[0].weight: expected a number, found null"),
    (model(rule(weight=False)), "rules[0].weight: expected a number, found false"),
    (model(rule(output="0")), 'rules[0].output: expected an integer, found "0"'),
    (model(rule(output=0.5)), "rules[0].output: expected an integer, found 0.5"),
    (model(rule(output=-1)), "rules[0]: output must not be negative, found -1"),
    (model(rule(output=1)), "rules[0].output must be less than 1, found 1"),
    (model(without("weight", rule())), 'rules[0]: the key "weight" is missing'),
    (model(rule(note="x")), 'rules[0]: the key "note" is not known; expected only condition, '),
    (model(rule(condition={})), "rules[0].condition: expected an array of objects, found"),
    (model(rule([])), "rules[0].condition[0]: expected an object, found an array"),
    (linear(kind="category"), 'rules[1].condition[0].kind: this version of sorb knows "linear", '),
    (linear(kind=None), "rules[1].condition[0].kind: this version of sorb knows"),
    (model(rule({"columns": ["a"]})), 'rules[0].condition[0]: the key "kind" is missing'),
    (linear(missing="left"), "rules[1].condition[0].missing: expected true or false, found"),
    (linear(unknown="left"), 'rules[1].condition[0]: the key "unknown" is not known'),
    (linear(columns="a"), 'rules[1].condition[0].columns: expected an array of strings, found "a"'),
    (
        linear(columns=["a", "a"]),
        "rules[1].condition[0]: columns must be distinct, found 'a' twice",
    ),
    (linear(columns=[], weights=[]), "rules[1].condition[0]: columns must name at least one"),
    (linear(weights=0.5), "rules[1].condition[0].weights: expected an array of numbers, found 0.5"),
    (linear(weights=[1, True]), "rules[1].condition[0].weights[1]: expected a number, found true"),
    (linear(weights=[0.0, 1.0]), "rules[1].condition[0]: weights[0] must not be zero"),
    (linear(threshold=[1]), "rules[1].condition[0].threshold: expected a number, found an array"),
    (linear(missing=None), "rules[1].condition[0].missing: expected true or false, found null"),
    (products(powers=[1, 0]), "rules[0].condition[0]: powers[1] must not be zero"),
    (products(powers="1"), 'rules[0].condition[0].powers: expected an array of numbers, found "1"'),
    (products(columns=[], powers=[]), "rules[0].condition[0]: columns must name at least one"),
    (products(threshold=0.0), "rules[0].condition[0]: threshold of a product must be positive"),
    (products(at_most=1), "rules[0].condition[0].at_most: expected true or false, found 1"),
    (products(weights=[1.0]), 'rules[0].condition[0]: the key "weights" is not known; expected'),
    (model(rule(without("at_most", product()))), 'the key "at_most" is missing'),
    (memberships(column=""), "rules[0].condition[0]: columns[0] must not be empty"),
    (memberships(column=["a"]), "rules[0].condition[0].column: expected a string, found an array"),
    (memberships(categories="A"), 'categories: expected an array of labels, found "A"'),
    (memberships(categories=[None]), "categories[0]: expected a string, a number or a boolean"),
    (memberships(categories=["A", "A"]), "categories must be distinct"),
    (memberships(negated="no"), 'negated: expected true or false, found "no"'),
    (memberships(categories=[]), "'a' without categories would never be true"),
    (memberships(categories=[], missing=False), "'a' without categories would never be true"),
    (memberships(categories=[], negated=True, missing=True), "would always be true"),
    (memberships(threshold=1), 'the key "threshold" is not known; expected only categories'),
    (model(rule(without("negated", membership()))), 'the key "negated" is missing'),
    (model(units=["kg"]), "units: expected an object, found an array"),
    (model(loss="poisson", per_exposure=1), "per_exposure: expected true or false, found 1"),
    (model(per_exposure=True), "per_exposure must be False if the loss is squared"),
    (model(units={"a": 3}), "units.a: expected a string, found 3"),
    (model(experience=[]), "experience: expected an object, found an array"),
    (model(experience={"a": None}), "experience.a: expected an object, found null"),
    (model(experience={"a": {}}), 'experience.a: the key "missing" is missing'),
    (remembering(missing=0), "experience.a.missing: expected true or false, found 0"),
    (remembering(mean=1), 'experience.a: the key "mean" is not known; expected only categories, '),
    (remembering(range=3), "experience.a.range: expected an array of numbers, found 3"),
    (remembering(range=[1]), "experience.a: range must hold two numbers, the smaller one first"),
    (remembering(range=[1, "2"]), 'experience.a.range[1]: expected a number, found "2"'),
    (
        remembering(categories="A"),
        'experience.a.categories: expected an array of labels, found "A"',
    ),
    (remembering(categories=[None]), "experience.a.categories[0]: expected a string, a number or"),
    (remembering(categories=["A", "A"]), "experience.a: categories must be distinct"),
    (remembering(categories=["A"], range=[0, 1]), "a column has a range or categories, not both"),
    (softmax(offset=0.0), "top level: offset must hold one number for each class, found 0.0"),
    (softmax(offset=[0.0], classes=["x"]), "top level: offset must hold at least two numbers"),
    (softmax(classes=None), "top level: classes must be given if the loss is softmax"),
    (softmax(classes=["x", "x"]), "top level: classes must be distinct"),
    (softmax(classes=["x", None]), "classes[1]: expected a string, a number or a boolean, found"),
    (softmax(offset=[0.0, "1"]), 'offset[1]: expected a number, found "1"'),
    (model(loss="logistic", classes=[1, 2, 3]), "classes must hold 1 or 2 labels, found 3"),
]


# What connects distant parts, or lies outside float64: no schema sees that.
INCONSISTENT = [
    (linear(columns=["a", "c"]), "rules[1].condition uses 'c', which is not in columns"),
    (linear(weights=[1.0]), "rules[1].condition[0]: 2 columns need as many weights, found 1"),
    (softmax(rule(output=2)), "rules[0].output must be less than 2, found 2"),
    (softmax(classes=["x", "y", "z"]), "top level: classes must hold 2 labels, found 3"),
    (
        model(rule(proposition(), proposition(weights=[-2.0, 1.0], threshold=-1.0))),
        "rules[0].condition: no row can satisfy both a − 0.5 b ≥ 2 and 2 a − b ≤ 1",
    ),
    (products(powers=[1]), "rules[0].condition[0]: 2 columns need as many powers, found 1"),
    (memberships(column="c"), "rules[0].condition uses 'c', which is not in columns"),
    (memberships(categories=[1, True]), "rules[0].condition[0]: categories must be distinct"),
    (memberships(categories=[math.inf]), "categories[0]: expected a finite number, found"),
    (model(units={"c": "kg"}), "top level: units names 'c', which is not in columns"),
    (model(units={"a": "k\ng"}), "top level: units['a'] must be a printable string"),
    (
        model(rule(membership(), membership(categories=["B"]))),
        "no row can satisfy both a in {A, 1, 2.5} and a = B",
    ),
    (model(experience={"c": {"missing": True}}), "experience names 'c', which is not in columns"),
    (remembering(range=[2, 1]), "experience.a: range must hold two numbers, the smaller one first"),
    (remembering(range=[0, math.inf]), "experience.a.range[1]: expected a finite number, found"),
    (remembering(categories=[1, True]), "experience.a: categories must be distinct"),
    (remembering(categories=[2**64]), "experience.a: categories[0] must fit in 64 bits"),
    (remembering(categories=["\ud800"]), "experience.a: categories[0] must be valid Unicode"),
    (model(offset=10**400), "offset: expected a finite number, found Infinity"),
    (model(offset=math.nan), "offset: expected a finite number, found NaN"),
    (linear(weights=[1, math.inf]), "weights[1]: expected a finite number, found Infinity"),
    (softmax(classes=[0, math.nan]), "classes[1]: expected a finite number, found NaN"),
    (model(columns=["\ud800"]), "top level: columns[0] must be valid Unicode text"),
    (memberships(categories=[2**64]), "categories[0] must fit in 64 bits, found 184467440737"),
    (softmax(classes=[0, -(2**63) - 1]), "classes[1] must fit in 64 bits, found -92233720368"),
]


@pytest.mark.parametrize(("document", "message"), MALFORMED + INCONSISTENT)
def test_refuses(document, message):
    with pytest.raises(ModelFormatError) as refusal:
        RuleEnsemble.from_json(json.dumps(document))
    assert message in str(refusal.value)


@pytest.mark.parametrize("document", [document for document, _ in MALFORMED])
def test_schema_refuses(document):
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "JSON: not JSON text: Expecting value: line 1"),
        ("offset: 1", "JSON: not JSON text: Expecting value: line 1"),
        ('{"format": "sorb.rule-ensemble",', "JSON: not JSON text: "),
        ('\ufeff{"format": 1}', "JSON: not JSON text: "),
        ('{"a": 1, "a": 2}', 'JSON: the key "a" occurs twice in one object'),
        ("[" * 100_000, "JSON: nested too deeply"),
        ("1" * 5000, "JSON: a number has 5000 digits, too many for a float64"),
        (" " * 10_000_001, "size: a model file has at most 10,000,000 bytes"),
        (json.dumps(model()).replace("0.5", "1e999"), "offset: expected a finite number, found"),
    ],
)
def test_refuses_text(text, message):
    with pytest.raises(ModelFormatError) as refusal:
        RuleEnsemble.from_json(text)
    assert message in str(refusal.value)


def test_long_findings_are_cut():
    with pytest.raises(ModelFormatError, match=r'found "x{39}…$'):
        RuleEnsemble.from_json(json.dumps(model(format="x" * 1000)))


@pytest.mark.parametrize(
    "document",
    [
        model(rule(membership(categories=["x" * 5000] * 2))),
        model(rule({**membership(), "x" * 5000: 1})),
        model(offset=[1.5] * 5000),
    ],
)
def test_long_messages_are_cut(document):
    with pytest.raises(ModelFormatError, match="…") as refusal:
        RuleEnsemble.from_json(json.dumps(document))
    assert len(str(refusal.value)) < 1200


def test_what_could_not_be_read_is_not_written():
    ensemble = RuleEnsemble(0.0, (), ("ü" * 5_000_000,), "squared")
    with pytest.raises(ModelFormatError, match="size: a model file has at most 10,000,000 bytes"):
        ensemble.to_json()


def test_the_largest_model_that_can_be_saved_can_be_loaded(tmp_path):
    shortest = len(RuleEnsemble(0.0, (), ("a",), "squared").to_json())
    for size in (9_999_999, 10_000_000):
        ensemble = RuleEnsemble(0.0, (), ("a" * (size - shortest),), "squared")
        ensemble.save(tmp_path / "m.json")
        assert (tmp_path / "m.json").stat().st_size == size
        assert RuleEnsemble.load(tmp_path / "m.json") == ensemble
    with pytest.raises(ModelFormatError, match="size: "):
        replace(ensemble, columns=("a" + ensemble.columns[0],)).save(tmp_path / "m.json")


def test_many_large_labels_with_the_same_hash_are_refused_quickly():
    categories = [k * (2**61 - 1) for k in range(1, 300_000)]
    with pytest.raises(ModelFormatError, match="must fit in 64 bits"):
        RuleEnsemble.from_json(json.dumps(memberships(categories=categories)))


def test_error_is_a_value_error():
    assert issubclass(ModelFormatError, ValueError)


def test_error_tells_place_and_problem():
    with pytest.raises(ModelFormatError) as refusal:
        RuleEnsemble.from_json(json.dumps(model(rule(weight=None))))
    assert (refusal.value.place, refusal.value.problem) == (
        "rules[0].weight",
        "expected a number, found null",
    )


def test_error_pickles():
    error = ModelFormatError("rules[0]", "no", "model.json")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_of_the_first_version_is_read_and_written_unchanged(tmp_path):
    RuleEnsemble.load(FIRST).save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == FIRST.read_bytes()


def test_what_is_not_new_is_not_written():
    text = RuleEnsemble.from_json(
        json.dumps({**linear(missing=False), "per_exposure": False})
    ).to_json()
    assert "missing" not in text
    assert "units" not in text
    assert "per_exposure" not in text


def test_columns_of_a_product_may_stand_in_any_order():
    document = products(columns=["b", "a"], powers=[-2.0, 1.0])
    assert json.loads(RuleEnsemble.from_json(json.dumps(document)).to_json()) == products()


def test_redundant_propositions_are_dropped_on_loading():
    weaker = proposition(weights=[2.0, -1.0], threshold=1.0)
    read = RuleEnsemble.from_json(json.dumps(model(rule(weaker, proposition()))))
    assert json.loads(read.to_json()) == model(rule(proposition()))


def test_whole_numbers_may_be_written_without_a_point():
    read = RuleEnsemble.from_json(json.dumps(linear(weights=[1, -2], threshold=3)))
    assert [type(value) for value in read[1].condition.propositions[0].weights] == [float, float]


class TestGuide:
    def blocks(self, language):
        return [
            part.split("```")[0] for part in GUIDE.read_text("utf-8").split(f"```{language}\n")
        ][1:]

    def test_example_validates(self):
        VALIDATOR.validate(json.loads(self.blocks("json")[0]))

    def test_example_is_complete(self):
        document = json.loads(self.blocks("json")[0])
        assert json.loads(RuleEnsemble.from_json(json.dumps(document)).to_json()) == document

    def test_example_prints_as_shown(self):
        ensemble = RuleEnsemble.from_json(self.blocks("json")[0])
        assert f"{ensemble}\n" == self.blocks("text")[0]


def test_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_power_of_tweedie_is_in_the_file_and_in_no_other():
    ensemble = RuleEnsemble(0.5, (), ("a",), Tweedie(1.25))
    assert json.loads(ensemble.to_json())["power"] == 1.25
    assert RuleEnsemble.from_json(ensemble.to_json()) == ensemble
    VALIDATOR.validate(json.loads(ensemble.to_json()))
    for changed, message in (
        (ensemble.to_json().replace('  "power": 1.25,\n', ""), 'the key "power" is missing'),
        (ensemble.to_json().replace("1.25", "2.5"), r"between 1 and 2, found 2\.5"),
        (ensemble.to_json().replace("tweedie", "gamma"), 'the key "power" is not known'),
    ):
        assert not VALIDATOR.is_valid(json.loads(changed))
        with pytest.raises(ModelFormatError, match=message):
            RuleEnsemble.from_json(changed)


# What Python reports while model files are loaded, all but the opening of the files themselves.
EVENTS_OF_LOADING = """
import sys
from sorb import ModelFormatError, RuleEnsemble

def load(path):
    try:
        RuleEnsemble.load(path)
    except ModelFormatError:
        pass

paths, events, recording = sys.argv[1:], [], False
sys.addaudithook(lambda event, arguments: recording and events.append((event, arguments)))
for path in paths:  # imports what they need
    load(path)
recording = True
for path in paths:
    load(path)
recording = False
opened = [("open", path) for path in paths]
seen = [(event, str(arguments[0]) if arguments else "") for event, arguments in events]
print([event for event in seen if event not in opened and event[0] != "object.__getattr__"])
"""


def test_loading_runs_no_code_and_opens_no_other_file(tmp_path):
    codes = ["__import__('os').system('id')", "/etc/passwd", "{0.__class__}", "!!python/name:os"]
    for k, code in enumerate(codes):
        condition = Condition((Membership(code, (code,)), Proposition((code,), (1.0,), 0.0)))
        model = RuleEnsemble(0.0, [Rule(condition, 1.0)], (code,), "logistic", (code, "no"))
        (tmp_path / f"{k}.json").write_text(model.to_json(), encoding="utf-8")
        spoiled = model.to_json().replace('"logistic"', json.dumps(code))
        (tmp_path / f"spoiled{k}.json").write_text(spoiled, encoding="utf-8")
    paths = sorted(map(str, tmp_path.iterdir()))
    command = [sys.executable, "-c", EVENTS_OF_LOADING, *paths]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("text", [None, 3, {}], ids=str)
def test_what_is_no_text_is_no_model(text):
    with pytest.raises(TypeError, match="expected a model as JSON text, found "):
        RuleEnsemble.from_json(text)
