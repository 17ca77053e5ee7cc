import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.tables.csv_format import CsvFormat, find_fault

NAMES = st.text("abc, ;\t\"'é=.", min_size=1, max_size=6).filter(str.strip)


@settings(derandomize=True, max_examples=40)
@given(
    names=st.lists(NAMES, min_size=2, max_size=5, unique=True),
    rows=st.integers(1, 4),
    separator=st.sampled_from(",;\t"),
)
def test_the_separator_is_found_whatever_the_names_hold(names, rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *[[k + 0.5 for k in range(len(names))]] * rows])
    form = CsvFormat.of(io.StringIO(text.getvalue(), newline=""))
    assert form == CsvFormat(tuple(names), separator)


@pytest.mark.parametrize(
    ("text", "columns", "separator"),
    [
        ("a\n1\n", ("a",), ","),
        ("a;b,c\n1;2\n", ("a", "b,c"), ";"),
        ("a,b;c\n1,2\n", ("a", "b;c"), ","),
    ],
)
def test_the_separator_is_the_one_that_the_lines_agree_on(text, columns, separator):
    assert CsvFormat.of(text.splitlines(True)) == CsvFormat(columns, separator)


@pytest.mark.parametrize("lines", [["1,2\n"], ['"1\n', '2",3\n'], ["\n", '5",x\n'], ['"a""b",c\n']])
def test_a_table_without_faults_has_none(lines):
    assert find_fault(["a,b\n", *lines], CsvFormat(("a", "b"), ",")) is None
