import pyarrow as pa
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
