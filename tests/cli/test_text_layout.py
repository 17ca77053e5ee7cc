import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sorb.cli.text_layout import HEIGHT, WIDTH, plot_points

NUMBERS = st.floats(-1e6, 1e6)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12)


def drawn(text):
    """The signs of a plot by column and row, counted from the lower left."""
    rows = text.splitlines()[:HEIGHT]
    starts = [max(row.find("│"), row.find("┤")) + 1 for row in rows]
    return {
        (x, HEIGHT - 1 - k): sign
        for k, (row, start) in enumerate(zip(rows, starts, strict=True))
        for x, sign in enumerate(row[start:])
        if sign != " "
    }


@settings(derandomize=True, max_examples=40)
@given(points=POINTS)
def test_points_are_where_they_belong(points):
    found = drawn(plot_points([("o", points)], "x"))
    assert set(found.values()) == {"o"}
    assert all(0 <= x < WIDTH and 0 <= y < HEIGHT for x, y in found)
    assert len(found) <= len(set(points))
    xs, ys = zip(*points, strict=True)
    if min(xs) < max(xs):
        assert {x for x, _ in found} >= {0, WIDTH - 1}
    if min(ys) < max(ys):
        assert {y for _, y in found} >= {0, HEIGHT - 1}


def test_higher_is_higher_and_later_is_further_right():
    found = drawn(plot_points([("o", [(0, 0.9), (5, 0.5), (10, 0.1)])], "complexity"))
    assert sorted(found) == [(0, HEIGHT - 1), (30, 4), (WIDTH - 1, 0)]


def test_two_signs_in_one_place_become_a_third():
    found = drawn(plot_points([("a", [(0, 0), (0.5, 0)]), ("b", [(0, 0), (1, 1), (1, 1)])], "x"))
    assert found == {(0, 0): "◉", (30, 0): "a", (WIDTH - 1, HEIGHT - 1): "b"}


def test_axes_tell_the_ranges():
    text = plot_points([("o", [(0, 0.25), (12, 1.5)])], "complexity")
    *rows, last = text.splitlines()
    assert (rows[0].split()[0], rows[HEIGHT - 1].split()[0]) == ("1.5", "0.25")
    assert last.split() == ["0", "complexity", "12"]
    assert len({len(last), len(rows[-1])}) == 1


@pytest.mark.parametrize(("columns", "width"), [(200, 60), (80, 60), (50, 43), (10, 20)])
def test_the_plot_is_as_wide_as_the_terminal_but_no_wider_than_needed(columns, width):
    text = plot_points([("o", [(0, 0.125), (12, 1.5)])], "complexity", columns)
    assert text.count("─") == width
    assert max(map(len, text.splitlines())) <= max(columns, 27)
