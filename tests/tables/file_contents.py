"""A table as a file, and what is read from it."""

import io

import pyarrow as pa
import pyarrow.parquet as pq

from sorb.tables.arrow import cells
from sorb.tables.files import open_file
from sorb.tables.reading import FIND_OUT

TEXT = "age,group,when,sure\n40,A,2020-01-02,true\n,B,,\n41.5,,2021-03-04,false\n"
VALUES = {"age": [40.0, None, 41.5], "group": ["A", "B", None], "sure": [True, None, False]}


def read_table(source, columns=None, reading=FIND_OUT, **options):
    with open_file(source, reading) as file:
        return file.read(columns, **options)


def values(table, names=VALUES):
    return {name: cells(table, name) for name in names}


def parquet(columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()
