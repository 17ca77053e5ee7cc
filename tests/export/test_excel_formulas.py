"""Excel formulas: read by a small interpreter of what they use, and compared with the model."""

import dataclasses
import math
import re

import numpy as np
import pytest
from export.corpus import N_LOSSES, boundary_cases, cases_for
from export.random_models import TEXTS
from export.sheet import SheetError, compile_formula
from export.targets.excel_sheet import cell_value, check, usable
from sklearn.datasets import load_iris

from sorb import LLTBoostClassifier
from sorb.export import to_excel
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age",), "logistic", ('say "no"', "yes"))


def test_gives_the_same_answers():
    check([*boundary_cases(), *cases_for(usable)])


def outcome(proposition, *values):
    """Whether the formula of a rule says that it holds for the given cells."""
    ensemble = RuleEnsemble(
        0.0, (Rule(Condition((proposition,)), 1.0),), proposition.columns, "squared"
    )
    cells = {name: f"A{j + 1}" for j, name in enumerate(proposition.columns)}
    formula = compile_formula(to_excel(ensemble, cells)["prediction"])
    return bool(formula(dict(zip(cells.values(), values, strict=True))))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("cell", [None, "", "forty", SheetError("#N/A")])
def test_cells_without_a_number_are_missing(missing, cell):
    for at_least in (-1e9, 1e9):
        assert outcome(Proposition(("age",), (1.0,), at_least, missing), cell) == missing
        assert outcome(Proposition(("age", "b"), (2.0, 1.0), at_least, missing), cell, 1) == missing
    assert outcome(Product(("age", "b"), (1, -2), 1.0, missing=missing), 1.0, cell) == missing


@pytest.mark.parametrize("missing", [False, True])
def test_truth_values_are_one_and_zero(missing):
    smoker = Proposition(("smoker",), (1.0,), 1.0, missing)
    assert [outcome(smoker, cell) for cell in (True, False, 1, 0)] == [True, False] * 2
    power = Product(("smoker",), (2.0,), 1.0, missing=missing)
    assert [outcome(power, cell) for cell in (True, False, 1, 0)] == [True, missing] * 2


@pytest.mark.parametrize(("category", "covered"), [(0, [0, False]), (1, [1, True]), (2, [2])])
def test_truth_values_are_the_categories_one_and_zero(category, covered):
    group = Membership("group", (category,))
    assert [cell for cell in (0, False, 1, True, 2) if outcome(group, cell)] == covered


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("negated", [False, True])
def test_cells_without_anything_have_no_category(missing, negated):
    group = Membership("group", ("A", 1), negated, missing)
    for cell in (None, "", SheetError("#N/A")):
        assert outcome(group, cell) == missing
    assert outcome(group, "A") == outcome(group, 1) == outcome(group, True) == (not negated)
    assert outcome(group, "a") == outcome(group, "1") == outcome(group, 2) == negated


def test_a_text_is_no_number():
    assert outcome(Membership("key", ("1", "TRUE")), "1")
    assert not outcome(Membership("key", ("1", "TRUE")), 1)
    assert not outcome(Membership("key", ("1", "TRUE")), True)


@pytest.mark.parametrize("category", TEXTS)
def test_texts_are_quoted(category):
    assert [outcome(Membership("group", (category,)), text) for text in TEXTS] == [
        text == category for text in TEXTS
    ]


@pytest.mark.parametrize("cell", ["A2", "$A$2", "Sheet1!B10", "'my sheet'!XFD1048576"])
def test_takes_references(cell):
    assert f"LEN({cell})" in to_excel(SIMPLE, {"age": cell})["prediction"]


@pytest.mark.parametrize(
    "cell", ["A", "A2:A9", "2", "A2)+HYPERLINK(1", "A2\n", "'a'b'!A1", "A\u0662", "A1\u0662", ""]
)
def test_refuses_what_is_no_cell(cell):
    with pytest.raises(ValueError, match="must be a cell like A2"):
        to_excel(SIMPLE, {"age": cell})


@pytest.mark.parametrize("cell", ["XFE1", "$zzz$1", "A1048577", "Sheet1!A9999999"])
def test_refuses_cells_beyond_the_sheet(cell):
    words = r"cells\['age'\] must be in the columns A to XFD and the rows 1 to 1048576, found "
    with pytest.raises(ValueError, match=words + re.escape(repr(cell))):
        to_excel(SIMPLE, {"age": cell})


