import os
import sys
import threading

import pyarrow as pa
import pytest
from tables.file_contents import TEXT, VALUES, parquet, read_table, values

from sorb.tables.arrow import cells, replace_columns
from sorb.tables.files import open_file
from sorb.tables.reading import Reading


def compressed(codec, text=TEXT):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(text.encode())
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd"])
def test_compressed_files_are_known_by_their_content(codec, file):
    assert values(read_table(file(compressed(codec)))) == VALUES


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd"])
def test_a_small_file_that_becomes_a_huge_one_is_refused(codec, file, monkeypatch):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 1_000_000)
    content = compressed(codec, "a,b\n" + "1,2\n" * 500_000)
    with pytest.raises(ValueError, match="more than 200 times its size: if it is a table"):
        read_table(file(content))


def test_a_table_that_grows_as_tables_do_may_be_of_any_size(file, monkeypatch):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 10)
    assert values(read_table(file(compressed("gzip")))) == VALUES


def test_parquet_is_known_by_its_content(file):
    assert values(read_table(file(parquet(VALUES), "table.data"))) == VALUES


@pytest.mark.parametrize("content", [TEXT, compressed("gzip"), parquet(VALUES)])
def test_standard_input_may_hold_any_of_them(content, standard_input):
    standard_input(content)
    assert values(read_table("-")) == VALUES


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_read_though_nobody_can_go_back_in_them(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(parquet(VALUES),))
    writer.start()
    assert values(read_table(str(pipe))) == VALUES
    writer.join()


def test_only_wanted_columns_are_read_in_the_order_they_are_wanted(file):
    wanted = ["sure", "age"]
    assert read_table(file(TEXT), wanted).column_names == ["sure", "age"]
    assert read_table(file(parquet(VALUES)), wanted).column_names == ["sure", "age"]


def test_a_table_without_columns_keeps_its_rows():
    assert replace_columns(pa.table({"a": [1, 2]}).select([]), {}).num_rows == 2


def test_empty_columns_are_missing_numbers(file):
    table = read_table(file("a,b\n1,\n2,\n"))
    assert table.schema.field("b").type == pa.float64()
    assert cells(table, "b") == [None, None]
    table = read_table(file(parquet({"b": pa.array([None, None], pa.string())})))
    assert table.schema.field("b").type == pa.float64()


def test_not_a_number_is_missing(file):
    assert cells(read_table(file(parquet({"a": [1.0, float("nan")]}))), "a") == [1.0, None]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("a,b\n", "has no rows"),
        ("a,b\n1,2\n3,4,5\n", "line 3: expected 2 cells, as in the header, found 3"),
        ("a,b\n1\n", "line 2: expected 2 cells, as in the header, found 1"),
        (
            'a,b\n1,2\n"3,4\n5,6\n',
            r"line 3: expected 2 cells, as in the header, found 1 \(is a quote not closed\?\)",
        ),
        ('a,b\n1,x\n2,"y\n3,z\n', "line 3: a quote is not closed"),
        ('a,b\n1,x\n2,"y\n' + "3,z\n" * 50_000, "line 3: a quote is not closed"),
        (f"a,b\n1,{'x' * 200_000}\n3,4,5\n", "line 3: expected 2 cells, as in the header, found 3"),
        ('a,b\n1,\0\n2,"y\n', "line 3: a quote is not closed"),
        ("a,a\n1,2\n", "two columns 'a'"),
        (b"a,b\n1,\x81\n", "is not text in windows-1252: name its encoding"),
        (
            b"a,b\n" + b"1,2\n" * 10_000 + b"1,\x81\n",
            "is not text in windows-1252: name its encoding",
        ),
        (b"\xff\xfea\x00,\x00b\x00\n\x00", "has no rows"),
        (b"PAR1 and nothing else", "arquet"),
        (b"\x1f\x8bnothing", "cannot be decompressed"),
        (parquet({"a": [[1, 2]]}), "column 'a'"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*is not in UTF-8")
def test_errors_say_what_is_wrong(content, words, file):
    path = file(content)
    with pytest.raises(ValueError, match=words) as error:
        read_table(path)
    assert str(error.value).startswith(path)


@pytest.mark.parametrize("content", [TEXT, parquet(VALUES)])
def test_a_missing_column_is_named(content, file):
    with pytest.raises(ValueError, match=r"has no column 'groop'"):
        read_table(file(content), ["groop"])


def test_cells_are_found_in_the_file(file):
    with open_file(file('sep=;\na;b\n1;"x\ny"\n\n2; NA\n')) as opened:
        assert opened.read().num_rows == 2
        assert [opened.locate(row, "b") for row in (0, 1)] == [(3, "x\ny"), (6, " NA")]


def test_cells_of_a_single_column_are_found_in_the_file(file):
    with open_file(file("\na\n1\n\nx\n")) as opened:
        assert opened.read().num_rows == 3
        assert [opened.locate(row, "a") for row in (1, 2)] == [(4, ""), (5, "x")]


@pytest.mark.parametrize("content", [b"id,a\n" + b"1,2\n" * 10_000 + b"\xff,2\n"])
def test_texts_that_are_none_are_named(content, file):
    with pytest.raises(ValueError, match=r"column #0.*UTF8"):
        read_table(file(content), reading=Reading(encoding="utf-8"), as_text=["id"])


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="only Linux has this file")
def test_a_file_that_cannot_be_read_is_named():
    with pytest.raises(OSError, match="/proc/self/mem"):
        read_table("/proc/self/mem")


def test_without_pyarrow_the_extra_is_named(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install .*\[tables\]"'):
        read_table(file(TEXT))
