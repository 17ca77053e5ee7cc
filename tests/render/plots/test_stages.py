import pytest
from render.plots.artists import lines

from sorb import LLTBoostClassifier, LLTBoostRegressor
from sorb.render import plot_stages


@pytest.fixture(scope="module")
def grown(patients):
    return LLTBoostRegressor(max_complexity=20, selection=None).fit(*patients)


def held(axes, complexity):
    """Read off which rows are held at a complexity, and whether the vote is positive."""
    return {
        (round(bar.get_y() + bar.get_height() / 2, 6), bar.get_hatch() is None)
        for bar in axes.patches
        if bar.get_x() <= complexity < bar.get_x() + bar.get_width()
    }


def one_line(text):
    return " ".join(text.split())


def test_bars_show_which_rules_each_model_holds(grown):
    axes = plot_stages(grown)
    labels = [one_line(label.get_text()) for label in axes.get_yticklabels()]
    places = [round(float(place), 6) for place in axes.get_yticks()]
    for stage in grown.stages_:
        expected = {
            (places[labels.index(one_line(str(rule.condition)))], rule.vote >= 0)
            for rule in stage.ensemble
        }
        assert held(axes, stage.complexity) == expected


def test_rules_are_in_the_order_of_their_appearance(grown):
    axes = plot_stages(grown)
    assert axes.yaxis_inverted()
    starts = {}
    for bar in axes.patches:
        starts.setdefault(bar.get_y(), []).append(bar.get_x())
    first = [min(starts[place]) for place in sorted(starts)]
    assert first == sorted(first)


def test_a_rule_that_stays_has_one_bar(patients):
    model = LLTBoostRegressor(max_rules=2, effort="low", selection=None).fit(*patients)
    kept = {rule.condition for rule in model.stages_[1].ensemble}
    assert all(kept <= {rule.condition for rule in stage.ensemble} for stage in model.stages_[1:])
    assert len(plot_stages(model).patches) == len(model.ensemble_)


def test_models_beyond_the_size_of_this_one_are_left_out(grown):
    small = grown.at(rules=1)
    axes = plot_stages(small)
    complexity = small.ensemble_.complexity
    assert list(lines(axes)) == [f"the model: 1 rule, complexity {complexity}"]
    assert max(bar.get_x() for bar in axes.patches) <= complexity


def test_each_look_is_explained_once(grown):
    texts = [text.get_text() for text in plot_stages(grown).get_legend().get_texts()]
    assert len(texts) == len(set(texts))
    assert texts[-1].startswith("the model: ")


def test_a_model_without_rules_has_no_bars(grown):
    axes = plot_stages(grown.at(rules=0))
    assert not axes.patches
    axes.figure.draw_without_rendering()


def test_rules_name_their_class(iris):
    model = LLTBoostClassifier(max_rules=2, selection=None).fit(*iris)
    labels = [label.get_text() for label in plot_stages(model).get_yticklabels()]
    assert {label.partition(":")[0] for label in labels} <= set(model.classes_)
