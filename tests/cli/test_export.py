import json
import sqlite3

import onnxruntime
import pytest
from cli.patients import hand_made, patients
from export.targets.libreoffice import cells_of

from sorb import export as library
from sorb.rules import Condition, Proposition, Rule, RuleEnsemble


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--to", "sql"), lambda e: library.to_sql(e)),
        (
            ("--to", "sql", "--dialect", "duckdb", "--kind", "select", "--table", "a.b",
             "--keep", "patient,age", "--output", "score", "--contributions"),
            lambda e: library.to_sql(e, "duckdb", ("a", "b"), "select", "score", True,
                                  ["patient", "age"]),
        ),
        (
            ("--to", "sql", "--kind", "view", "--table", '"a.b"', "--view", "v"),
            lambda e: library.to_sql(e, table="a.b", kind="view", view="v"),
        ),
        (
            ("--to", "python", "--output", "probability", "--name", "risk"),
            lambda e: library.to_python(e, "probability", name="risk"),
        ),
        (("--to", "c", "--contributions"), lambda e: library.to_c(e, contributions=True)),
        (("--to", "javascript"), lambda e: library.to_javascript(e)),
        (("--to", "json"), lambda e: e.to_json()),
    ],
)  # fmt: skip
def test_text_is_that_of_the_library(arguments, expected, said, model, folder):
    code, printed, errors = said("export", model, *arguments)
    assert (code, errors) == (0, "")
    assert printed == expected(hand_made()).rstrip("\n") + "\n"
    assert said("export", model, *arguments, "--out", "out.txt") == (
        0,
        "The model is in out.txt.\n",
        "",
    )
    assert (folder / "out.txt").read_text("utf-8") == printed


@pytest.mark.parametrize(("name", "to"), [("a.sql", "sql"), ("A.R", "r"), ("a.json", "json")])
def test_the_name_of_the_file_tells_the_language(name, to, said, model, folder):
    expected = said("export", model, "--to", to)[1]
    assert said("export", model, "--out", name) == (0, f"The model is in {name}.\n", "")
    assert (folder / name).read_text("utf-8") == expected


def test_a_database_gives_the_answers_of_predict(said, model, table):
    _, query, _ = said(
        "export", model, "--to", "sql", "--dialect", "sqlite", "--kind", "select",
        "--table", "patients",
    )  # fmt: skip
    base = sqlite3.connect(":memory:")
    names = list(patients(1)[0])
    base.execute(f"CREATE TABLE patients ({', '.join(map(json.dumps, names))})")
    marks = ", ".join("?" * len(names))
    base.executemany(f"INSERT INTO patients VALUES ({marks})", [[*r.values()] for r in patients()])
    found = [answer for (answer,) in base.execute(query)]
    base.close()
    _, predicted, _ = said("predict", model, table)
    assert found == [line.split(",")[0] for line in predicted.splitlines()[1:]]


def test_excel_has_a_line_for_each_formula(said, folder):
    old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    ensemble = RuleEnsemble(1.0, (old,), ("age",), "squared")
    ensemble.save(folder / "m.json")
    _, printed, _ = said(
        "export", "m.json", "--to", "excel", "--cells", "age=A2", "--contributions"
    )
    formulas = dict(line.split("\t") for line in printed.splitlines())
    assert formulas == library.to_excel(ensemble, {"age": "A2"}, contributions=True)
    _, printed, _ = said("export", "m.json", "--to", "excel", "--cells", "age=A2,rule_0=B2")
    assert printed.splitlines()[0] == "prediction\t=1+B2"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("age=XFE2", "cells['age'] must be in the columns A to XFD"),
        ("age=A2,score=A2", "found 'A2', the cell of 'age'"),
        ("age=A2,zz=B2", "cells names 'zz'"),
    ],
)
def test_cells_that_make_no_sense_are_refused(cells, words, said, folder):
    old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    RuleEnsemble(1.0, (old,), ("age",), "squared").save(folder / "m.json")
    code, printed, errors = said("export", "m.json", "--to", "excel", "--cells", cells)
    assert (code, printed, errors.count("\n")) == (1, "", 1)
    assert words in errors


