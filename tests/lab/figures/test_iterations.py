import pytest
from synthetic_results import written

from sorb.lab.figures import FIGURES


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
