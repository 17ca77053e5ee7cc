import pytest

from sorb.lab.datasets import load
from sorb.tables.text_kinds import MOST_CATEGORIES


def test_what_spreadsheets_write_is_understood(write):
    text = '\ufeff,"a, b", c ,y\r\n0,"1",  x,1\r\n\r\n1,2,"x ",2\r\n2,3,"z\nz",3'
    data = load(write("toy.csv", text), target="y")
    assert data.columns == ("a, b", "c=x", "c=z\nz")
    assert data.X.tolist() == [[1, 1, 0], [2, 1, 0], [3, 0, 1]]


def test_semicolons_and_decimal_commas_are_understood(write):
    data = load(write("toy.csv", "a;b;y\n1,5;x;3\n4;z;6\n2;z;7,5\n"), target="y")
    assert data.columns == ("a", "b=x", "b=z")
    assert (data.X[:, 0].tolist(), data.y.tolist()) == ([1.5, 4, 2], [3, 6, 7.5])


def test_columns_without_a_name_are_left_out(write):
    assert load(write("toy.csv", ",x,,y\n0,1,,2\n1,3,,4\n"), target="y").columns == ("x",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,y\n1,2,3\n4,,5\n", r"toy\.csv, line 3, column 'b': the value is missing \(''\)"),
        ("a,b,y\n1, NA ,3\n4,5,6\n", r"line 2, column 'b': the value is missing \('NA'\)"),
        ("a,b,y\n1,2,3\n4,None,6\n", r"line 3, column 'b': 'None' is not a finite number"),
        ("a,b,y\n1,NA,3\n4,5,6\n", r"line 2, column 'b': the value is missing \('NA'\)"),
        ("a,b,y\n1,u,3\n\n4,?,6\n", r"line 4, column 'b': the value is missing"),
        ("a,b,y\n1,2,3\n4,5,nan\n", r"line 3, column 'y': the value is missing"),
        ("a,b,y\n1,2,3\n4,inf,6\n", r"line 3, column 'b': 'inf' is not a finite number"),
        ("a,b,y\n1,2,3\n4,x,6\n", r"line 3, column 'b': 'x' is not a number, as '2' is.*categ"),
        ("a,b,y\nx,2,3\n4,5,6\n", r"line 2, column 'a': 'x' is not a number, as '4' is"),
        ("a,b,z\n1,2,3\n4,5,6\n", r"no column 'y'; name the target, .* a, b, z"),
        ("a,a,y\n1,2,3\n4,5,6\n", r"has two columns 'a': rename one of them"),
        ("a,b,y\n1,2,3\n4,5\n", r"line 3: expected 3 cells, as in the header, found 2"),
        ("a,b,y\n", r"toy\.csv has no rows"),
        ("", r"toy\.csv is empty"),
        ("a,b,y\n1,2,3\n4,5,3\n", r"target 'y' .*'toy' is 3.0 in all rows"),
        ("y\n1\n2\n", r"'toy' has no column but its target"),
        ("a,y\n1,u\n2,v\n3,w\n", r"target 'y' .* has 3 values: 'u', 'v', 'w'. .*`positive`"),
        (b"a,y\n1,\xff\n", r"not text in utf-8"),
        (b"PAR1", r"toy\.csv: .*arquet"),
    ],
)
def test_a_faulty_table_is_explained(write, text, message):
    path = write("toy.csv", text)
    with pytest.raises(ValueError, match=message) as caught:
        load(path, target="y")
    assert "\n" not in str(caught.value)


def test_names_and_dates_are_no_categories(write):
    rows = "".join(f"person {i},{i}\n" for i in range(MOST_CATEGORIES + 1))
    with pytest.raises(ValueError, match=r"column 'who': 256 different texts.*`ignored`"):
        load(write("toy.csv", f"who,y\n{rows}"), target="y")
