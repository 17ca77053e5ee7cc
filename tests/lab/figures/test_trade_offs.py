import numpy as np
import pytest
from matplotlib.colors import to_hex
from synthetic_results import curve, repeated, row, written

from sorb.lab.figures import FIGURES
from sorb.lab.figures.styles import style_of


def panels(picture):
    return {axes.get_title(): axes for axes in picture.figure.axes if axes.get_visible()}


def drawn(axes, method):
    """The points of a method, told by its colour and marker."""
    style = style_of(method)
    alike = [line for line in axes.lines if line.get_marker() == style["marker"]]
    (line,) = (line for line in alike if to_hex(line.get_color()) == style["color"].lower())
    return line


def reaches(axes, method):
    """The ends of the error bars of a method, in both directions."""
    marker = style_of(method)["marker"]
    (container,) = (found for found in axes.containers if found[0].get_marker() == marker)
    return [np.array(bars.get_segments()) for bars in container[2]]


def test_curves_are_means_within_the_budget(picture):
    axes = panels(picture("risk_cv"))["iris"]
    line = drawn(axes, "LLTB")
    assert line.get_xdata() == pytest.approx([5, 12])
    assert line.get_ydata() == pytest.approx([0.7, 0.4])


def test_intervals_reach_in_both_directions(picture):
    axes = panels(picture("risk_cv"))["iris"]
    across, up = reaches(axes, "LLTB")
    # t(0.975, 1) = 12.7062, standard errors 1 and 0.1 in the first point
    assert np.ptp(across[0][:, 0]) == pytest.approx(2 * 12.7062, rel=1e-4)
    assert np.ptp(up[0][:, 1]) == pytest.approx(2 * 1.27062, rel=1e-4)


@pytest.mark.parametrize(("n_points", "n_marks"), [(20, 20), (97, 20)])
def test_a_curve_of_many_points_has_few_marks_and_intervals(tmp_path, n_points, n_marks):
    points = [(c, 1 - c / 200) for c in range(3, 3 + n_points)]
    units = repeated("iris", "sorb", [points, points])
    axes = panels(FIGURES["risk_cv"](written(tmp_path, units).table()))["iris"]
    line = drawn(axes, "sorb")
    assert len(line.get_xdata()) == n_points
    assert all(len(bars) == n_marks for bars in reaches(axes, "sorb"))


def test_a_method_without_complexity_is_a_level_line(picture):
    line = drawn(panels(picture("risk_cv"))["iris"], "HGB")
    assert list(line.get_ydata()) == [0.25, 0.25]


def test_each_dataset_has_a_panel_and_pictured_ones_have_none(picture):
    assert list(panels(picture("risk_cv"))) == ["iris", "diabetes"]
    assert list(panels(picture("error_cv"))) == ["iris"]


def test_panels_fill_rows_of_four(tmp_path):
    names = ("iris", "liver", "banknote", "magic", "voice")
    units = {(name, "LLTB", 0): curve(name, [(4, 0.5)]) for name in names}
    shown = panels(FIGURES["risk_cv"](written(tmp_path, units).table()))
    assert tuple(shown) == names
    tops = [round(axes.get_position().y1, 6) for axes in shown.values()]
    assert tops[:4] == [tops[0]] * 4
    assert tops[4] < tops[0]


def test_errors_are_drawn_from_errors(picture):
    line = drawn(panels(picture("error_cv"))["iris"], "LLTB")
    assert line.get_ydata() == pytest.approx([0.35, 0.2])


def test_oracle_chooses_by_the_test_rows(tmp_path):
    rows = [
        row("iris", 1, 4, 0.6, reg_lambda=0.1, cv_risk=0.1),
        row("iris", 1, 5, 0.4, reg_lambda=1.0, cv_risk=0.2),
    ]
    table = written(tmp_path, {("iris", "LLTB", 0): rows}).table()
    found = [drawn(panels(FIGURES[n](table))["iris"], "LLTB") for n in ("risk_cv", "risk_oracle")]
    assert [line.get_xdata()[0] for line in found] == [4, 5]


def test_titles_say_how_the_penalty_is_chosen(picture):
    titles = [picture(name).title for name in ("risk_cv", "risk_oracle")]
    assert titles == [
        "Test risk against complexity, penalty by cross-validation",
        "Test risk against complexity, penalty chosen in hindsight",
    ]


def test_legend_names_all_methods(picture):
    (legend,) = picture("risk_cv").figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["LLTB", "LLTB-append", "EBM", "HGB", "mine"]


def test_pictures_say_on_how_much_they_rest(picture):
    assert "Based on 1 to 2 repetitions; a single one" in picture("risk_cv").caption


@pytest.mark.parametrize("risk", [1e308, np.inf])
def test_risks_too_large_to_draw_leave_the_picture(risk, tmp_path):
    units = repeated("iris", "LLTB", [[(4, 0.5), (8, risk)], [(4, 0.7), (8, 0.2)]])
    picture = FIGURES["risk_cv"](written(tmp_path, units).table())
    axes = panels(picture)["iris"]
    assert drawn(axes, "LLTB").get_ydata()[0] == pytest.approx(0.6)
    assert axes.get_ylim()[1] < drawn(axes, "LLTB").get_ydata()[1] < np.inf
    assert picture.content("svg")
