import re

import pyarrow as pa
import pytest
from tables.file_contents import parquet, read_table

from sorb.tables.arrow import cells, to_texts


def test_cells_can_be_taken_for_texts(file):
    table = read_table(file("id,a\n007,1\nNA,2\n"), ["id"], as_text=["id"])
    assert cells(table, "id") == ["007", None]
    table = to_texts(read_table(file(parquet({"id": [7, None]}))), ["id"])
    assert cells(table, "id") == ["7", None]


def test_columns_stay_in_their_place_if_some_are_replaced():
    table = pa.table({"a": [5, 6], "b": ["x", "y"], "c": [7, 8]})
    changed = to_texts(table, ["c", "a"])
    assert changed.to_pydict() == {"a": ["5", "6"], "b": ["x", "y"], "c": ["7", "8"]}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**31 - 1], pa.date32()),
        pa.array([2**62], pa.timestamp("us")),
        pa.array([2**62], pa.duration("s")),
        pa.array([1], pa.timestamp("us", "No/Zone")),
    ],
    ids=lambda column: str(column.type),
)
def test_dates_beyond_those_of_python_are_refused_by_their_column(column):
    words = rf"column 'when' holds a date or time ({column.type})"
    with pytest.raises(ValueError, match=re.escape(words)):
        cells(pa.table({"when": column}), "when")


def test_times_in_an_unknown_zone_cannot_be_texts():
    column = pa.array([1], pa.timestamp("us", "No/Zone"))
    with pytest.raises(ValueError, match=r"column 'when' cannot be turned into texts: .*No/Zone"):
        to_texts(pa.table({"when": column}), ["when"])
