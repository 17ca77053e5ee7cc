import pytest
from render.plots.artists import lines

from sorb import LLTBoostRegressor
from sorb.render import plot_stages


def test_stages_tell_what_was_added(patients):
    model = LLTBoostRegressor(max_rules=3).fit(*patients)
    axes = plot_stages(model)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[0] == "without rules"
    for number, (label, rule) in enumerate(zip(labels[1:], model.ensemble_, strict=True), 1):
        assert " ".join(label.split()) == f"rule {number}: {' '.join(str(rule.condition).split())}"
    both = lines(axes)
    assert both["on training rows"].get_xdata() == pytest.approx(
        [stage.train_risk for stage in model.stages_]
    )
    assert both["on the round's validation rows"].get_xdata() == pytest.approx(
        [stage.validation_risk for stage in model.stages_], nan_ok=True
    )
    assert axes.yaxis_inverted()


def test_without_validation_there_is_one_line(patients):
    axes = plot_stages(LLTBoostRegressor(max_rules=2, validation=None).fit(*patients))
    assert list(lines(axes)) == ["on training rows"]
