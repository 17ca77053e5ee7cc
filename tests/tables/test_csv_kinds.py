import pyarrow as pa
import pytest

from sorb.tables.csv_kinds import Kind, find_kinds, read_piece
from sorb.tables.files import open_file

COLUMNS = {
    "whole": ["1", "-2", "NA", "30"],
    "number": ["1", "2.5", "", "None"],
    "comma": ["2,5", "3", "?", "-0,5"],
    "truth": ["true", "false", "", "TRUE"],
    "day": ["2020-01-01", "", "2021-12-31", "2020-02-29"],
    "text": ["1", "x", "NA", "2"],
    "large": ["1", "99999999999999999999", "", "2"],
    "empty": ["", "NA", "?", ""],
}


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_pieces_hold_what_the_whole_file_does(cut, tmp_path):
    path = tmp_path / "t.csv"
    lines = [";".join(COLUMNS), *(";".join(row) for row in zip(*COLUMNS.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    table = pa.table(COLUMNS)
    pieces = [table.slice(k, cut) for k in range(0, len(table), cut)]
    kinds = find_kinds(pieces, (), commas=True)
    found = pa.concat_tables([read_piece(piece, kinds, commas=True) for piece in pieces])
    with open_file(str(path)) as file:
        expected = file.read()
    for name in {*COLUMNS} - {"day", "large"}:
        assert found[name].to_pylist() == expected[name].to_pylist(), name
    assert (kinds["day"], kinds["large"]) == (Kind.DATE, Kind.TEXT)


def test_codes_are_texts_without_decimals():
    piece = pa.table({"zip": ["01234", "5.0", "NA"]})
    kinds = find_kinds([piece], ["zip"], commas=False)
    assert read_piece(piece, kinds, commas=False)["zip"].to_pylist() == ["01234", "5", None]
