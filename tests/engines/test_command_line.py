"""The command line asks PostgreSQL, and changes nothing there."""

import json

import pytest
from cli.patients import HEADER, patients, write_csv
from cli.quick_fit import QUICK
from export.postgres_server import running_server

from engines.conftest import ENGINES
from sorb.cli import run
from sorb.rules import RuleEnsemble

pytestmark = pytest.mark.skipif("postgres" not in ENGINES, reason="make test-engines runs it")
TYPES = ("int", "int", "double precision", "double precision", "text", "text", "double precision")
# What there is in the database: tables, functions and rows.
CONTENTS = """
SELECT relname FROM pg_class ORDER BY 1;
SELECT proname FROM pg_proc ORDER BY 1;
SELECT * FROM patients;
"""


@pytest.fixture(scope="module")
def server():
    with running_server() as server:
        columns = ", ".join(f'"{n}" {t}' for n, t in zip(HEADER, TYPES, strict=True))
        values = ", ".join(str(tuple(row.values())) for row in patients())
        server(f"CREATE TABLE patients ({columns}); INSERT INTO patients VALUES {values};")
        yield server


def source(server, password=""):
    address = f"postgresql://{server.user}{password}@/{server.database}?host={server.folder}"
    return (address, "--table", "patients")


def fitted(capsys, *arguments):
    options = ("--target", "ill", "--test-size", "0", "--json", *QUICK)
    assert run(["fit", *arguments, *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_model_is_that_of_a_file_and_nothing_is_written(server, capsys, tmp_path):
    before = server(CONTENTS)
    found = fitted(capsys, *source(server))
    table = write_csv(tmp_path / "t.csv", patients())
    expected = fitted(capsys, str(table))
    one, other = (RuleEnsemble.from_json(json.dumps(f["model"])) for f in (found, expected))
    assert [rule.condition for rule in one] == [rule.condition for rule in other]
    assert found["training"]["risk"] == pytest.approx(expected["training"]["risk"], rel=1e-9)
    assert server(CONTENTS) == before


def test_predictions_come_with_their_rows(server, capsys, tmp_path):
    table, model = write_csv(tmp_path / "t.csv", patients()), str(tmp_path / "m.json")
    assert run(["fit", str(table), "--target", "ill", "--out", model, *QUICK]) == 0
    capsys.readouterr()
    printed = []
    for where in (source(server), (str(table),)):
        assert run(["predict", model, *where, "--id", "patient"]) == 0
        printed.append(sorted(capsys.readouterr().out.splitlines()))
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    ("table", "message"),
    [("people", "has no table 'people': there are 'patients'"), ("no.such", "has no table 'such'")],
)
def test_a_missing_table_is_named_but_no_password(table, message, server, capsys):
    address, *_ = source(server, password=":secret")
    assert run(["fit", address, "--table", table, "--target", "ill"]) == 1
    errors = capsys.readouterr().err
    assert message in errors
    assert "secret" not in errors
