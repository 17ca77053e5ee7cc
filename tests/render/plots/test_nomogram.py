"""The nomogram: each mark stands where its points, total or probability are."""

import pytest
from hostile_names import NAMES
from matplotlib import pyplot as plt
from render.cards import bank_card, card, named
from scipy.special import logit

from sorb.render import plot_nomogram


def marks(axes):
    """The written numbers, by the label of their axis."""
    places = dict(
        zip(axes.get_yticks(), [t.get_text() for t in axes.get_yticklabels()], strict=True)
    )
    found = {}
    for text in axes.texts:
        x, y = text.xy
        nearest = min(places, key=lambda place: abs(place - y))
        found.setdefault(places[nearest], {})[text.get_text()] = x
    return found


@pytest.mark.parametrize("made", [card(), bank_card()])
def test_points_are_read_below_their_axis(made):
    found = marks(plot_nomogram(made))
    most = max(made.points)
    for text, x in found["Points"].items():
        assert x == pytest.approx(int(text) / most)
    labels = [label for label in found if "yes" in found[label]]
    assert [found[label]["yes"] for label in labels] == pytest.approx(
        [line.points / most for line in made.lines]
    )
    assert all(found[label]["no"] == 0 for label in labels)


@pytest.mark.parametrize("made", [card(), bank_card()])
def test_probabilities_stand_below_their_totals(made):
    found = marks(plot_nomogram(made))
    low, high = made.table[0][0], made.table[-1][0]
    for text, x in found["Score" if made.scale else "Total"].items():
        assert x == pytest.approx((int(text) - low) / (high - low))
    for text, x in found["Probability of yes"].items():
        total = low + x * (high - low)
        exact = made.line.offset + made.line.slope * total
        assert exact == pytest.approx(logit(float(text.removesuffix(" %")) / 100), abs=0.07)


@pytest.mark.parametrize("made", [card(), bank_card()])
def test_numbers_do_not_touch(made):
    axes = plot_nomogram(made)
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k] if a.y0 == b.y0)


@pytest.mark.parametrize("name", ["$x^2$", *NAMES[::12]])
def test_hostile_names_are_drawn(name):
    axes = plot_nomogram(named(name))
    axes.figure.canvas.draw()


def test_it_draws_on_given_axes():
    axes = plt.subplots()[1]
    assert plot_nomogram(card(), axes) is axes
    assert axes.get_xlabel() == "* also for a missing value"
