"""Excel formulas: read by a small interpreter of what they use, and compared with the model."""

import math
import re

import numpy as np
import pytest
from export.corpus import assert_answers, boundary_cases, outputs

from sorb.export import excel
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble

OLD = Condition((Proposition(("age",), (1.0,), 40.0),))
SIMPLE = RuleEnsemble(-1.0, (Rule(OLD, 1.5),), ("age",), "logistic", ('say "no"', "yes"))
MISSING = object()

FUNCTIONS = {
    "IF": lambda test, then, otherwise: then if test else otherwise,
    "AND": lambda *tests: all(tests),
    "COUNT": lambda *cells: sum(not isinstance(cell, str) and cell is not None for cell in cells),
    "NA": lambda: MISSING,
    "MAX": lambda *values: max(values),
    "EXP": math.exp,
    "ABS": abs,
    "TRUE": True,
    "FALSE": False,
}


def evaluate(formula, cells):
    """Excel's words are made Python's: texts in double quotes, and cells looked up by name."""
    assert formula.startswith("=")
    texts = re.findall(r'"(?:[^"]|"")*"', formula)
    code = re.sub(r'"(?:[^"]|"")*"', "TEXT.pop(0)", formula[1:])
    plain = [text[1:-1].replace('""', '"') for text in texts]
    # Texts are evaluated from left to right, as they are written.
    return eval(code, {**FUNCTIONS, **cells, "TEXT": plain, "__builtins__": {}})


def test_gives_the_same_answers():
    for ensemble, X in boundary_cases():
        cells = {name: f"A{j + 1}" for j, name in enumerate(ensemble.columns)}
        for output in outputs(ensemble):
            formulas = excel(ensemble, cells, output, contributions=True)
            found = [
                [
                    evaluate(text, dict(zip(cells.values(), row, strict=True)))
                    for text in formulas.values()
                ]
                for row in X.tolist()
            ]
            width = len(formulas) - len(ensemble)
            assert [row[width:] for row in found] == ensemble.contributions(X).tolist()
            answers = [row[:width] if width > 1 else row[0] for row in found]
            if ensemble.loss == "squared":  # in Excel, 3 is no other number than 3.0
                answers = [float(answer) for answer in answers]
            assert_answers(answers, ensemble, X, output)


def test_cells_without_a_number_give_not_available():
    formula = excel(SIMPLE, {"age": "A2"})["prediction"]
    for value in (None, "forty"):
        assert guard(formula, value)
    assert not guard(formula, 40.0)


def guard(formula, value):
    test = re.fullmatch(r"=IF\((COUNT\(A2\)<1),NA\(\),.*\)", formula)[1]
    return eval(test, {**FUNCTIONS, "A2": value})


@pytest.mark.parametrize("cell", ["A2", "$A$2", "Sheet1!B10", "'my sheet'!XFD1048576"])
def test_takes_references(cell):
    assert f"COUNT({cell})" in excel(SIMPLE, {"age": cell})["prediction"]


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


def test_constant_needs_no_cell():
    assert excel(RuleEnsemble(np.pi, (), (), "squared"), {}) == {"prediction": f"={math.pi}"}
