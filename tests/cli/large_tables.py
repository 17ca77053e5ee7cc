"""The table of patients in several files and databases."""

import sqlite3

import duckdb
import pandas as pd
from cli.patients import patients

# How each source is named on the command line.
SOURCES = {
    "CSV": ("c*.csv",),
    "Parquet": ("p*.parquet",),
    "DuckDB": ("t.duckdb", "--table", "patients"),
    "SQLite": ("sqlite:///t.sqlite", "--table", "patients"),
}


def write_everywhere(folder, rows=300):
    """Write the table to all kinds of sources, and to one file ``whole.csv``."""
    people = pd.DataFrame(patients(rows))
    people.to_csv(folder / "whole.csv", index=False)
    for k, part in enumerate((people[:100], people[100:101], people[101:])):
        part.to_csv(folder / f"c{k}.csv", index=False)
        part.to_parquet(folder / f"p{k}.parquet", index=False)
    with sqlite3.connect(folder / "t.sqlite") as connection:
        people.to_sql("patients", connection, index=False)
    connection.close()
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE patients AS SELECT * FROM people")
    return folder