def test_onnx_is_binary(said, folder):
    old = Rule(Condition((Proposition(("age",), (1.0,), 40.0),)), 2.0)
    RuleEnsemble(1.0, (old,), ("age",), "squared").save(folder / "m.json")
    assert said("export", "m.json", "--to", "onnx", "--out", "m.onnx") == (
        0,
        "The model is in m.onnx.\n",
        "",
    )
    session = onnxruntime.InferenceSession(folder / "m.onnx")
    assert "score" in [output.name for output in session.get_outputs()]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "to"),
        (("--to", "cobol"), 2, "cobol"),
        (("--to", "python", "--dialect", "sqlite"), 2, "--dialect is for --to sql"),
        (("--to", "sql", "--name", "f"), 2, "--name is for --to python, r, c, javascript"),
        (("--to", "json", "--output", "score"), 2, "--output is for"),
        (("--to", "sql", "--dialect", "dbase"), 1, "dbase"),
        (("--to", "sql", "--kind", "select"), 2, "--kind select needs --table"),
        (("--to", "sql", "--kind", "view", "--table", "t"), 2, "--kind view needs --view"),
        (
            ("--to", "sql", "--kind", "view", "--table", "a\nb", "--view", "v"),
            2,
            '--table must be a name such as patients, clinic.patients or "a.b", found',
        ),
        (("--to", "sql", "--keep", "age"), 2, "--keep is for --kind select and --kind view"),
        (("--to", "sql", "--table", "t"), 2, "--table is for --kind select and --kind view"),
        (
            ("--to", "sql", "--kind", "select", "--table", "t", "--view", "v"),
            2,
            "--view is for --kind view",
        ),
        (("--to", "excel"), 2, "--to excel needs the cell of column 'age' in --cells"),
        (("--to", "excel", "--cells", "age=A2"), 2, "needs the cell of column 'weight' in --cells"),
        (("--to", "excel", "--cells", "A2"), 2, "--cells needs pairs such as age=A2"),
        (("--to", "excel", "--cells", "age=A2,weight=B2,age=C2"), 2, "--cells names 'age' twice"),
        (("--to", "python", "--out", "no/where.py"), 1, "no folder no"),
        ((), 2, "name a language with --to, or a file whose name ends in .sql, .onnx, .py"),
        (("--out", "model.txt"), 2, "name a language with --to"),
        (("--to", "cobol"), 2, "Invalid value for '--to': 'cobol' is not one of 'sql'"),
    ],
)
def test_errors(arguments, code, words, said, model):
    found, printed, errors = said("export", model, *arguments)
    assert (found, printed, errors.count("\n")) == (code, "", 1)
    assert words in errors


def test_binary_is_kept_from_terminals(said, model, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    code, _, errors = said("export", model, "--to", "onnx")
    assert code == 2
    assert "--out" in errors


def test_a_workbook_has_a_row_for_each_of_a_table(said, model, table, folder):
    ask = ("export", model, "--to", "excel", "--out", "model.xlsx")
    assert said(*ask) == (0, "The model is in model.xlsx.\n", "")
    assert len(cells_of((folder / "model.xlsx").read_bytes())) == 2
    assert said(*ask, "--rows", table) == (0, "The model is in model.xlsx.\n", "")
    header, *rows = cells_of((folder / "model.xlsx").read_bytes())
    _, predicted, _ = said("predict", model, table)
    assert [row[header.index("prediction")] for row in rows] == [
        line.split(",")[0] for line in predicted.split()[1:]
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rows", "t.csv"), "--rows needs a file that ends in .xlsx"),
        (("--rows", "t.csv", "--out", "model.txt"), "--rows needs a file that ends in .xlsx"),
        (("--cells", "age=A2", "--out", "model.xlsx"), "--cells is for formulas"),
        (("--output", "score", "--out", "model.xlsx"), "--output is for formulas"),
        ((), "or a workbook to write: --out model.xlsx"),
    ],
)
def test_options_of_workbooks_and_formulas_are_kept_apart(options, words, said, model, folder):
    (folder / "t.csv").write_text("age\n1\n")
    code, _, error = said("export", model, "--to", "excel", *options)
    assert (code, words in " ".join(error.split())) == (2, True)
