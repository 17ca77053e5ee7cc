"""Run what `to_sql` writes, in the databases that are there."""

import math
import sqlite3

import duckdb
import numpy as np
from export.corpus import finite_scores
from export.postgres_server import json_values

from sorb.export import to_sql
from sorb.rules import Product, Proposition
from sorb.rules.columns import column_source

TYPES = {"float": "DOUBLE PRECISION", "int": "BIGINT", "bool": "BOOLEAN", "text": "TEXT"}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def fits_a_database(case):
    """Whether there can be a table with these columns, and a column with these labels."""
    names = [name.casefold() for name in case.ensemble.columns]
    kinds = {type(label) for label in case.ensemble.classes or ()}
    return (
        len(set(names)) == len(names)
        and not any("\0" in name for name in names)
        and kinds in ({str}, {int}, {float}, {bool}, set())
        and not {"id", *(f"rule_{i}" for i in range(9))} & set(names)
        and (case.output == "score" or finite_scores(case))
    )


def divides_by_zero(case):
    """Whether the power of a divisor is too small for a float64."""
    for product in case.propositions(Product):
        for name, power in zip(product.columns, product.powers, strict=True):
            values = numbers(case, name)
            with np.errstate(all="ignore"):
                if power < 0 and (values[values > 0] ** -power == 0).any():
                    return True
    return False


def numbers(case, name):
    return column_source(case.table, [name]).take(name)


def tame(case):
    """Whether no number, nor power of one, is anywhere near the ends of the range of a float64."""
    sizes = [abs(number) for row in case.rows for number in row if isinstance(number, float)]
    for product in case.propositions(Product):
        for name, power in zip(product.columns, product.powers, strict=True):
            with np.errstate(all="ignore"):
                sizes += (abs(numbers(case, name)) ** abs(power)).tolist()
    return all(1e-90 < size < 1e90 for size in sizes if size and not math.isnan(size))


def check_rows(case, rows):
    """Compare the rows of a query with key, answers and contributions."""
    rows = [list(row[1:]) for row in sorted(rows, key=lambda row: row[0])]
    width = len(rows[0]) - len(case.ensemble)
    answers = [row[:width] if width > 1 else row[0] for row in rows]
    case.check(case.restored(answers), [row[width:] for row in rows])


class SQLite:
    def usable(self, case):
        return fits_a_database(case) and not divides_by_zero(case)

    def write(self, case):
        return to_sql(case.ensemble, "sqlite", "t; --", "select", case.output, True, ["id"])

    def check(self, cases):
        for case in cases:
            query, base = self.write(case), self.filled(case, "t; --")
            check_rows(case, base.execute(query).fetchall())
            base.close()

    def filled(self, case, table):
        """A database with the rows of a case."""
        base = sqlite3.connect(":memory:")
        columns = "".join(
            f", {quoted(name)} {TYPES[kind]}"
            for name, kind in zip(case.ensemble.columns, case.kinds, strict=True)
        )
        base.execute(f"CREATE TABLE {quoted(table)} (id INTEGER{columns})")
        marks = ", ".join("?" * (1 + len(case.ensemble.columns)))
        rows = [[i, *row] for i, row in enumerate(case.rows)]
        base.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", rows)
        return base


class DuckDB:
    def usable(self, case):
        return fits_a_database(case)

    def write(self, case, number=0):
        table, view = f"t{number}", f"v{number}"
        return to_sql(case.ensemble, "duckdb", table, "view", case.output, True, ["id"], view)

    def check(self, cases):
        base = duckdb.connect(config={"threads": 1})
        for i, case in enumerate(cases):
            text = self.write(case, i)
            base.register(f"given{i}", case.table.with_row_index("id").to_arrow())
            # A view on what is registered would not live longer than that.
            base.execute(f"CREATE TEMP TABLE t{i} AS SELECT * FROM given{i}")
            base.execute(text.replace("CREATE OR REPLACE VIEW", "CREATE OR REPLACE TEMP VIEW", 1))
            check_rows(case, base.execute(f"SELECT * FROM v{i}").fetchall())


class Postgres:
    """A server, given as a function that runs a script and gives what it prints."""

    def __init__(self, psql):
        self.psql = psql

    def usable(self, case):
        return fits_a_database(case) and tame(case)

    def write(self, case, number=0):
        table = f"t{number}"
        return to_sql(case.ensemble, "postgres", table, "select", case.output, True, ["id"])

    def check(self, cases):
        # Nothing stays in the database, so the next cases find it empty.
        script = ["BEGIN;"]
        for i, case in enumerate(cases):
            query = self.write(case, i)
            # In hexadecimal, since psql does not print every character.
            answer = f"SELECT convert_to(json_agg(q)::text, 'UTF8') FROM ({query}) AS q;"
            script += [*self.tables(case, i), answer]
        found = json_values(self.psql("\n".join([*script, "ROLLBACK;"])))
        for case, rows in zip(cases, found, strict=True):
            check_rows(case, [tuple(row.values()) for row in rows])

    def tables(self, case, i):
        # PostgreSQL does not compute with truth values.
        computed = {name for p in case.propositions((Proposition, Product)) for name in p.columns}
        types = {
            name: "BIGINT" if kind == "bool" and name in computed else TYPES[kind]
            for name, kind in zip(case.ensemble.columns, case.kinds, strict=True)
        }
        columns = "".join(f", {quoted(name)} {kind}" for name, kind in types.items())
        yield f"CREATE TABLE t{i} (id INTEGER{columns});"
        kinds = ["BIGINT", *types.values()]
        rows = [", ".join(map(self.literal, [j, *row], kinds)) for j, row in enumerate(case.rows)]
        yield f"INSERT INTO t{i} VALUES ({'), ('.join(rows)});"

    def literal(self, value, kind):
        if value is None:
            return "NULL"
        if kind == "BIGINT":
            return str(int(value))
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return f"'{value!r}'" if isinstance(value, float) else repr(value)
