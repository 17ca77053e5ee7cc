import math

import numpy as np
import pytest


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
