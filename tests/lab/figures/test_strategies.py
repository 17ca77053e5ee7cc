import math

import pytest


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
