import io
import os
import sys
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sorb.tables.arrow import cells, is_text, replace_columns, to_texts
from sorb.tables.files import open_file

TEXT = "age,group,when,sure\n40,A,2020-01-02,true\n,B,,\n41.5,,2021-03-04,false\n"
VALUES = {"age": [40.0, None, 41.5], "group": ["A", "B", None], "sure": [True, None, False]}


@pytest.fixture
def file(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


@pytest.fixture
def standard_input(monkeypatch):
    def give(content):
        data = content.encode() if isinstance(content, str) else content
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def read_table(source, columns=None, **options):
    with open_file(source) as file:
        return file.read(columns, **options)


def values(table, names=VALUES):
    return {name: cells(table, name) for name in names}


def parquet(columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def compressed(codec):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(TEXT.encode())
    return sink.getvalue().to_pybytes()


# --- what is read


def test_csv_has_numbers_texts_dates_and_missing_values(file):
    table = read_table(file(TEXT))
    assert table.column_names == ["age", "group", "when", "sure"]
    assert values(table) == VALUES
    assert [is_text(table, name) for name in VALUES] == [False, True, False]
    assert pa.types.is_temporal(table.schema.field("when").type)


@pytest.mark.parametrize("word", ["NA", "<NA>", "N/A", "nan", "NULL", "?", ""])
def test_words_for_missing_values(word, file):
    assert cells(read_table(file(f"a,b\n1,x\n{word},{word}\n")), "b") == ["x", None]


def test_none_is_missing_among_numbers_and_a_word_among_texts(file):
    table = read_table(file("a,b\n1,x\nNone,None\n"))
    assert values(table, "ab") == {"a": [1.0, None], "b": ["x", "None"]}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_are_found(separator, file):
    assert values(read_table(file(TEXT.replace(",", separator)))) == VALUES


@pytest.mark.parametrize("codec", ["gzip", "bz2", "zstd"])
def test_compressed_files_are_known_by_their_content(codec, file):
    assert values(read_table(file(compressed(codec)))) == VALUES


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


@pytest.mark.parametrize("separator", [";", "\t"])
def test_european_decimals_are_found_in_each_column_for_itself(separator, file):
    lines = ["age;bmi;dose", *["40;26;1.5"] * 100, "41;25,3;2"]
    table = read_table(file("\n".join(lines).replace(";", separator)))
    assert {name: cells(table, name)[-2:] for name in ("bmi", "dose")} == {
        "bmi": [26.0, 25.3],
        "dose": [1.5, 2.0],
    }


@pytest.mark.parametrize(
    ("text", "commas", "expected"),
    [
        ('a,b\n"25,3",1\n', None, ["25,3"]),
        ('a,b\n"25,3",1\n', True, [25.3]),
        ("a;b\n25,3;1\n", None, [25.3]),
        ("a;b\n25,3;1\n", False, ["25,3"]),
        ("a;b\n25,3;1\n19.900,5;1\n", None, ["25,3", "19.900,5"]),
    ],
)
def test_whether_commas_are_decimal_can_be_said(text, commas, expected, file):
    assert cells(read_table(file(text), commas=commas), "a") == expected


def test_the_line_that_tells_excel_the_separator_is_no_header(file):
    table = read_table(file(b"\xef\xbb\xbfsep=;\r\na;b,c\r\n1;2\r\n"))
    assert values(table, table.column_names) == {"a": [1], "b,c": [2]}
    with pytest.raises(ValueError, match="line 4: expected 2 cells, as in the header, found 1"):
        read_table(file("sep=;\na;b\n1;2\n3\n"))


def test_byte_order_mark_is_no_part_of_the_first_name(file):
    assert read_table(file(b"\xef\xbb\xbfage,b\n1,2\n")).column_names == ["age", "b"]


def test_quoted_cells_hold_separators_and_line_ends(file):
    table = read_table(file('"a, b",c\n"x\ny",1\n"p, q",2\n'))
    assert values(table, ["a, b"]) == {"a, b": ["x\ny", "p, q"]}


def test_a_column_may_turn_out_to_be_no_integers_only_late(file):
    table = read_table(file("a,b\n" + "1,2\n" * 400_000 + "1.5,x\n"))
    assert cells(table, "a")[-2:] == [1.0, 1.5]
    assert is_text(table, "b")


def test_columns_without_a_name_are_row_numbers(file):
    assert read_table(file(",a,\n0,5,0\n1,6,1\n")).column_names == ["a"]
    numbered = parquet({"a": [5, 6], "__index_level_0__": [0, 1]})
    assert read_table(file(numbered)).column_names == ["a"]


def test_only_wanted_columns_are_read_in_the_order_they_are_wanted(file):
    wanted = ["sure", "age"]
    assert read_table(file(TEXT), wanted).column_names == ["sure", "age"]
    assert read_table(file(parquet(VALUES)), wanted).column_names == ["sure", "age"]


def test_cells_can_be_taken_for_texts(file):
    table = read_table(file("id,a\n007,1\nNA,2\n"), ["id"], as_text=["id"])
    assert cells(table, "id") == ["007", None]
    table = to_texts(read_table(file(parquet({"id": [7, None]}))), ["id"])
    assert cells(table, "id") == ["7", None]


def test_columns_stay_in_their_place_if_some_are_replaced():
    table = pa.table({"a": [5, 6], "b": ["x", "y"], "c": [7, 8]})
    changed = to_texts(table, ["c", "a"])
    assert changed.to_pydict() == {"a": ["5", "6"], "b": ["x", "y"], "c": ["7", "8"]}


def test_a_table_without_columns_keeps_its_rows():
    assert replace_columns(pa.table({"a": [1, 2]}).select([]), {}).num_rows == 2


def test_cells_may_be_kept_as_they_are_written(file):
    table = read_table(file("id,a\n007,1\nNA,2\n?,3\n,4\n"), as_written=["id"])
    assert cells(table, "id") == ["007", "NA", "?", None]


def test_texts_of_parquet_may_be_views(file):
    views = pa.array(["x", None], pa.string_view())
    assert values(read_table(file(parquet({"a": views}))), "a") == {"a": ["x", None]}


def test_empty_columns_are_missing_numbers(file):
    table = read_table(file("a,b\n1,\n2,\n"))
    assert table.schema.field("b").type == pa.float64()
    assert cells(table, "b") == [None, None]
    table = read_table(file(parquet({"b": pa.array([None, None], pa.string())})))
    assert table.schema.field("b").type == pa.float64()


def test_not_a_number_is_missing(file):
    assert cells(read_table(file(parquet({"a": [1.0, float("nan")]}))), "a") == [1.0, None]


def test_cells_may_be_long(file):
    long = "x" * 200_000
    assert cells(read_table(file(f'a,b\n1,{long}\n2,5" pipe\n')), "b") == [long, '5" pipe']


# --- what is refused


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
        (b"a,b\n1,\xff\n", "UTF-8"),
        (b"a,b\n" + b"1,2\n" * 10_000 + b"1,\xff\n", "column 'b': not text in UTF-8"),
        (b"\xff\xfea\x00,\x00", "neither Parquet nor CSV in UTF-8"),
        (b"PAR1 and nothing else", "arquet"),
        (b"\x1f\x8bnothing", "cannot be decompressed"),
        (parquet({"a": [[1, 2]]}), "column 'a'"),
    ],
)
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


@pytest.mark.parametrize("content", [b"id,a\n" + b"1,2\n" * 10_000 + b"\xff,2\n"])
def test_texts_that_are_none_are_named(content, file):
    with pytest.raises(ValueError, match=r"column #0.*UTF8"):
        read_table(file(content), as_text=["id"])


def test_long_reasons_are_cut(file, monkeypatch):
    def failing(*arguments, **options):
        raise pa.ArrowInvalid("x" * 5000)

    monkeypatch.setattr("pyarrow.csv.read_csv", failing)
    with pytest.raises(ValueError, match=r"x{200}…$"):
        read_table(file(TEXT))


def test_without_pyarrow_the_extra_is_named(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "sorb\[tables\]"'):
        read_table(file(TEXT))
