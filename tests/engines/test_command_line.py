"""The command line asks PostgreSQL, and changes nothing there."""

import json

import pytest
from cli.killed_fit import kill_soon, same_model
from cli.patients import HEADER, patients, write_csv
from cli.peak_memory import ROWS, obeys_limit
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
    [
        ("people", "has no table 'people': there are 'patients'"),
        ("public.such", "has no table 'such'"),
    ],
)
def test_a_missing_table_is_named_but_no_password(table, message, server, capsys):
    address, *_ = source(server, password=":secret")
    assert run(["fit", address, "--table", table, "--target", "ill"]) == 1
    errors = capsys.readouterr().err
    assert message in errors
    assert "secret" not in errors


LONG = "a" * 62
ODD_TABLES = {
    "decimals": "TABLE decimals AS SELECT age::numeric / 7 AS age, ill FROM patients",
    "huge": "TABLE huge AS SELECT 10::numeric ^ 30 + age AS age, ill FROM patients",
    "nan": """TABLE nan AS SELECT
        CASE WHEN patient % 11 = 0 THEN 'NaN'::numeric ELSE age END AS age, ill FROM patients""",
    "viewed": "MATERIALIZED VIEW viewed AS SELECT age, ill FROM patients",
    "with.dot": 'TABLE "with.dot" AS SELECT age, ill FROM patients',
    "other.inside": "TABLE other.inside AS SELECT age, ill FROM patients",
    # PostgreSQL cuts names after 63 bytes.
    "long": f'TABLE long AS SELECT age AS "{LONG}1", weight AS "{LONG}2", ill FROM patients',
}


@pytest.fixture(scope="module")
def odd(server):
    """Tables of all kinds."""
    server("CREATE SCHEMA other")
    for made in ODD_TABLES.values():
        server(f"CREATE {made}")
    return source(server)[0]


@pytest.mark.parametrize("table", ODD_TABLES)
def test_odd_tables_are_read(table, odd, capsys, tmp_path):
    model, predicted = str(tmp_path / "m.json"), tmp_path / "p.csv"
    options = ["--max-rules", "1", "--selection", "none", "--out", model]
    assert run(["fit", odd, "--table", table, "--target", "ill", *options]) == 0
    assert run(["predict", model, odd, "--table", table, "--out", str(predicted)]) == 0
    assert len(predicted.read_text().splitlines()) == 1 + len(patients())


def test_a_missing_schema_is_named(odd, capsys):
    assert run(["fit", odd, "--table", "nowhere.t", "--target", "ill"]) == 1
    assert "has no schema 'nowhere': there are 'information_schema'," in capsys.readouterr().err


def test_options_of_the_address_count(server, capsys):
    address, *table = source(server)
    timeout = f"{address}&options=-c%20statement_timeout%3D1"
    assert run(["fit", timeout, *table, "--target", "ill"]) == 1
    assert "statement timeout" in capsys.readouterr().err


@pytest.fixture(scope="module")
def large(server):
    """A table that takes some seconds to learn from."""
    columns = ", ".join(f"random() AS x{j}" for j in range(10))
    server(f"CREATE TABLE numbers AS SELECT {columns} FROM generate_series(1, {ROWS})")
    server(
        "ALTER TABLE numbers ADD ill int; UPDATE numbers SET ill = (x0 + x1 > 1 AND x2 < 0.9)::int"
    )
    return (source(server)[0], "--table", "numbers")


def test_the_limit_of_memory_is_obeyed(large, tmp_path):
    assert obeys_limit(large, "480MB", tmp_path)


def test_a_killed_fit_goes_on_to_the_same_model(large, capsys, tmp_path):
    arguments = [*large, "--target", "ill", "--max-complexity", "40", "--selection", "none"]
    assert kill_soon(arguments, tmp_path / "m.json.partial")
    for name in ("m.json", "whole.json"):
        assert run(["fit", *arguments, "--out", str(tmp_path / name)]) == 0
    assert "sorb: going on from the " in capsys.readouterr().err
    assert same_model(tmp_path / "m.json", tmp_path / "whole.json")


def test_groups_stay_together_as_in_files(server, capsys, tmp_path):
    table = write_csv(tmp_path / "t.csv", patients())
    found = []
    for where in (source(server), (str(table), "--memory", "2GB")):
        options = ("--group", "group", "--ignore", "stay", "--selection", "none", "--json")
        assert run(["fit", *where, "--target", "ill", *QUICK, *options]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0]["groups"] == found[1]["groups"]
    assert found[0]["rows"] == found[1]["rows"]
    assert sum(found[0]["groups"].values()) == 4
