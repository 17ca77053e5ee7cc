import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables.file_contents import parquet, read_table, values


def test_texts_of_parquet_may_be_views(file):
    views = pa.array(["x", None], pa.string_view())
    assert values(read_table(file(parquet({"a": views}))), "a") == {"a": ["x", None]}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0] * 200_000),
        pa.array(["x" * 20_000] * 100),
        pa.array(["x" * 20_000] * 100, pa.large_string()),
        pa.array(["x" * 20_000] * 100).dictionary_encode(),
        pa.array([f"{k:01000d}" for k in range(2000)]),
    ],
    ids=["numbers", "texts", "large texts", "categories", "distinct texts"],
)
def test_a_small_file_cannot_fill_the_memory(file, column, monkeypatch):
    monkeypatch.setattr("sorb.tables.files.LARGEST_UNPACKED", 1_000_000)
    monkeypatch.setattr("sorb.tables.files.LARGEST_GROWTH", 1)
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": column}), sink, compression="zstd")
    with pytest.raises(ValueError, match="unpacks to more than 1 MB, far more than its size"):
        read_table(file(sink.getvalue()))


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
)
def test_texts_keep_their_type(file, kind):
    texts = pa.array(["x", None, "x"], kind)
    assert read_table(file(parquet({"a.b": texts})))["a.b"].type == kind