@pytest.mark.parametrize("cell", [None, 2, ("A", 2)])
def test_refuses_cells_that_are_no_text(cell):
    with pytest.raises(TypeError, match=r"cells\['age'\] must be a cell like A2.* found "):
        to_excel(SIMPLE, {"age": cell})


@pytest.mark.parametrize("cells", [None, "A2", ["A2"]])
def test_refuses_cells_without_names(cells):
    with pytest.raises(TypeError, match="cells must map names to cells"):
        to_excel(SIMPLE, cells)


@pytest.mark.parametrize("name", ["weight", "rule_1", "score_0", "prediction", 0])
def test_refuses_cells_of_what_the_model_does_not_have(name):
    with pytest.raises(
        ValueError, match=f"cells names {name!r}.* expected 'age', 'score', 'rule_0'"
    ):
        to_excel(SIMPLE, {"age": "A2", name: "B2"})


@pytest.mark.parametrize(
    ("cell", "other"),
    [("A2", "A2"), ("A2", "$a$2"), ("Sheet1!A2", "'sheet1'!$A2"), ("'a''b'!A2", "'A''B'!A2")],
)
@pytest.mark.parametrize("name", ["b", "score", "rule_0"])
def test_refuses_a_cell_for_two_values(cell, other, name):
    ensemble = dataclasses.replace(SIMPLE, columns=("age", "b"))
    words = rf"cells\['{name}'\] must be a cell of its own, found .*, the cell of 'age'"
    with pytest.raises(ValueError, match=words):
        to_excel(ensemble, {"age": cell, name: other})


def test_the_same_place_on_two_sheets_is_two_cells():
    cells = {"age": "Sheet1!A2", "rule_0": "Sheet2!A2", "score": "A2"}
    assert to_excel(SIMPLE, cells, "probability")["score"] == "=-1+Sheet2!A2"


def test_needs_all_cells():
    with pytest.raises(ValueError, match="cell for the column 'age'"):
        to_excel(SIMPLE, {})


def test_probabilities_of_a_usual_model_fit_in_a_cell():
    table, species = load_iris(return_X_y=True, as_frame=True)
    ensemble = LLTBoostClassifier(max_rules=10, selection=None).fit(table, species).ensemble_
    cells = {name: f"A{j + 1}" for j, name in enumerate(ensemble.columns)}
    assert len(ensemble) == 10
    assert len(to_excel(ensemble, cells, "probability", contributions=True)) == 13


@pytest.mark.parametrize("score", [-1000.0, -705.0, 0.0, 705.0, 1000.0])
def test_probabilities_of_extreme_scores_are_numbers(score):
    binary = compile_formula(
        to_excel(RuleEnsemble(score, (), (), "logistic"), {}, "probability")["probability"]
    )
    assert math.isclose(binary({}), 1 / (1 + math.exp(min(700, -score))), rel_tol=1e-14)
    three = RuleEnsemble((score, 0.0, 0.0), (), (), "softmax", ("a", "b", "c"))
    shares = [compile_formula(f)({}) for f in to_excel(three, {}, "probability").values()]
    assert math.isclose(sum(shares), 1.0, rel_tol=1e-14)
    assert (shares[0] > 0.4) == (score > 0)


def in_cells(case):
    """Put all parts of the formulas into cells of their own, and compute them one by one."""
    columns = {name: f"A{j + 1}" for j, name in enumerate(case.ensemble.columns)}
    several = case.ensemble.loss.score_per_class
    scores = [f"score_{k}" for k in range(len(case.ensemble.offsets))] if several else ["score"]
    parts = [*(f"rule_{i}" for i in range(len(case.ensemble))), *scores]
    parts = {name: f"B{j + 1}" for j, name in enumerate(parts)}
    formulas = to_excel(case.ensemble, {**parts, **columns}, case.output)
    for row in case.rows:
        given = dict(zip(columns.values(), map(cell_value, row), strict=True))
        for name, cell in parts.items():
            if name in formulas:
                given[cell] = compile_formula(formulas[name])(given)
        wanted = [name for name in formulas if name.startswith(case.output)]
        found = [compile_formula(formulas[name])(given) for name in wanted]
        yield found if len(found) > 1 else found[0]


def test_parts_in_cells_of_their_own_give_the_same_answers():
    for case in [*boundary_cases(N_LOSSES), *cases_for(usable)[:40]]:
        case.check(case.restored(list(in_cells(case))))


