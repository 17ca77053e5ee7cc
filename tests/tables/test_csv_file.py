import pyarrow as pa
import pytest
from tables.file_contents import TEXT, VALUES, parquet, read_table, values

from sorb.tables.arrow import cells, is_text
from sorb.tables.files import open_file
from sorb.tables.reading import Reading


def test_csv_has_numbers_texts_dates_and_missing_values(file):
    table = read_table(file(TEXT))
    assert table.column_names == ["age", "group", "when", "sure"]
    assert values(table) == VALUES
    assert [is_text(table, name) for name in VALUES] == [False, True, False]
    assert pa.types.is_temporal(table.schema.field("when").type)


@pytest.mark.parametrize("word", ["NA", "<NA>", "N/A", "nan", "NULL", "?", ""])
def test_words_for_missing_values(word, file):
    assert cells(read_table(file(f"a,b\n1,x\n{word},{word}\n")), "b") == ["x", None]


def test_cells_of_nothing_but_spaces_are_missing(file):
    table = read_table(file('age,sex,note\n40,f ,a\n   , ,\n NA ,m," "\n'))
    assert cells(table, "age") == [40, None, None]
    assert cells(table, "sex") == ["f ", None, "m"]
    assert cells(table, "note") == ["a", None, None]


def test_none_is_missing_among_numbers_and_a_word_among_texts(file):
    table = read_table(file("a,b\n1,x\nNone,None\n"))
    assert values(table, "ab") == {"a": [1.0, None], "b": ["x", "None"]}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_are_found(separator, file):
    assert values(read_table(file(TEXT.replace(",", separator)))) == VALUES


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
    assert cells(read_table(file(text), reading=Reading(decimal_commas=commas)), "a") == expected


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


def test_a_first_column_without_a_name_holds_row_numbers(file):
    for content in (",a,b\n0,5,x\n1,6,y\n", parquet({"__index_level_0__": [0, 1], "a": [5, 6]})):
        with open_file(file(content)) as opened:
            assert next(iter(opened.left_out.values())).startswith("it has no name, like the row")
            assert cells(opened.read(["a"]), "a") == [5, 6]
            assert opened.columns[0] == "a"


def test_other_columns_without_a_name_are_called_by_their_number(file):
    with open_file(file("a,,b, \n1,2,x,\n3,4,y,\n")) as opened:
        assert opened.read().to_pydict() == {"a": [1, 3], "column_2": [2, 4], "b": ["x", "y"]}
        assert opened.left_out == {"column_4": "it has no name"}
        assert opened.locate(1, "column_2") == (3, "4")
        assert [p.to_pydict() for p in opened.text_pieces(["column_2"])] == [
            {"column_2": ["2", "4"]}
        ]


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_without_a_header_has_numbered_columns(end, file):
    path = file(f"40,no,1.5\n\n41,yes,2{end}")
    without = Reading(header=False)
    expected = {"x0": [40, 41], "x1": ["no", "yes"], "x2": [1.5, 2.0]}
    assert read_table(path, reading=without).to_pydict() == expected
    with open_file(path, without) as opened:
        [piece] = opened.text_pieces(["x2"])
        assert piece.to_pydict() == {"x2": ["1.5", "2"]}
        assert opened.locate(1, "x1") == (3, "yes")


def test_faults_of_a_file_without_a_header_are_found(file):
    with pytest.raises(
        ValueError, match=r"line 2: expected 2 cells, as in the first line, found 1"
    ):
        read_table(file("1,2\n3\n"), reading=Reading(header=False))


TABLE = "name;größe\nMüller;1,5\nŠimić;2\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings_are_recognised(encoding, file):
    table = read_table(file(TABLE.encode(encoding)))
    assert table.to_pydict() == {"name": ["Müller", "Šimić"], "größe": [1.5, 2.0]}


def test_other_texts_are_read_as_windows_1252_and_it_is_told(file):
    told = []
    path = file("name,size\nMüller,1.5\n".encode("latin-1"))
    table = read_table(path, reading=Reading(tell=told.append))
    assert table.to_pydict() == {"name": ["Müller"], "size": [1.5]}
    assert told == [
        f"{path} is not in UTF-8, so it is read as Windows-1252, in which it says 'Müller': if "
        "that is wrong, name its encoding with --encoding"
    ]
    with pytest.warns(UserWarning, match="read as Windows-1252"):
        read_table(path)


