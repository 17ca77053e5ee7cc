import io
import re
import uuid

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
        pa.array([1] * 50_000, pa.decimal256(50)),
        pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16] * 80_000, pa.binary(16))),
    ],
    ids=["numbers", "texts", "large texts", "categories", "distinct texts", "decimals", "uuids"],
)
def test_a_small_file_cannot_fill_the_memory(file, column, monkeypatch):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 1_000_000)
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_GROWTH", 1)
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


@pytest.mark.parametrize(
    "column",
    [
        pa.array([b"x" * 1000] * 100_000, pa.binary(1000)),
        pa.ExtensionArray.from_storage(pa.json_(), pa.array(["x" * 1000] * 100_000)),
        pa.array([b"x", b"\xff"] * 1000).dictionary_encode(),
    ],
    ids=["bytes", "json", "dictionary of bytes"],
)
def test_types_that_are_neither_numbers_nor_texts_nor_dates_are_refused_unread(
    file, column, monkeypatch
):
    source = file(parquet({"a": column}))
    monkeypatch.setattr("pyarrow.parquet.ParquetFile.read", None)
    words = rf"column 'a': expected numbers, texts or dates, found the type {column.type}"
    with pytest.raises(ValueError, match=re.escape(words)):
        read_table(source)


def test_a_uuid_is_read_as_a_text(file):
    some = uuid.UUID(int=7)
    storage = pa.array([some.bytes, None], pa.binary(16))
    table = read_table(file(parquet({"a": pa.ExtensionArray.from_storage(pa.uuid(), storage)})))
    assert values(table, "a") == {"a": [str(some), None]}


@pytest.mark.parametrize("kind", [pa.string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_that_are_not_unicode_are_refused_by_their_column(file, kind):
    wrong = pa.array([b"x", b"\xff"]).cast(pa.string(), safe=False).cast(kind)
    with pytest.raises(ValueError, match=r"table\.csv, column 'a': not text in UTF-8"):
        read_table(file(parquet({"a": wrong})))


def test_a_broken_file_is_named(file):
    with pytest.raises(ValueError, match=r"table\.csv: "):
        read_table(file(b"PAR1" + b"\0" * 100 + b"PAR1"))
