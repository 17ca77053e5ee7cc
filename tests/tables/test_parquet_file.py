import pyarrow as pa
from tables.file_contents import parquet, read_table, values


def test_texts_of_parquet_may_be_views(file):
    views = pa.array(["x", None], pa.string_view())
    assert values(read_table(file(parquet({"a": views}))), "a") == {"a": ["x", None]}
