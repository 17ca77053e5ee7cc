"""Excel formulas: read by a small interpreter of what they use, and compared with the model."""

import math

import numpy as np
import pytest
from export.corpus import boundary_cases, cases_for, finite_scores
from export.random_models import TEXTS
from export.sheet import SheetError, compile_formula

from sorb.export import excel
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age",), "logistic", ('say "no"', "yes"))


def cell_value(value):
    """What a sheet shows for a value; it has no NaN."""
    return None if value is None or value != value else value


def usable(case):
    """Whether a sheet can hold the numbers, and a formula its texts."""
    values = [value for row in case.rows for value in row if isinstance(value, float)]
    moderate = all(math.isnan(v) or v == 0 or 1e-15 < abs(v) < 1e15 for v in values)
    return moderate and finite_scores(case)


def answers(case):
    cells = {name: f"A{j + 1}" for j, name in enumerate(case.ensemble.columns)}
    formulas = excel(case.ensemble, cells, case.output, contributions=True)
    compiled = [compile_formula(formula) for formula in formulas.values()]
    for row in case.rows:
        given = dict(zip(cells.values(), map(cell_value, row), strict=True))
        yield [value(given) for value in compiled]


def test_gives_the_same_answers():
    for case in [*boundary_cases(), *cases_for(usable)]:
        rows = list(answers(case))
        width = len(rows[0]) - len(case.ensemble)
        found = [row[:width] if width > 1 else row[0] for row in rows]
        case.check(case.restored(found), [row[width:] for row in rows])


def outcome(proposition, *values):
    """Whether the formula of a rule says that it holds for the given cells."""
    ensemble = RuleEnsemble(
        0.0, (Rule(Condition((proposition,)), 1.0),), proposition.columns, "squared"
    )
    cells = {name: f"A{j + 1}" for j, name in enumerate(proposition.columns)}
    formula = compile_formula(excel(ensemble, cells)["prediction"])
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
    assert f"LEN({cell})" in excel(SIMPLE, {"age": cell})["prediction"]


@pytest.mark.parametrize("cell", ["A", "A2:A9", "2", "A2)+HYPERLINK(1", "A2\n", "'a'b'!A1", ""])
def test_refuses_what_is_no_cell(cell):
    with pytest.raises(ValueError, match="must be a cell like A2"):
        excel(SIMPLE, {"age": cell})


def test_needs_all_cells():
    with pytest.raises(ValueError, match="cell for the column 'age'"):
        excel(SIMPLE, {})


def test_refuses_what_excel_would_cut():
    with pytest.raises(ValueError, match="8192"):
        excel(RuleEnsemble(0.0, SIMPLE.rules * 500, ("age",), "squared"), {"age": "A2"})
    with pytest.raises(ValueError, match="255"):
        excel(RuleEnsemble(0.0, (), (), "logistic", ("a" * 256, "b")), {})


def test_refuses_a_category_without_letters():
    with pytest.raises(ValueError, match="rename the category"):
        outcome(Membership("group", ("A", "")), "A")


def test_constant_needs_no_cell():
    assert excel(RuleEnsemble(np.pi, (), (), "squared"), {}) == {"prediction": f"={math.pi}"}
