import numpy as np
import pytest
from render.models import COLUMNS, every_loss, model, people
from scipy.special import expit, softmax

from sorb import RuleEnsemble
from sorb.explanation import Explanation
from sorb.losses import LOSSES
from sorb.render import plot_contributions
from sorb.rules import Condition, Proposition, Rule


def explained(loss, number=None):
    """The explanation of a row that some rules cover, but not all."""
    explanation = Explanation.of(model(loss), people())
    some = np.flatnonzero(explanation.covered.sum(axis=1) == (number or 2))
    return explanation[int(some[0])]


def bars(axes):
    return [
        (bar.get_x(), bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in axes.patches
    ]


@pytest.mark.parametrize("loss", [name for name in LOSSES if name != "softmax"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_bars_lead_from_the_offset_to_the_total(loss, number):
    row = explained(loss, number)
    steps = bars(plot_contributions(row))
    assert sorted(step[1] for step in steps) == pytest.approx(
        sorted(row.contributions[row.covered])
    )
    reached = model(loss).offset
    for left, step, _ in steps:
        assert left == pytest.approx(reached)
        reached += step
    assert reached == pytest.approx(row.total)


def test_the_largest_comes_first():
    steps = bars(plot_contributions(explained("logistic", 3)))
    assert [step[1] for step in steps] == [-2.0, 1.5, 0.75]
    places = [step[2] for step in steps]
    assert places == sorted(places)


def test_with_several_classes_probabilities_are_drawn():
    row = explained("softmax")
    likeliest = int(np.argmax(row.total))
    steps = bars(plot_contributions(row))
    start = 100 * softmax(model("softmax").offset)[likeliest]
    assert steps[0][0] == pytest.approx(start)
    assert start + sum(step[1] for step in steps) == pytest.approx(
        100 * softmax(row.total)[likeliest]
    )


@every_loss
def test_labels_name_the_rules_that_cover_the_row(loss):
    row = explained(loss)
    labels = [label.get_text() for label in plot_contributions(row).get_yticklabels()]
    assert labels[0] == "to begin with"
    assert labels[-1] == "in total\n(1 rule does not cover the row)"
    named = {int(label.split()[1].rstrip(":")) - 1 for label in labels[1:-1]}
    assert named == set(np.flatnonzero(row.covered))


def test_nothing_is_said_if_all_rules_cover_the_row():
    labels = [
        label.get_text() for label in plot_contributions(explained("squared", 3)).get_yticklabels()
    ]
    assert labels[-1] == "in total"


def above(axes):
    axes.figure.draw_without_rendering()
    (child,) = axes.child_axes
    low, high = axes.get_xlim()
    ticks = zip(child.get_xticks(), child.get_xticklabels(), strict=True)
    return child, [(place, label.get_text()) for place, label in ticks if low <= place <= high]


def test_the_axis_above_tells_probabilities():
    axes = plot_contributions(explained("logistic"))
    child, ticks = above(axes)
    assert child.get_xlabel() == "probability of ill"
    assert len(ticks) >= 3
    for place, label in ticks:
        assert 100 * expit(place) == pytest.approx(float(label.removesuffix(" %")))


def test_the_axis_above_tells_counts():
    child, ticks = above(plot_contributions(explained("poisson")))
    assert child.get_xlabel() == "expected count"
    assert len(ticks) >= 3
    for place, label in ticks:
        assert np.exp(place) == pytest.approx(float(label), rel=1e-3)


def test_the_axis_above_ends_where_floats_do():
    everywhere = Rule(Condition(), 1000.0)
    row = Explanation.of(RuleEnsemble(0.5, (everywhere,), COLUMNS, "poisson"), people())[0]
    _, ticks = above(plot_contributions(row))
    assert 500 < max(place for place, _ in ticks) < np.log(np.finfo(float).max)


@pytest.mark.parametrize("loss", ["squared", "softmax"])
def test_other_models_need_no_second_axis(loss):
    assert not plot_contributions(explained(loss)).child_axes


def test_what_lowers_is_hatched():
    axes = plot_contributions(explained("logistic", 3))
    assert [bool(bar.get_hatch()) for bar in axes.patches] == [True, False, False]


def test_no_rule_covers_the_row():
    row = Explanation.of(RuleEnsemble(1.0, (), COLUMNS, "squared"), people())[0]
    axes = plot_contributions(row)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["to begin with", "in total"]
    assert axes.get_title(loc="left") == "The prediction: from 1 to 1"


@pytest.mark.parametrize("length", range(6, 12))
def test_titles_never_break_before_a_percent_sign(length):
    classes = ("alive", "d" * length)
    row = Explanation.of(RuleEnsemble(-2.0, (), COLUMNS, "logistic", classes), people())[0]
    assert plot_contributions(row).get_title(loc="left").endswith("from 12 % to 12 %")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("offset", [0.0, 5e-324, -2.5, 1e17, -1e299])
def test_a_row_without_rules_has_room_on_both_sides(offset):
    ensemble = RuleEnsemble(offset, (), ("x",), "squared")
    axes = plot_contributions(Explanation.of(ensemble, np.zeros((1, 1)))[0])
    axes.figure.canvas.draw()
    low, high = axes.get_xlim()
    assert low < offset < high


@pytest.mark.parametrize("sign", [-1, 1])
def test_numbers_beside_bars_do_not_touch_the_frame(sign):
    wide = Proposition(("PriceDiff", "StoreID"), (1.0, 0.0807), 0.2784)
    rules = [Rule(Condition((wide,)), sign * vote) for vote in (1.555, 1.475, 1.445, 0.8872)]
    columns = wide.columns
    ensemble = RuleEnsemble(-2.66 * sign, tuple(rules), columns, "logistic", ("no", "yes"))
    axes = plot_contributions(Explanation.of(ensemble, np.ones((1, 2)))[0])
    axes.figure.draw_without_rendering()
    inside, gap = axes.get_window_extent(), 3 * axes.figure.dpi / 72
    for text in axes.texts:
        box = text.get_window_extent()
        assert inside.x0 + gap < box.x0
        assert box.x1 < inside.x1 - gap
