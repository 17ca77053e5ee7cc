"""Workbooks: what is stored in them, and what LibreOffice computes from their formulas."""

import io
import re
import sys
import zipfile
from dataclasses import replace
from html import unescape

import numpy as np
import polars as pl
import pytest
from export.corpus import cases_for
from export.sheet import compile_formula
from export.targets.excel_sheet import cell_value, usable
from export.targets.libreoffice import cells_of, computed, needs_libreoffice
from xlsxwriter.utility import xl_col_to_name

from sorb.export import excel_workbook, to_workbook
from sorb.rules import Condition, Membership, Product, Proposition, Rule, RuleEnsemble

HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1+cmd|' /C calc'!A0",
    "@SUM(A1)",
    "-2",
    "score",
    "rule_0",
    "<b>&",
]


def clinic(classes=("well", "ill"), loss="logistic", columns=("age", "weight", "height", "group")):
    age, weight, height, group = columns
    rules = (
        Rule(Condition((Proposition((age,), (1.0,), 40.0, True),)), 0.75),
        Rule(Condition((Product((weight, height), (1.0, -2.0), 25.3),)), 1.25),
        Rule(
            Condition((Membership(group, ("A", "AB")), Proposition((age,), (-1.0,), -60.0))), -2.0
        ),
    )
    if loss == "softmax":
        rules = tuple(replace(rule, output=k) for k, rule in enumerate(rules))
    offset = (0.5, -0.25, 0.0) if loss == "softmax" else -0.5
    units = () if loss == "softmax" else ((weight, "kg"),)
    return RuleEnsemble(offset, rules, columns, loss, classes, units=units)


def patients(count=60, columns=("age", "weight", "height", "group")):
    random = np.random.default_rng(0)
    age = pl.Series(random.integers(18, 90, count).astype(float))
    rows = {
        columns[0]: age.set(pl.Series(random.random(count) < 0.2), None),
        columns[1]: random.integers(40, 120, count) / 2 ** random.integers(0, 3, count),
        columns[2]: random.integers(140, 200, count) / 100,
        columns[3]: pl.Series(random.choice(["A", "B", "AB", "a"], count)).set(age > 80, None),
    }
    return pl.DataFrame(rows)


MODELS = {
    "two classes": clinic(),
    "three classes": clinic(("a", "b", "c"), "softmax"),
    "truth values": clinic((False, True)),
    "numbers": clinic(None, "squared"),
    "counts": clinic(None, "poisson"),
    "hostile names": clinic(columns=tuple(HOSTILE[:4])),
    "names of parts": clinic(columns=("score", "rule_0", "prediction", "rule_1")),
}


def expected(model, table):
    """The columns that the formulas must give."""
    scores = model(table).reshape(len(table), -1).T.tolist()
    columns = [*model.contributions(table).T.tolist()]
    columns += [] if str(model.loss) == "squared" else scores
    columns.append(model.predict(table).tolist())
    if model.loss.has_classes:
        shares = model.predict_proba(table).T.tolist()
        columns += shares if len(scores) > 1 else shares[-1:]
    return columns


def require_equal(cells, model, table):
    found = list(zip(*cells[1:], strict=True))[len(model.used_columns) :]
    wanted = expected(model, table)
    assert len(found) == len(wanted)
    for given, values in zip(found, wanted, strict=True):
        if isinstance(values[0], (str, bool)):
            assert list(given) == values
        else:
            np.testing.assert_allclose(given, values, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("name", MODELS)
def test_the_values_of_the_model_are_stored(name):
    model, table = MODELS[name], patients(columns=MODELS[name].columns)
    cells = cells_of(to_workbook(model, table))
    require_equal(cells, model, table)
    inputs = [
        ["" if v is None else v for v in row] for row in table.select(model.used_columns).rows()
    ]
    assert [row[: len(model.used_columns)] for row in cells[1:]] == inputs


@needs_libreoffice
@pytest.mark.parametrize("name", ["three classes", "counts", "hostile names"])
def test_libreoffice_computes_the_same(name, tmp_path, monkeypatch):
    monkeypatch.setattr(excel_workbook, "_shown", lambda value: "not computed")
    model, table = MODELS[name], patients(columns=MODELS[name].columns)
    require_equal(computed(to_workbook(model, table), tmp_path), model, table)


@needs_libreoffice
def test_libreoffice_compares_texts_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_workbook, "_shown", lambda value: "not computed")
    texts = ["a\nb", "a\tb", " a ", "a  b", "\n", 'say "a"', "<a>&amp;", "ä€𝕏", *HOSTILE]
    rules = [
        Rule(Condition((Membership("group", (text,)),)), vote) for vote, text in enumerate(texts, 1)
    ]
    model = RuleEnsemble(0.0, tuple(rules), ("group",), "squared")
    table = pl.DataFrame({"group": [*texts, "a b", "A", "1"]})
    require_equal(computed(to_workbook(model, table), tmp_path), model, table)