def test_parts_in_cells_make_formulas_short():
    large = RuleEnsemble(0.0, SIMPLE.rules * 500, ("age",), "logistic")
    with pytest.raises(ValueError, match=r"8192: name .* 'score', 'rule_0', 'rule_1'"):
        to_excel(large, {"age": "A2"})
    with pytest.raises(ValueError, match=r"8192: name .* are 'rule_0', 'rule_1'"):
        to_excel(large, {"age": "A2", "score": "B2"})
    parts = {f"rule_{i}": f"C{i + 1}" for i in range(500)}
    formulas = to_excel(large, {"age": "A2", "score": "B2", **parts}, "probability")
    assert formulas["probability"] == "=1/(1+EXP(MIN(700,0-(B2))))"
    assert formulas["score"].startswith("=0+C1+C2+")
    assert len(formulas) == 502


def test_a_column_is_no_part_though_it_is_called_like_one():
    old = Condition((Proposition(("score",), (1.0,), 40.0),))
    ensemble = RuleEnsemble(0.0, (Rule(old, 1.5),), ("score", "rule_0"), "squared")
    (formula,) = to_excel(ensemble, {"score": "A2", "rule_0": "B2"}).values()
    assert "LEN(A2)" in formula
    assert "B2" not in formula


def test_many_categories_are_asked_for_in_groups():
    keys = Membership("key", tuple(range(2, 602)))
    ensemble = RuleEnsemble(0.0, (Rule(Condition((keys,)), 1.0),), ("key",), "squared")
    formula = to_excel(ensemble, {"key": "A1"})["prediction"]
    assert all(part.count("=") <= 255 for part in formula.split("OR("))
    assert [compile_formula(formula)({"A1": key}) for key in (1, 2, 300, 601, 602)] == [
        0,
        1,
        1,
        1,
        0,
    ]


def formula_of(categories):
    keys = Condition((Membership("key", tuple(categories)),))
    return to_excel(RuleEnsemble(0.0, (Rule(keys, 1.0),), ("key",), "squared"), {"key": "A1"})


def test_a_function_takes_up_to_255_arguments():
    calls = [
        len(re.findall(r"\bOR\(", formula_of(range(2, 2 + n))["prediction"])) for n in (255, 256)
    ]
    assert calls == [1, 2]  # the second asks whether it is one of the first 255 or the last


def test_the_longest_text_and_the_longest_formula_are_accepted():
    long = RuleEnsemble(0.0, SIMPLE.rules * 145, ("age",), "logistic", ("a", "b"))
    room = 8192 - len(to_excel(long, {"age": "A2"})["prediction"])
    assert 0 < room < 254
    fitting = dataclasses.replace(long, classes=("a" * (room + 1), "b"))
    assert len(to_excel(fitting, {"age": "A2"})["prediction"]) == 8192
    with pytest.raises(ValueError, match="has 8193 characters"):
        to_excel(dataclasses.replace(long, classes=("a" * (room + 2), "b")), {"age": "A2"})
    assert (
        "a" * 255
        in to_excel(RuleEnsemble(0.0, (), (), "logistic", ("a" * 255, "b")), {})["prediction"]
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [(40.0, "40"), (-40.5, "-40.5"), (-0.0, "0"), (1e15, "1000000000000000"), (1e16, "1e+16")],
)
def test_whole_numbers_have_no_decimals(number, text):
    assert to_excel(RuleEnsemble(number, (), (), "squared"), {}) == {"prediction": f"={text}"}


def test_refuses_what_excel_would_cut():
    many = Condition((Membership("key", tuple(range(1000, 3000))),))
    ensemble = RuleEnsemble(0.0, (Rule(many, 1.0),), ("key",), "squared")
    with pytest.raises(ValueError, match=r"formula for rule_0 .* too large"):
        to_excel(ensemble, {"key": "A2", "rule_0": "B2"})
    with pytest.raises(ValueError, match="255"):
        to_excel(RuleEnsemble(0.0, (), (), "logistic", ("a" * 256, "b")), {})


def test_refuses_a_category_without_letters():
    with pytest.raises(ValueError, match="rename the category"):
        outcome(Membership("group", ("A", "")), "A")


def test_constant_needs_no_cell():
    assert to_excel(RuleEnsemble(np.pi, (), (), "squared"), {}) == {"prediction": f"={math.pi}"}
