import pytest

from sorb.tables.excel_header import Merged, find_header


@pytest.mark.parametrize(
    ("cells", "merged", "expected"),
    [
        ([["a", "b"], [1.0, 2.0]], [], (0, 1)),
        ([["Title", ""], ["a", "b"], [1.0, 2.0]], [], (1, 2)),
        ([["Title", "Title"], ["a", "b"], [1.0, 2.0]], [Merged(0, 0, 0, 1)], (1, 2)),
        ([["", "g", "g"], ["a", "b", "c"], [1.0, 2.0, 3.0]], [Merged(0, 1, 0, 2)], (0, 2)),
        # What is below a wide name are values, not names.
        ([["", "g", "g"], ["a", 1.0, 2.0]], [Merged(0, 1, 0, 2)], (0, 1)),
        ([["a", "b"], ["x", ""]], [], (0, 1)),
        ([["a"], ["x"]], [], (0, 1)),
        # Merged far below.
        ([["a", "b"], ["x", "x"], ["y", "z"]], [Merged(1, 0, 1, 1)], (0, 1)),
    ],
)
def test_the_header_is_found(cells, merged, expected):
    header = find_header(cells, merged)
    assert (header.start, header.end) == expected


def test_what_is_merged_beyond_the_cells_is_cut():
    cells = [["a", ""], ["", ""]]
    for area in (Merged(0, 0, 9, 9), Merged(5, 5, 6, 6), Merged(0, 7, 0, 8)):
        area.fill(cells)
    assert cells == [["a", "a"], ["a", "a"]]
