import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables.file_contents import read_table
from tables.test_excel_file import excel

from sorb.tables.arrow import cells
from sorb.tables.missing_marks import empty_marked
from sorb.tables.reading import MissingMarks, Reading

MARKS = MissingMarks(("-999", "unknown"), {"dose": ("-1", "none"), "ward": ("9",)})
# Before and after.
COLUMNS = {
    "age": ([40, -999, 42], [40, None, 42]),
    "size": ([1.5, -999.0, -1.0], [1.5, None, -1.0]),
    "sex": (["f", "unknown", "none"], ["f", None, "none"]),
    "ward": (["A", "9", "B"], ["A", None, "B"]),
}
MIXED = {
    "dose": (["1", "none", "-1.0"], [1, None, None]),
    "sum": (["unknown", "2", "-999.00"], [None, 2, None]),
}


def table_of(columns):
    return {name: before for name, (before, _) in columns.items()}


def csv(columns):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(map(str, row)) for row in rows)


def parquet(columns):
    content = io.BytesIO()
    pq.write_table(pa.table(columns), content)
    return content.getvalue()


def workbook(columns):
    return excel(D=[list(columns), *map(list, zip(*columns.values(), strict=True))])


@pytest.mark.parametrize("write", [csv, parquet, workbook])
def test_marks_are_missing_in_all_kinds_of_files(write, file):
    marks = MissingMarks(MARKS.everywhere, {"ward": ("9",)})
    table = read_table(file(write(table_of(COLUMNS))), reading=Reading(missing=marks))
    for name, (_, after) in COLUMNS.items():
        assert cells(table, name) == after


@pytest.mark.parametrize("write", [csv, workbook])
def test_marks_among_numbers_that_are_written_as_texts(write, file):
    table = read_table(file(write(table_of(MIXED))), reading=Reading(missing=MARKS_OF_MIXED))
    for name, (_, after) in MIXED.items():
        assert cells(table, name) == after


MARKS_OF_MIXED = MissingMarks(MARKS.everywhere, {"dose": ("-1", "none")})


def test_a_mark_of_one_column_is_a_value_of_another(file):
    marks = MissingMarks((), {"a": ("9",)})
    table = read_table(file("a,b\n9,9\n1,2\n"), reading=Reading(missing=marks))
    assert table.to_pydict() == {"a": [None, 1], "b": [9, 2]}


def test_columns_with_marks_of_their_own_are_understood_as_others_are(file):
    text = "when,sure,name\n2020-01-02 03:04:05,true,x\nnever,never,never\n"
    own = dict.fromkeys(("when", "sure", "name"), ("never",))
    plain = read_table(file(text.replace("never", "NA")))
    for marks in (MissingMarks((), own), MissingMarks(("never",))):
        table = read_table(file(text), reading=Reading(missing=marks))
        assert table.to_pydict() == plain.to_pydict()


def test_texts_and_what_is_kept_as_it_is_written(file):
    marks = Reading(missing=MissingMarks(("-9",)))
    table = read_table(
        file("id,code\n-9,-9\n1,01\n"), reading=marks, as_text=["code"], as_written=["id"]
    )
    assert table.to_pydict() == {"id": ["-9", "1"], "code": [None, "01"]}


def test_marks_for_a_column_that_is_not_there_are_refused(file):
    marks = MissingMarks((), {"agee": ("9",)})
    with pytest.raises(ValueError, match=r"no column 'agee' for --missing; it has 'age'"):
        read_table(file("age\n9\n"), reading=Reading(missing=marks))


def test_numbers_of_any_type_are_compared_as_numbers():
    values = [-999, 2**53 + 1, None]
    table = pa.table(
        {
            "int": pa.array(values, pa.int64()),
            "decimal": pa.array([-999, 1, None], pa.decimal128(9, 2)),
            "sure": [True, False, None],
            "category": pa.array(["-999", "x", None]).dictionary_encode(),
        }
    )
    assert empty_marked(table, MissingMarks(("-999.0", "-999", "1e400"))).to_pydict() == {
        "int": [None, 2**53 + 1, None],
        "decimal": [None, 1, None],
        "sure": [True, False, None],
        "category": [None, "x", None],
    }
