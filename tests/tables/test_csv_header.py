import pytest

from sorb.tables.csv_header import has_header, looks_like_data
from sorb.tables.reading import Reading


def rows(text):
    return [line.split(",") for line in text.split()]


@pytest.mark.parametrize(
    "text",
    [
        "age,sex 40,f 41,m",
        "age,2020 40,1 41,2",  # one name is a number, but the other is not
        ",age 0,40 1,41",
        "a,b yes,no no,no",
        "sex,ill m,yes f,no",
        "age,sex",
        "age,? 40,1",
        "a 1",
    ],
)
def test_names_are_no_data(text):
    assert not looks_like_data(rows(text))


@pytest.mark.parametrize(
    "text",
    [
        "39,f 40,f 41,m",
        "39,f,? 40,f,1 41,m,2",
        "39,,f 40,1,f",
        "1.5,1.5 2,3",
        "-1e3;5 2;3".replace(";", ","),
        "yes,m no,f yes,m",
        "1 2",
    ],
)
def test_numbers_above_numbers_are_data(text):
    assert looks_like_data(rows(text))


def test_lines_with_other_numbers_of_cells_do_not_count():
    assert not looks_like_data(rows("age,sex 40,f 41 42,m,x"))
    assert looks_like_data(rows("39,f 40,f 41 42,m,x"))


DATA = rows("39,f 40,m")


def test_a_doubtful_header_is_asked_about():
    doubts = []

    def confirm(doubt):
        doubts.append(doubt)
        return True

    assert not has_header(DATA, "t.csv", Reading(confirm_data=confirm))
    assert has_header(DATA, "t.csv", Reading(confirm_data=lambda doubt: False))
    assert doubts == ["t.csv: the first line looks like data, not like names: '39', 'f'"]


def test_without_anybody_to_ask_it_is_an_error():
    with pytest.raises(ValueError, match=r"'39', 'f'\. Use --no-header if .* or --header if these"):
        has_header(DATA, "t.csv", Reading())


@pytest.mark.parametrize("said", [True, False])
def test_what_is_said_is_done(said):
    for table in (DATA, rows("age,sex 40,f")):
        assert has_header(table, "t.csv", Reading(header=said)) == said