def test_the_encoding_can_be_named(file):
    path = file("name,size\nŠimić,1.5\n".encode("cp1250"))
    assert cells(read_table(path, reading=Reading(encoding="cp1250")), "name") == ["Šimić"]
    for encoding in ("utf-8", "ascii"):
        with pytest.raises(ValueError, match=rf"is not text in {encoding}: name its encoding"):
            read_table(path, reading=Reading(encoding=encoding))


def test_a_file_is_read_again_without_asking_or_telling(file):
    path = file("40,Müller\n41,Maier\n".encode("latin-1"))
    told = []
    asking = Reading(confirm_data=lambda doubt: True, tell=told.append)
    with open_file(path, asking) as opened:
        settled = opened.settled
    assert read_table(path, reading=settled).column_names == ["x0", "x1"]
    assert len(told) == 1


def test_cells_may_be_kept_as_they_are_written(file):
    table = read_table(file("id,a\n007,1\nNA,2\n?,3\n,4\n"), as_written=["id"])
    assert cells(table, "id") == ["007", "NA", "?", None]


def test_cells_may_be_long(file):
    long = "x" * 200_000
    assert cells(read_table(file(f'a,b\n1,{long}\n2,5" pipe\n')), "b") == [long, '5" pipe']


def test_long_reasons_are_cut(file, monkeypatch):
    def failing(*arguments, **options):
        raise pa.ArrowInvalid("x" * 5000)

    monkeypatch.setattr("pyarrow.csv.read_csv", failing)
    with pytest.raises(ValueError, match=r"x{200}…$"):
        read_table(file(TEXT))


def test_a_header_may_be_long(file):
    name = "x" * 2_000_000
    assert read_table(file(f"a,{name}\n1,2\n")).column_names == ["a", name]


@pytest.mark.parametrize(("start", "line"), [("", 1), ("a,b\n1,2\n", 3)])
def test_a_line_without_end_is_no_table(start, line, file, monkeypatch):
    monkeypatch.setattr("sorb.tables.csv_file.LONGEST_LINE", 1000)
    with pytest.raises(ValueError, match=f", line {line}: too long for a table"):
        read_table(file(start + "0" * 2000))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n\n"])
def test_an_empty_line_of_a_single_column_is_a_missing_value_except_at_the_end(last, end, file):
    text = f"\na\n1\n\n3{last}".replace("\n", end)
    assert values(read_table(file(text)), "a") == {"a": [1, None, 3]}


def test_a_single_column_may_end_in_a_missing_value(file):
    assert values(read_table(file('a\n1\n""\nNA\n\n')), "a") == {"a": [1, None, None]}


def test_a_single_column_of_empty_lines_has_no_rows(file):
    with pytest.raises(ValueError, match="has no rows"):
        read_table(file("a\n\n\n"))


def test_empty_lines_between_several_columns_do_not_count(file):
    assert values(read_table(file("\na,b\n1,2\n\n3,4\n")), "ab") == {"a": [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("large", [2**63, -(2**63) - 1, 10**40])
def test_integers_beyond_64_bits_keep_their_digits(large, file):
    table = read_table(file(f"a,b\n{large},x\n,x\n 7,x\n"))
    assert values(table, "a") == {"a": [large, None, 7]}


@pytest.mark.parametrize("other", ["1e20", "0.5", "1" * 80])
def test_large_numbers_are_floats_if_not_all_are_integers(other, file):
    assert values(read_table(file(f"a,b\n{2**64},x\n{other},x\n")), "a") == {
        "a": [float(2**64), float(other)]
    }


@pytest.mark.parametrize("header", ['"a"q,b', '"' * 1001, '"a,b'])
def test_a_header_with_wrong_quotes_is_not_empty(header, file):
    words = r"table\.csv, line 1: the header has a quote that is not closed, or text after"
    with pytest.raises(ValueError, match=words):
        read_table(file(f"{header}\n1,2\n"))


def test_only_ascii_is_named_as_a_separator(file):
    assert values(read_table(file("sep=é\n1\n")), ["sep=é"]) == {"sep=é": [1]}
