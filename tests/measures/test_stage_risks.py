import numpy as np

from sorb import LLTBoostClassifier
from sorb.measures.stage_risks import comparable_stages, weigh_classes
from sorb.tables.targets import Outcomes

X = np.arange(60.0)[:, None]
Y = np.where(X[:, 0] < 48, "well", "ill")


def outcomes_of(model):
    return Outcomes.of(model.ensemble_, Y, np.full(60, 2.0))


def test_without_class_weights_nothing_is_weighed():
    model = LLTBoostClassifier(max_rules=0).fit(X, Y)
    assert weigh_classes(outcomes_of(model), model.ensemble_, model).weight.tolist() == [2.0] * 60
    moved = model.recalibrate(X[40:], Y[40:])
    assert comparable_stages(moved) is moved.stages_


def test_test_rows_have_the_class_weights_of_the_fit():
    for positive in ("ill", "well"):
        model = LLTBoostClassifier(max_rules=0, class_weight="balanced", positive=positive)
        model.fit(X, Y)
        # Four times as many are well.
        assert model.class_weight_.tolist() == [4.0, 1.0]
        found = weigh_classes(outcomes_of(model), model.ensemble_, model).weight
        assert found.tolist() == np.where(Y == "ill", 8.0, 2.0).tolist()


def test_what_is_compared_was_learned_with_class_weights():
    model = LLTBoostClassifier(max_rules=0, class_weight="balanced").fit(X, Y)
    moved = model.recalibrate(X, Y)
    assert moved.stages_ != model.stages_
    assert comparable_stages(moved) == comparable_stages(model) == model.stages_
