import functools
import io
import math
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex
from matplotlib.image import imread
from synthetic_results import curve, ensemble, repeated, row, written

from sorb import Condition, Proposition, Rule, RuleEnsemble
from sorb.lab.curves import MissingResults
from sorb.lab.figures import FIGURES, Picture
from sorb.lab.figures.picture import new_figure
from sorb.lab.figures.ratios import as_ratio, original, with_ratios
from sorb.lab.figures.styles import STYLES, style_of

DIAGONAL = ensemble(("x1", "x2"), (-1.0, -1.0), -1.0, weight=6.0, offset=-3.0)
CORNER = ensemble(("x1", "x2"), (-1.0, -0.001), -0.5, weight=6.0, offset=-3.0)
LOGARITHMS = ("log(age)", "log(weight)", "log(height)")


def people(*propositions, columns=LOGARITHMS):
    return RuleEnsemble(-3.0, (Rule(Condition(propositions), 2.0),), columns, "logistic")


BMI = people(Proposition(("log(weight)", "log(height)"), (0.5, -1.0), 0.5 * math.log(25.0)))
HEAVY = people(Proposition(("weight",), (1.0,), 80.0), columns=("age", "weight", "height"))


def with_model(dataset, points, models):
    rows = curve(dataset, points)
    return [
        point | {"model": m if isinstance(m, str) else m.to_json()}
        for point, m in zip(rows, models, strict=True)
    ]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    first, second = [(4, 0.8), (10, 0.5), (130, 0.1)], [(6, 0.6), (14, 0.3), (150, 0.1)]
    units = {
        **repeated("iris", "LLTB", [first, second]),
        **repeated("iris", "LLTB-append", [second, second]),
        **repeated("iris", "mine", [first, first]),
        **repeated("diabetes", "LLTB", [first, second]),
        **repeated("diabetes", "LLTB-append", [[(4, 0.9)], [(4, 0.9)]]),
        **repeated("iris", "HGB", [[(None, 0.2)], [(None, 0.3)]]),
        **repeated("iris", "EBM", [[(200, 0.2)]]),
        ("synthetic", "LLTB", 0): with_model("synthetic", [(4, 0.1), (9, 0.0)], [DIAGONAL] * 2),
        ("synthetic", "TGB", 0): with_model("synthetic", [(4, 0.9), (9, 0.4)], [DIAGONAL, CORNER]),
        ("nhanes_standin+log", "sorb", 0): with_model(
            "nhanes_standin+log", [(4, 0.91), (9, 0.9)], [BMI, HEAVY]
        ),
        ("nhanes_standin", "TGB", 0): with_model("nhanes_standin", [(5, 0.95)], [HEAVY]),
        **{
            ("iris", method, r): [
                {"step": s, "iterations": 10.0 * s + r, "doublings": 1.0} for s in (1, 2, 3)
            ]
            for method in ("path", "bisection")
            for r in (0, 1)
        },
    }
    return written(tmp_path_factory.mktemp("run"), units).table()


@pytest.fixture(scope="module")
def picture(results):
    """Draw each figure once."""
    return functools.cache(lambda name: FIGURES[name](results))


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


# --- trade-offs


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
    assert picture("risk_cv").caption.endswith("Based on 1 to 2 repetitions.")


def test_no_two_methods_look_alike_without_colour():
    shapes = [(marker, str(style)) for _, marker, style in STYLES.values()]
    assert len(set(shapes)) == len(shapes)


# --- models


def test_regions_are_those_of_the_models(picture):
    drawing = picture("regions")
    titles = [axes.get_title() for axes in drawing.figure.axes]
    assert titles == [
        "LLTB: 1 rule, complexity 4, test risk 0.10",
        "TGB: 1 rule, complexity 4, test risk 0.40",
    ]
    for axes, model in zip(drawing.figure.axes, (DIAGONAL, CORNER), strict=True):
        border = axes.collections[-1].get_paths()[0].vertices
        inside = border[(border > 0.01).all(axis=1) & (border < 0.99).all(axis=1)]
        around = [model(inside + shift) > 0 for shift in (-0.01, 0.01)]
        assert around[0].all()
        assert not around[1].any()


def test_the_true_border_is_drawn(picture):
    for axes in picture("regions").figure.axes:
        (line,) = axes.lines
        assert line.get_xdata() + line.get_ydata() == pytest.approx([1, 1])


def test_a_model_that_says_the_same_everywhere_has_no_border(tmp_path):
    always = RuleEnsemble(-1.0, (), ("x1", "x2"), "logistic")
    units = {("synthetic", "LLTB", 0): with_model("synthetic", [(0, 1.0)], [always])}
    (axes,) = FIGURES["regions"](written(tmp_path, units).table()).figure.axes
    assert len(axes.collections) == 1


def test_models_in_words_cannot_be_drawn(tmp_path):
    units = {("synthetic", "LLTB", 0): with_model("synthetic", [(4, 0.1)], ["words"])}
    with pytest.raises(MissingResults, match="no rules for synthetic"):
        FIGURES["regions"](written(tmp_path, units).table())


def test_body_mass_is_drawn_beside_axis_parallel_rules(picture):
    drawing = picture("body_mass")
    left, right = drawing.figure.axes[:2]
    assert left.get_title() == "TGB: 1 rule, complexity 3, test risk 0.95"
    assert right.get_title() == "sorb: 1 rule, complexity 4, test risk 0.91"
    assert "+2  if  weight / height² ≥ 25" in right.get_xlabel()
    assert "nobody was measured" in drawing.caption