def formulas_of(content):
    """The formulas of the first sheet, by cell."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    found = re.findall(r'<c r="([A-Z]+\d+)"[^>]*><f>([^<]*)</f>', sheet)
    return {cell: "=" + unescape(formula) for cell, formula in found}


def test_random_models_give_the_same_answers():
    for case in cases_for(usable)[:40]:
        model, rows = case.ensemble, case.table[:3]
        content = to_workbook(model, rows)
        formulas = {cell: compile_formula(f) for cell, f in formulas_of(content).items()}
        for k, stored in enumerate(cells_of(content)[1:]):
            cells = [f"{xl_col_to_name(place)}{k + 2}" for place in range(len(stored))]
            given = rows.select(model.used_columns).row(k) if model.used_columns else ()
            known = dict(zip(cells, map(cell_value, given), strict=False))
            for cell, value in list(zip(cells, stored, strict=True))[len(known) :]:
                known[cell] = formulas[cell](known)
                is_number = isinstance(value, float)
                wanted = pytest.approx(value, rel=1e-13) if is_number else value
                assert known[cell] == wanted


def test_no_name_or_value_becomes_a_formula():
    model = clinic(columns=tuple(HOSTILE[:4]))
    table = patients(8, model.columns).with_columns(pl.Series(HOSTILE[3], [*HOSTILE, "A"]))
    content = to_workbook(model, table)
    cells = cells_of(content)
    assert cells[0][0] == HOSTILE[0]
    assert [row[3] for row in cells[1:]] == [*HOSTILE, "A"]
    assert all(re.match(r"[E-K]\d", cell) for cell in formulas_of(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert not [name for name in archive.namelist() if "link" in name.lower()]


def test_without_a_table_there_is_a_row_to_fill_in():
    header, row = cells_of(to_workbook(clinic()))
    assert header[:4] == ["age", "weight (kg)", "height", "group"]
    assert header[4:8] == ["rule 1", "rule 2", "rule 3", "log-odds of ill against well"]
    assert header[8:] == ["prediction", "probability of ill"]
    assert row[:4] == [""] * 4
    assert row[7] == 0.25


def test_the_rules_are_listed():
    header, offset, first, *_ = cells_of(to_workbook(clinic()), 1)
    assert header == ["", "adds", "to", "when"]
    assert offset == ["offset", -0.5, "the score", "always"]
    assert first == ["rule 1", 0.75, "the score", "age ≥ 40 or age missing"]


def test_models_without_rules_and_of_one_class():
    model = RuleEnsemble(-1.0, (), ("age",), "logistic", ("no", "yes"))
    assert cells_of(to_workbook(model))[1] == [-1.0, "no", pytest.approx(0.26894142)]
    assert cells_of(to_workbook(RuleEnsemble(1.0, (), (), "logistic", ("only",))))[1][1] == "only"


@pytest.mark.parametrize("text", ["a\rb", "\0", "\ufffe"])
def test_characters_that_a_formula_cannot_hold_are_refused(text):
    rule = Rule(Condition((Membership("group", (text,)),)), 1.0)
    with pytest.raises(ValueError, match="cannot hold the character"):
        to_workbook(RuleEnsemble(0.0, (rule,), ("group",), "squared"))


def test_what_does_not_fit_in_a_sheet_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="at most 32767 characters"):
        to_workbook(clinic(), {"age": 1, "weight": 1, "height": 1, "group": "x" * 40_000})
    monkeypatch.setattr(excel_workbook, "LAST_ROW", 10)
    with pytest.raises(ValueError, match="room for 9 rows, found 10"):
        to_workbook(clinic(), patients(10))
    monkeypatch.setattr(excel_workbook, "MOST_COLUMNS", 5)
    with pytest.raises(ValueError, match="room for 5 columns, found 10"):
        to_workbook(clinic(), patients(2))


def test_without_xlsxwriter_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ImportError, match=r"xlsxwriter: pip install .*\[excel\]"):
        to_workbook(clinic())
