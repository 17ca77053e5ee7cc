import datetime
import io
import zipfile

import pytest
import xlsxwriter
from tables.file_contents import read_table
from tables.test_packed_files import zipped

from sorb.tables.files import open_file
from sorb.tables.reading import FIND_OUT, Reading

ROWS = [["age", "sex"], [40, "f"], [41, "m"]]


def write_rows(sheet, rows, first=0):
    for k, row in enumerate(rows, start=first):
        sheet.write_row(k, 0, row)


def excel(**sheets):
    """A workbook with a sheet for each list of rows, or for each function that fills one."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            rows(sheet, book) if callable(rows) else write_rows(sheet, rows)
    return content.getvalue()


def columns(content, file, reading=FIND_OUT, **options):
    return read_table(file(content), reading=reading, **options).to_pydict()


def test_the_columns_are_what_the_cells_hold(file):
    rows = [
        ["whole", "number", "sure", "name", "mixed", "commas"],
        [1, 1.5, True, "x", 1, "25,3"],
        [None, None, None, " ", "", ""],
        [2.0, 2, False, "NA", "b", "26"],
    ]
    del rows[2]
    found = read_table(file(excel(Data=rows)), reading=Reading(decimal_commas=True))
    assert found.to_pydict() == {
        "whole": [1, 2],
        "number": [1.5, 2.0],
        "sure": [True, False],
        "name": ["x", None],
        "mixed": ["1", "b"],
        "commas": [25.3, 26.0],
    }
    assert str(found.schema.field("whole").type) == "int64"


def test_cells_may_be_kept_as_texts(file):
    table = [["id", "code"], [7, 1.5], ["?", True], ["008", "x"]]
    found = columns(excel(D=table), file, as_text=["code"], as_written=["id"])
    assert found == {"id": ["7", "?", "008"], "code": ["1.5", "true", "x"]}


def test_dates_times_and_durations_are_known(file):
    day = datetime.datetime(2020, 1, 2)

    def fill(sheet, book):
        sheet.write_row(0, 0, ["day", "moment", "time"])
        clock = book.add_format({"num_format": "hh:mm"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        sheet.write_datetime(1, 0, day)
        sheet.write_datetime(1, 1, day.replace(hour=3), moment)
        sheet.write_datetime(1, 2, datetime.time(12, 30), clock)

    assert columns(excel(D=fill), file) == {
        "day": [day],
        "moment": [day.replace(hour=3)],
        "time": [datetime.time(12, 30)],
    }


def test_formulas_are_their_values_and_errors_are_missing(file):
    def fill(sheet, book):
        sheet.write_row(0, 0, ["a", "b"])
        for row, (value, error) in enumerate([(2, "#N/A"), (3, "#DIV/0!")], start=1):
            sheet.write_formula(row, 0, "=1+1", None, value)
            sheet.write_formula(row, 1, "=NA()", None, error)

    assert columns(excel(D=fill), file) == {"a": [2, 3], "b": [None, None]}


def test_titles_and_empty_rows_and_columns_do_not_count(file):
    def fill(sheet, book):
        sheet.write(1, 0, "Patients of 2020")
        write_rows(sheet, ROWS, first=3)
        sheet.write_row(9, 0, [42, "f"])
        sheet.write_blank(500, 7, None, book.add_format({"bold": True}))

    assert columns(excel(D=fill), file) == {"age": [40, 41, 42], "sex": ["f", "m", "f"]}


def test_headers_that_are_merged_are_joined(file):
    def fill(sheet, book):
        sheet.merge_range(0, 0, 0, 3, "All patients")
        sheet.merge_range(1, 0, 2, 0, "id")
        sheet.merge_range(1, 1, 1, 2, "blood")
        write_rows(sheet, [["", "low", "high", "age"], [1, 80, 120, 40]], first=2)
        sheet.write(1, 3, "")
        sheet.write(2, 0, "id")

    found = columns(excel(D=fill), file)
    assert found == {"id": [1], "blood low": [80], "blood high": [120], "age": [40]}


def test_cells_that_are_merged_below_the_header_have_one_value(file):
    def fill(sheet, book):
        write_rows(sheet, [["ward", "age"], ["", 40], ["", 41], ["B", 42]])
        sheet.merge_range(1, 0, 2, 0, "A")

    assert columns(excel(D=fill), file) == {"ward": ["A", "A", "B"], "age": [40, 41, 42]}


def test_a_sheet_of_one_column_has_no_title(file):
    assert columns(excel(D=[["age"], [40], [41]]), file) == {"age": [40, 41]}


def test_the_first_sheet_is_read_unless_another_is_named(file):
    told = []
    content = excel(Patients=ROWS, Codes=[["b"], [1]], Notes=[])
    assert list(columns(content, file, Reading(tell=told.append))) == ["age", "sex"]
    assert "has 3 sheets: the first, 'Patients', is read, not 'Codes', 'Notes'" in told[0]
    assert columns(content, file, Reading(sheet="Codes")) == {"b": [1]}
    with pytest.raises(ValueError, match=r"no sheet 'Code': there are 'Patients', 'Codes'"):
        columns(content, file, Reading(sheet="Code"))
    with pytest.raises(ValueError, match=r"sheet 'Notes' is empty"):
        columns(content, file, Reading(sheet="Notes"))


def test_hidden_sheets_are_only_read_if_they_are_named(file):
    def hidden(sheet, book):
        write_rows(sheet, [["b"], [1]])
        sheet.hide()

    content = excel(Patients=ROWS, Hidden=hidden)
    assert list(columns(content, file)) == ["age", "sex"]
    assert columns(content, file, Reading(sheet="Hidden")) == {"b": [1]}


def test_a_sheet_without_a_header_is_asked_about(file):
    content = excel(D=ROWS[1:])
    with pytest.raises(ValueError, match=r"the first line looks like data.*'40', 'f'"):
        columns(content, file)
    assert columns(content, file, Reading(header=False)) == {"x0": [40, 41], "x1": ["f", "m"]}
    assert columns(content, file, Reading(header=True)) == {"40": [41], "f": ["m"]}


def test_columns_without_a_name(file):
    content = excel(D=[["", "a", "", ""], [0, 5, 7, ""], [1, 6, 8, ""]])
    with open_file(file(content)) as opened:
        assert list(opened.left_out) == ["column_1"]
        assert opened.read().to_pydict() == {"a": [5, 6], "column_3": [7, 8]}


def test_two_columns_of_one_name_are_refused(file):
    with pytest.raises(ValueError, match="two columns 'a'"):
        columns(excel(D=[["a", "a"], [1, 2]]), file)


def test_a_workbook_that_would_fill_the_memory_is_refused(file, monkeypatch):
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_UNPACKED", 1_000)
    monkeypatch.setattr("sorb.tables.packed_files.LARGEST_GROWTH", 2)
    with pytest.raises(ValueError, match="more than 2 times its size"):
        columns(excel(D=ROWS * 1000), file)


def test_a_workbook_that_lies_about_its_size_is_refused(file):
    content = excel(D=ROWS * 100)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lying = content.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(ValueError, match="is damaged"):
        columns(lying, file)


def test_damaged_workbooks_are_refused(file):
    for content in (zipped({"xl/workbook.xml": "<x"}), excel(D=ROWS)[:2000]):
        with pytest.raises(ValueError, match=r"cannot be (read as an Excel file|unzipped)"):
            columns(content, file)


def test_other_files_have_no_sheets(file):
    with pytest.raises(ValueError, match=r"--sheet names a sheet .* but .*t\.csv is none"):
        read_table(file("a\n1\n", "t.csv"), reading=Reading(sheet="a"))