def test_body_mass_index_is_drawn(picture):
    for axes in picture("body_mass").figure.axes[:2]:
        (line,) = axes.lines
        assert line.get_ydata() / line.get_xdata() ** 2 == pytest.approx(25.0)
        assert [text.get_text() for text in axes.texts] == ["BMI 25"]


def test_probabilities_are_those_of_the_model(picture):
    axes = picture("body_mass").figure.axes[1]
    mesh = axes.collections[0]
    values = np.unique(np.asarray(mesh.get_array()))
    assert values.tolist() == pytest.approx([1 / (1 + math.exp(3)), 1 / (1 + math.exp(1))])
    x, y = mesh.get_coordinates()[:-1, :-1].reshape(-1, 2).T
    high = mesh.get_array().ravel() > values.mean()
    clear = np.abs(y / x**2 - 25) > 0.5
    assert (high == (y / x**2 > 25))[clear].all()


# --- ratios


@pytest.mark.parametrize(
    ("columns", "weights", "threshold", "expected"),
    [
        (LOGARITHMS[1:], (1.0, -2.0), math.log(25.0), "weight / height² ≥ 25"),
        (LOGARITHMS[1:], (-0.45, 1.0), -1.44, "weight / height^2.22 ≤ 24.53"),
        (LOGARITHMS[:2], (1.0, 1.0), math.log(3000.0), "age · weight ≥ 3000"),
        (LOGARITHMS[:1], (-2.0,), -2 * math.log(40.0), "age ≤ 40"),
        (LOGARITHMS, (0.0001, 1.0, -1.0), 0.0, "age^0.0001 · weight / height ≥ 1"),
        (LOGARITHMS, (1.0, -2.0, -2.0), 0.0, "age / (weight² · height²) ≥ 1"),
        (("age", "log(weight)"), (1.0, 1.0), 3.0, 'age + "log(weight)" ≥ 3'),
        (LOGARITHMS[:1], (1.0,), 5000.0, "age ≥ 1.014e304"),
    ],
)
def test_logarithms_are_written_as_ratios(columns, weights, threshold, expected):
    assert str(as_ratio(Proposition(columns, weights, threshold))) == expected


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]), min_size=3, max_size=3),
    st.sampled_from([-1.0, 0.0, 1.5]),
    st.lists(st.floats(0.1, 10.0), min_size=3, max_size=3),
)
def test_a_ratio_means_what_the_proposition_means(weights, threshold, person):
    proposition = Proposition(LOGARITHMS, weights, threshold)
    total = float(np.dot(weights, np.log(person)))
    if abs(total - threshold) < 1e-6:
        return
    columns = tuple(map(original, LOGARITHMS))
    assert as_ratio(proposition)(np.array([person]), columns) == [total >= threshold]


def test_rules_are_stated_with_ratios():
    assert str(with_ratios(BMI)).splitlines() == ["−3  always", "+2  if  weight / height² ≥ 25"]
    assert str(with_ratios(people())).splitlines()[1] == "+2  always"


# --- strategies and iterations


def test_strategies_are_compared_on_each_dataset(picture):
    left, right = picture("strategies").figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["iris", "diabetes"]
    first, second = (container[0].get_xdata() for container in left.containers)
    assert first == pytest.approx([0.55, 0.55])
    assert second == pytest.approx([0.45, 0.9])
    # Half of the risk is gone at 10 and 14, and never for the second strategy on diabetes.
    first, second = (container[0].get_xdata() for container in right.containers)
    assert first == pytest.approx([12, 12])
    assert second == pytest.approx([14, math.nan], nan_ok=True)


def test_iterations_are_drawn_against_sparsity(picture):
    for axes in picture("iterations").figure.axes:
        (container,) = axes.containers
        assert container[0].get_xdata().tolist() == [1, 2, 3]
        assert container[0].get_ydata() == pytest.approx([10.5, 20.5, 30.5])


def test_one_wide_interval_leaves_room_for_the_others(tmp_path):
    counts = {("iris", "path", r): [5.0, 2.0] for r in (0, 1)}
    counts |= {("housing", "path", r): [5.0, 1.0 + 200.0 * r] for r in (0, 1)}
    units = {
        unit: [{"step": s, "iterations": n} for s, n in enumerate(found, start=1)]
        for unit, found in counts.items()
    }
    (axes,) = FIGURES["iterations"](written(tmp_path, units).table()).figure.axes
    low, high, top = axes.transData.transform([(1, 2.0), (1, 5.0), (1, axes.get_ylim()[1])])[:, 1]
    assert high - low > 0.08 * (top - axes.bbox.y0)


# --- files


@pytest.mark.parametrize("name", FIGURES)
def test_results_without_what_a_figure_needs_are_told(name, tmp_path):
    rows = written(tmp_path, {("iris", "LLTB", 0): [{"failure": "it broke"}]}).table()
    with pytest.raises(MissingResults):
        FIGURES[name](rows)


@pytest.fixture
def plain():
    figure = new_figure(2.0, 1.0)
    figure.subplots().plot([0, 1], [0, 1])
    return Picture("plain", "A line", "Nothing else.", figure)


def test_a_picture_is_kept_in_three_formats(plain, tmp_path):
    paths = plain.save(tmp_path / "new")
    assert [path.name for path in paths] == ["plain.png", "plain.svg", "plain.pdf"]
    png, svg, pdf = (path.read_bytes() for path in paths)
    assert imread(io.BytesIO(png)).shape[:2] == (200, 400)  # 200 dots an inch
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert pdf.startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_results_give_the_same_file(results, picture, kind):
    drawn_before = picture("iterations")
    assert FIGURES["iterations"](results).content(kind) == drawn_before.content(kind)
